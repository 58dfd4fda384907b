"""Records in the formats of tools that people have around their benchmarks already.

They are hyperfine's JSON, benchstat's text, the Bencher Metric Format, and github-action-benchmark's JSON.

All hold complete blocks only, and none holds blocks: what is read back from them is compared without pairs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from statistics import fmean, stdev
from typing import Final, Literal, get_args

from steelyard.core.errors import UsageError
from steelyard.core.sample import Sample
from steelyard.core.units import Metric, format_quantity
from steelyard.lab.compare.hyperfine import render_json, results, write_json_2
from steelyard.results.document import write_json
from steelyard.store import Record

PeerFormat = Literal["hyperfine", "hyperfine-2", "benchstat", "bencher", "github-action-benchmark"]
PEER_FORMATS: Final[tuple[PeerFormat, ...]] = get_args(PeerFormat)

_NS: Final = 1e9


def render(record: Record, form: PeerFormat, metrics: Sequence[str] = ()) -> str:
    """Return the text of a file; ``metrics`` are by default the primary one of the spec.

    Raises
    ------
    UsageError
        The record has no such metric, or none that the format can hold.
    """
    return _WRITERS[form](record, metrics or (record.experiment.analysis.metric,))


def _format_hyperfine(record: Record, metrics: Sequence[str]) -> str:
    """``results``, as hyperfine 1.x writes them: elapsed times of launches."""
    if tuple(metrics) != ("wall_s",):
        raise UsageError(
            f"hyperfine's format has elapsed times (wall_s) only, not {', '.join(metrics)}",
            hint="--metric wall_s, or --format bencher, which has any metric",
        )
    return render_json(results(record))


def _write_hyperfine_2(record: Record, metrics: Sequence[str]) -> str:
    """Version 2 of the schema: every metric that hyperfine 2.0 has a name for, of each launch."""
    return write_json_2(record, metric=metrics[0])


def _format_benchstat(record: Record, metrics: Sequence[str]) -> str:
    """One line a launch: ``BenchmarkNAME/factor=level 1 1234 ns/op``."""
    lines: dict[int, tuple[str, list[str]]] = {}
    for sample in record.samples(*metrics):
        name = _go_name(record, sample)
        for trial, value in zip(sample.trials, sample.values, strict=True):
            lines.setdefault(trial, (name, []))[1].append(_go_value(sample.metric, value, metrics[0]))
    ordered = (lines[trial] for trial in sorted(lines))
    return "".join(f"{name} 1 {' '.join(values)}\n" for name, values in ordered)


def _go_name(record: Record, sample: Sample) -> str:
    levels = {**sample.treatment.levels, **sample.labels}
    name = re.sub(r"\W+", "_", record.experiment.name) or "it"
    plain = re.compile(r"[/\s]+")
    parts = [f"{key}={plain.sub('_', str(level))}" for key, level in levels.items()]
    return "/".join([f"Benchmark{name[0].upper()}{name[1:]}", *parts])


def _go_value(metric: Metric, value: float, primary: str) -> str:
    if metric.unit == "s":
        return f"{value * _NS:.9g} {'ns/op' if metric.name == primary else f'{metric.name}-ns/op'}"
    unit = {"B": "B", "B/s": "B/s"}.get(metric.unit, metric.unit or "count")
    return f"{value:.9g} {metric.name}-{unit}"


def _format_bencher(record: Record, metrics: Sequence[str]) -> str:
    """Mean, and mean less and plus the standard deviation: what Bencher makes of hyperfine's files."""
    by_name: dict[str, dict[str, dict[str, float]]] = {}
    for sample in _fill(record.samples(*metrics)):
        of_time = sample.metric.unit == "s"
        scale = _NS if of_time else 1.0
        mean, s = _compute_summary(sample)
        measure = "latency" if of_time and sample.metric.name == metrics[0] else sample.metric.name
        value = {"value": mean * scale}
        if s is not None:
            value |= {"lower_value": (mean - s) * scale, "upper_value": (mean + s) * scale}
        by_name.setdefault(_name(sample), {})[measure.replace("_", "-")] = value
    return write_json(by_name)


def _format_github_action(record: Record, metrics: Sequence[str]) -> str:
    """Entries for ``customSmallerIsBetter`` or ``customBiggerIsBetter``, which one file cannot mix."""
    samples = _fill(record.samples(*metrics))
    if len({sample.metric.better for sample in samples}) > 1:
        raise UsageError(
            "github-action-benchmark takes metrics of which smaller is better, or bigger, not both",
            hint="write a file for each: --metric NAME",
        )
    several = len(metrics) > 1
    entries = []
    for sample in samples:
        mean, s = _compute_summary(sample)
        spread = f", s = {format_quantity(s, sample.metric.unit)}" if s is not None else ""
        entries.append(
            {
                "name": f"{_name(sample)}: {sample.metric.name}" if several else _name(sample),
                "unit": sample.metric.unit or "count",
                "value": mean,
                "extra": f"mean of {len(sample)} runs{spread}",
            }
        )
    return write_json(entries)


def _fill(samples: Sequence[Sample]) -> list[Sample]:
    return [sample for sample in samples if len(sample)]


def _compute_summary(sample: Sample) -> tuple[float, float | None]:
    """Mean and standard deviation."""
    return fmean(sample.values), stdev(sample.values) if len(sample) > 1 else None


def _name(sample: Sample) -> str:
    labels = ", ".join(f"{name}={level}" for name, level in sample.labels.items())
    return f"{sample.treatment.label}, {labels}" if labels else sample.treatment.label


_WRITERS: Final[dict[PeerFormat, Callable[[Record, Sequence[str]], str]]] = {
    "hyperfine": _format_hyperfine,
    "hyperfine-2": _write_hyperfine_2,
    "benchstat": _format_benchstat,
    "bencher": _format_bencher,
    "github-action-benchmark": _format_github_action,
}
