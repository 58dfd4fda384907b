"""Machine learning: llama-bench, and the logs of MLPerf's training and inference."""

from __future__ import annotations

from typing import Any, Final

from steelyard.extensions.outputs.declaration import ABSENT, Fault, Field, Measure, Rows
from steelyard.extensions.outputs.reading import Format
from steelyard.extensions.outputs.rows import Row
from steelyard.extensions.outputs.shapes import Events, Json, Line, Lines


def _get_samples(unit: str) -> Field:
    """Return the field of the repetitions of a test, of their mean where the file has no more."""

    def get(row: Row) -> object:
        return row.node.get(f"samples_{unit}") or row.get(f"avg_{unit}")

    return get


LLAMA_BENCH: Final = Format(
    name="llama-bench",
    marks=(r'"build_commit"\s*:', r'"avg_ts"\s*:', r'"n_gen"\s*:'),
    shape=Json(),
    version="build_number",
    host={"cpu": "cpu_info", "gpu": "gpu_info"},
    repeats="process",
    rows=(
        Rows(
            path="",
            labels={
                "model": "model_type",
                "n_prompt": "n_prompt",
                "n_gen": "n_gen",
                "n_depth": "n_depth",
                "n_batch": "n_batch",
                "n_ubatch": "n_ubatch",
                "n_threads": "n_threads",
                "backend": "backends",
                "n_gpu_layers": "n_gpu_layers",
                "flash_attn": "flash_attn",
                "type_k": "type_k",
                "type_v": "type_v",
                "split_mode": "split_mode",
            },
            measures=(
                Measure("rate", _get_samples("ts"), "tokens/s"),
                Measure("time", _get_samples("ns"), "ns"),
            ),
        ),
    ),
)


def _get_throughput(row: Row) -> object:
    """Return the throughput of each step that the log has."""
    return row.node.get("throughputs")


def _get_status(metadata: object) -> object:
    return (metadata.get("status") if isinstance(metadata, dict) else None) or "unknown"


def _get_trainings(events: list[Any]) -> Any:
    """Return a document of the trainings: what holds before a start holds for the trainings that follow."""
    rows: list[dict[str, Any]] = []
    settings: dict[str, Any] = {}
    for event in events:
        if not isinstance(event, dict):
            continue
        key, value, time = event.get("key"), event.get("value"), event.get("time_ms")
        metadata = event.get("metadata")
        if key == "run_start":
            rows.append({**settings, "start": time, "throughputs": []})
        elif key == "run_stop" and rows:
            rows[-1] |= {"stop": time, "status": _get_status(metadata)}
        elif key == "tracked_stats" and rows and isinstance(value, dict):
            rows[-1]["throughputs"] += filter(None, [value.get("throughput")])
        elif key == "eval_accuracy" and rows:
            rows[-1]["accuracy"] = value
        elif key in ("submission_benchmark", "submission_platform", "global_batch_size", "seed"):
            settings[key] = value
    return {**settings, "rows": rows or [settings]}


MLPERF: Final = Format(
    name="mlperf",
    marks=(r":::MLLOG \{",),
    shape=Events(":::MLLOG", _get_trainings),
    rows=(
        Rows(
            path="rows/*",
            labels={
                "benchmark": "submission_benchmark",
                "platform": "submission_platform",
                "batch": "global_batch_size",
            },
            measures=(
                Measure("time_to_train", "stop", "ms", minus="start"),
                Measure("throughput", _get_throughput, "samples/s", "higher"),
                Measure("accuracy", "accuracy", "", "higher"),
            ),
            faults=(
                Fault("start", "the training did not start", ABSENT),
                Fault("stop", "the training has no end (run_stop)", ABSENT),
                Fault("status", "run_stop says {value}", r"(?!success$).+"),
            ),
        ),
    ),
)

# Single stream and server report latencies, multi-stream and offline samples per second.
MLPERF_INFERENCE: Final = Format(
    name="mlperf-inference",
    marks=(r"^MLPerf Results Summary",),
    shape=Lines(
        (
            Line(r"^(?P<summary>MLPerf Results Summary)", "row"),
            Line(r"^SUT name : (?P<system>.+?)\s*$"),
            Line(r"^Scenario : (?P<scenario>\w+)"),
            Line(r"^Mode     : (?P<mode>\w+)"),
            Line(r"^(?:(?:Completed |Scheduled )?[Ss]amples per second)\s*: (?P<rate>[\d.]+)"),
            Line(r"^Result is : (?P<result>\w+)"),
            Line(r"^Mean latency \(ns\)\s*: (?P<mean>[\d.]+)"),
            Line(r"^90.00 percentile latency \(ns\)\s*: (?P<p90>[\d.]+)"),
            Line(r"^99.00 percentile latency \(ns\)\s*: (?P<p99>[\d.]+)"),
        )
    ),
    rows=(
        Rows(
            path="rows/*",
            labels={"system": "system", "scenario": "scenario", "mode": "mode"},
            measures=(
                Measure("rate", "rate", "samples/s", "higher"),
                Measure("latency", "mean", "ns"),
                Measure("latency_p90", "p90", "ns"),
                Measure("latency_p99", "p99", "ns"),
            ),
            faults=(Fault("result", "the result is {value}", r"(?!VALID$).*"),),
        ),
    ),
)
