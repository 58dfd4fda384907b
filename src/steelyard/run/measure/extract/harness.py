"""What a harness of benchmarks reports, in the file that ``$STEELYARD_METRICS`` names or else on stdout.

A process of a harness may repeat a benchmark thousands of times; it gives one value for each, the repetitions
reduced as the metric says, since a launch is the smallest unit of inference.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

import msgspec

from steelyard.core.errors import SteelyardError
from steelyard.core.units import Better
from steelyard.run.measure.extract.missing import MissingValueError
from steelyard.run.measure.extract.pattern import refuse_cut
from steelyard.run.measure.extract.series import Column, ReportedSeries, label_key
from steelyard.run.measure.output import Output
from steelyard.spec.experiment import UserMetric
from steelyard.spec.tables.metrics import Reduce

if TYPE_CHECKING:
    from steelyard.run.runner.journal import RawTrial

LABEL: Final = "benchmark"
"""Of each value: the benchmark as the harness spells it."""


class HarnessReport(msgspec.Struct, frozen=True):
    """One metric of one benchmark, in the SI unit, repetition by repetition.

    Without a metric, one that the harness skipped, and why; or one that failed, and the process with it.
    """

    benchmark: str
    metric: str
    unit: str
    values: tuple[float, ...]
    better: Better = "lower"
    skipped: str | None = None
    is_failure: bool = False


ReadOutput = Callable[[str, str, str], Sequence[HarnessReport]]
"""Reads a text; told what to call it, and the name of its format. Raises ``SteelyardError``."""

REDUCTIONS: Final[Mapping[Reduce, Callable[[Sequence[float]], float]]] = {
    "median": statistics.median,
    "mean": statistics.fmean,
    "min": min,
    "max": max,
    "sum": math.fsum,
    "first": lambda values: values[0],
    "last": lambda values: values[-1],
}


class HarnessOutput:
    """The metrics of an experiment that harnesses report; other metrics of a report are passed over."""

    def __init__(self, metrics: Sequence[UserMetric], read_output: ReadOutput) -> None:
        self._metrics = metrics
        self._read_output = read_output

    def read_columns(self, raw: RawTrial) -> dict[str, Column]:
        """One value for each metric and benchmark.

        Raises
        ------
        MissingValueError
            Nothing was reported, or what was cannot be read, or has another unit; a metric that no benchmark
            has.
        """
        return {metric.name: self._read_column(metric, raw) for metric in self._metrics}

    def _read_column(self, metric: UserMetric, raw: RawTrial) -> Column:
        output = (
            Output("the metrics file", raw.metrics, raw.metrics_bytes)
            if raw.metrics
            else Output.make(raw, "stdout")
        )
        refuse_cut(metric.name, output)
        try:
            reports = self._read_output(output.text(), output.name, str(metric.source))
        except SteelyardError as error:
            raise MissingValueError(metric.name, f"{error.message}; {output.describe()}") from None
        if failure := next((report for report in reports if report.is_failure), None):
            raise MissingValueError(
                metric.name, f"{failure.benchmark or metric.source} failed: {failure.skipped}"
            )
        column: Column = {}
        for report in reports:
            values = [value for value in report.values if math.isfinite(value)]
            if report.metric != metric.name or not values:
                continue
            if metric.unit and report.unit != metric.unit:
                raise MissingValueError(
                    metric.name,
                    f"{report.benchmark} is in {report.unit!r}, and the spec says {metric.unit!r}",
                )
            labels = {LABEL: report.benchmark}
            reduced = REDUCTIONS[metric.reduce](values)
            column.setdefault(label_key(labels), ReportedSeries(labels)).numbers.append(reduced)
        if not column:
            blanks = [entry for entry in reports if entry.metric == metric.name and entry.values]
            if blanks:
                raise MissingValueError(
                    metric.name,
                    f"{blanks[0].benchmark} has the value {blanks[0].values[0]} in {output.name}, which is no"
                    " number",
                )
            names = ", ".join(dict.fromkeys(filter(None, (entry.metric for entry in reports)))) or "nothing"
            raise MissingValueError(metric.name, f"{metric.source} reports {names} in {output.name}")
        return column
