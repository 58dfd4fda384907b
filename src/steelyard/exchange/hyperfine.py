"""What hyperfine exports, one result a command, for the scripts that read its files.

Names of fields and columns are hyperfine's (``command``, ``mean``, ``stddev``, ``median``, ``user``,
``system``, ``min``, ``max``, ``times``, ``memory_usage_byte``, ``exit_codes``, ``parameters``); times are in
seconds.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from statistics import fmean, median, stdev
from typing import Any, Final

from steelyard.answers.document import written
from steelyard.sample import Sample
from steelyard.store import Record

TIME_UNITS: Final[dict[str, tuple[str, float]]] = {
    "microsecond": ("µs", 1e-6),
    "millisecond": ("ms", 1e-3),
    "second": ("s", 1.0),
}
"""Values of hyperfine's ``--time-unit``: the unit, in seconds."""

SUMMARY: Final = ("mean", "stddev", "median", "user", "system", "min", "max")


Result = Mapping[str, Any]
"""Complete runs of one command; a metric that a record lacks has no field."""


def results(record: Record, commands: Mapping[int, str] | None = None) -> list[Result]:
    """One result a treatment; ``commands`` are the command lines by the ids of treatments, by default their
    labels.
    """
    known = {metric.name for metric in record.metrics}
    others = [name for name in ("user_s", "system_s", "rss_bytes") if name in known]
    codes = {each.trial: each.exit_code for _, each in record.stream_measurements()}
    by_treatment: dict[int, dict[str, Sample]] = {}
    for sample in record.samples("wall_s", *others):
        by_treatment.setdefault(sample.treatment.id, {})[sample.metric.name] = sample
    return [_result(samples, codes, commands) for samples in by_treatment.values() if len(samples["wall_s"])]


def _result(
    samples: Mapping[str, Sample], codes: Mapping[int, int | None], commands: Mapping[int, str] | None
) -> Result:
    wall = samples["wall_s"]
    times, treatment = list(wall.values), wall.treatment
    made: dict[str, Any] = {
        "command": commands[treatment.id] if commands else treatment.label,
        "mean": fmean(times),
        "stddev": stdev(times) if len(times) > 1 else None,
        "median": median(times),
    }
    made |= {
        name: fmean(samples[f"{name}_s"].values) for name in ("user", "system") if f"{name}_s" in samples
    }
    made |= {"min": min(times), "max": max(times), "times": times}
    if "rss_bytes" in samples:
        made["memory_usage_byte"] = [round(size) for size in samples["rss_bytes"].values]
    made["exit_codes"] = [codes[trial] for trial in wall.trials]
    levels = {name: str(level) for name, level in treatment.levels.items() if name != "command"}
    return made | ({"parameters": levels} if levels else {})


def as_json(found: Sequence[Result]) -> str:
    """Everything, every time included."""
    return written({"results": found})


def as_csv(found: Sequence[Result]) -> str:
    """A row a command, then its parameters, as ``parameter_NAME``."""
    parameters = [each.get("parameters", {}) for each in found]
    names = list(dict.fromkeys(name for each in parameters for name in each))
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(["command", *SUMMARY, *(f"parameter_{name}" for name in names)])
    for each, its in zip(found, parameters, strict=True):
        values = [each.get(name) for name in SUMMARY]
        rows.writerow([each["command"], *values, *(its.get(name, "") for name in names)])
    return text.getvalue()


def as_markdown(found: Sequence[Result], unit: str | None) -> str:
    """A table in ``unit``, by default what suits the fastest; relative to the first command."""
    fastest = min((each["mean"] for each in found), default=1.0)
    named = unit or ("second" if fastest >= 1 else "millisecond" if fastest >= 1e-3 else "microsecond")
    shown, scale = TIME_UNITS[named]
    heads = ["Command", *(f"{name} [{shown}]" for name in ("Mean", "s", "Min", "Max")), "Relative"]
    lines = [f"| {' | '.join(heads)} |", "|:---|" + "---:|" * 5]
    for each in found:
        times = (each["mean"], each["stddev"] or 0.0, each["min"], each["max"])
        cells = [f"`{each['command']}`".replace("|", "\\|"), *(f"{time / scale:.3f}" for time in times)]
        relative = f"{each['mean'] / found[0]['mean']:.3f}"
        lines.append(f"| {' | '.join([*cells, relative])} |")
    return "\n".join(lines) + "\n"
