"""JMH's ``-rf json``: iterations of forks, each a process of its own."""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec

from steelyard.core.units import Better, Scalar
from steelyard.extensions.exchange.importers.contents import (
    FailedRuns,
    FileContents,
    ImportedSeries,
    Unit,
    identifier,
    levels_of_parameter,
    read_unit,
    summary_note,
    unit_of,
)
from steelyard.extensions.exchange.importers.machines import make_host

TOOL = "jmh"
LIST_OF = frozenset({"benchmark", "primaryMetric"})


def _compute_mean(histogram: Sequence[tuple[float, float]]) -> float:
    return sum(value * count for value, count in histogram) / sum(count for _, count in histogram)


class _Metric(msgspec.Struct, frozen=True, rename="camel"):
    score: float | str
    score_unit: str
    raw_data: list[list[float | str]] = []
    """A value that is no number is the text ``"NaN"``."""
    raw_data_histogram: list[list[list[tuple[float, float]]]] = []
    """Of sampled modes: for each fork and iteration the values, each with how often it was seen."""

    @property
    def forks(self) -> list[list[float]]:
        """Values of the iterations of each fork; of sampled modes their means."""
        return [[float(value) for value in fork] for fork in self.raw_data] or [
            [_compute_mean(iteration) for iteration in fork if iteration] for fork in self.raw_data_histogram
        ]


class _Result(msgspec.Struct, frozen=True, rename="camel"):
    benchmark: str
    mode: str
    primary_metric: _Metric
    jmh_version: str = ""
    vm_version: str = ""
    threads: int = 1
    params: dict[str, str] = {}
    secondary_metrics: dict[str, _Metric] = {}


def read(document: object, place: str) -> FileContents:
    """All benchmarks, each with its parameters; modes become metrics, since they have units of their own."""
    results = msgspec.convert(document, list[_Result])
    series: list[ImportedSeries] = []
    means: list[str] = []
    failures: list[FailedRuns] = []
    left_out: dict[str, None] = {}
    empty: dict[str, None] = {}
    names = dict.fromkeys(name for result in results for name in result.params)
    level_of = {
        name: levels_of_parameter(result.params[name] for result in results if name in result.params)
        for name in names
    }
    threads = len({result.threads for result in results}) > 1
    for result in results:
        levels: dict[str, Scalar] = {"benchmark": result.benchmark}
        levels |= {name: level_of[name](text) for name, text in result.params.items()}
        levels |= {"threads": result.threads} if threads else {}
        main = result.primary_metric
        unit = read_unit(main.score_unit, f"{place}: {result.benchmark}")
        if not main.forks:
            means.append(result.benchmark)
        if missing := sum(not fork for fork in main.forks):
            failures.append(FailedRuns(levels, failed=missing, reason="JMH: a fork without an iteration"))
        qualifiers: dict[str, Scalar] = {"mode": result.mode}
        qualifiers |= {"jvm": result.vm_version} if result.vm_version else {}
        name = "time_s" if unit.si == "s" else "throughput"
        primary = _make_series(levels, name, unit, main, qualifiers)
        series += primary
        if not primary:
            empty[result.benchmark] = None
        for name, metric in result.secondary_metrics.items():
            of_other = unit_of(metric.score_unit)
            if of_other is None or not metric.forks:
                left_out[name] = None
                continue
            secondary = _make_series(levels, identifier(name), of_other, metric, qualifiers)
            series += secondary
            if not secondary:
                empty[name] = None
    version = results[0].jmh_version if results else ""
    notes = (
        *summary_note(means),
        *([f"Left out, in units that are not known here: {', '.join(left_out)}."] if left_out else []),
        *([f"Left out, since a value is no number: {', '.join(empty)}."] if empty else []),
    )
    host = make_host(runtime=f"Java {results[0].vm_version}" if results and results[0].vm_version else "")
    return FileContents(
        f"{TOOL} {version}".strip(), tuple(series), host=host, notes=notes, failures=tuple(failures)
    )


def _make_series(
    levels: dict[str, Scalar], metric: str, unit: Unit, measured: _Metric, qualifiers: dict[str, Scalar]
) -> Sequence[ImportedSeries]:
    forks = measured.forks or ([[measured.score]] if isinstance(measured.score, float) else [])
    values = tuple(tuple(value * unit.scale for value in fork) for fork in forks if fork)
    if not all(math.isfinite(value) for fork in values for value in fork):
        return ()
    better: Better = (
        "lower" if unit.si in ("s", "B", "") else "higher" if metric == "throughput" else "neither"
    )
    return (ImportedSeries(levels, metric, unit.si, values, better, qualifiers=qualifiers),)
