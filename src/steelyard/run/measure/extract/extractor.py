"""``Extractor``: all values of a trial that are not built in, by the metrics that the spec declares."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final, Literal, TypeGuard

import msgspec

from steelyard.core.errors import SpecError
from steelyard.core.units import LARGEST_VALUE, RUNNER_METRICS, Scalar, is_number
from steelyard.run.measure.extract.counted import CountedEvent
from steelyard.run.measure.extract.derived import Derived, order_metrics
from steelyard.run.measure.extract.harness import HarnessOutput, ReadOutput
from steelyard.run.measure.extract.lines import Lines
from steelyard.run.measure.extract.missing import MissingValueError
from steelyard.run.measure.extract.pattern import Pattern
from steelyard.run.measure.extract.pointer import Pointer
from steelyard.run.measure.extract.series import Column, constant, yield_values
from steelyard.run.measure.measurement import Value
from steelyard.run.measure.output import Output
from steelyard.spec.experiment import Experiment, UserMetric
from steelyard.spec.text.expression import parse
from steelyard.spec.valgrind import EVENTS

if TYPE_CHECKING:
    from steelyard.run.runner.journal import RawTrial

MOST_VALUES: Final = 1_000_000
"""Values that one trial may report: each takes about a hundred bytes until it is stored."""


class Extractor:
    """Reads the metrics of an experiment; patterns, pointers and expressions are compiled once, here.

    Parameters
    ----------
    experiment : Experiment
    read_output : callable
        Reads what a harness wrote, by the name of its format.

    Raises
    ------
    SpecError
        A metric that says neither where it is read nor from what it is derived, or derived metrics that
        need each other.
    """

    def __init__(self, experiment: Experiment, read_output: ReadOutput) -> None:
        metrics = experiment.metrics
        self._experiment = experiment
        self._read_output = read_output
        self._conditional = any(metric.where for metric in metrics)
        self._reduced: dict[tuple[str, ...], Extractor] = {}
        self._lines = Lines(
            [metric for metric in metrics if metric.source == "lines" and metric.derive is None]
        )
        self._harness = HarnessOutput(
            [metric for metric in metrics if metric.is_written and metric.source != "lines"], read_output
        )
        self._readers = tuple(
            _make_reader(metric)
            for metric in metrics
            if not metric.is_written and metric.derive is None and metric.event is None
        )
        self._counted = tuple(
            CountedEvent(metric.name, tool, metric.event)
            for metric in metrics
            for tool in EVENTS
            if metric.source == tool and metric.event is not None
        )
        self._derived = order_metrics([Derived(metric) for metric in metrics if metric.derive is not None])
        self._order = tuple(metric.name for metric in metrics)

    def values(self, levels: Mapping[str, Scalar], raw: RawTrial) -> tuple[Value, ...]:
        """Return the values of one trial, in the order of the spec. Counters are not among them.

        Parameters
        ----------
        levels : Mapping[str, Scalar]
            Of the treatment; those that are numbers can be named by derived metrics.

        Raises
        ------
        MissingValueError
            A metric that has no finite value, or one too large to compute with, with the reason why the trial
            counts as failed.
        """
        if not self._order:
            return ()
        if self._conditional:
            return self._make_extractor(levels).values(levels, raw)
        columns: dict[str, Column] = self._lines.columns(raw) | self._harness.read_columns(raw)
        for reader in self._readers:
            columns[reader.metric] = reader.column(Output.make(raw, reader.source))
        for counted in self._counted:
            columns[counted.metric] = counted.column(raw)
        if self._derived:
            operands = _collect_operands(levels, raw) | columns
            for metric in self._derived:
                columns[metric.metric] = operands[metric.metric] = metric.column(operands)
        count = sum(len(series.numbers) for column in columns.values() for series in column.values())
        if count > MOST_VALUES:
            raise MissingValueError(
                max(columns, key=lambda name: sum(len(series.numbers) for series in columns[name].values())),
                f"the trial reports {count:,} values, and at most {MOST_VALUES:,} are kept; report fewer",
            )
        for name, column in columns.items():
            largest = max((abs(number) for series in column.values() for number in series.numbers), default=0)
            if largest > LARGEST_VALUE:
                raise MissingValueError(name, f"{largest:g} is too large: values go up to {LARGEST_VALUE:g}")
        return tuple(value for name in self._order for value in yield_values(name, columns[name]))

    def _make_extractor(self, levels: Mapping[str, Scalar]) -> Extractor:
        """Return an extractor of what treatments with these levels report."""
        chosen = tuple(metric.name for metric in applicable(self._experiment.metrics, levels))
        if chosen not in self._reduced:
            metrics = tuple(
                msgspec.structs.replace(metric, where={})
                for metric in self._experiment.metrics
                if metric.name in chosen
            )
            self._reduced[chosen] = Extractor(
                msgspec.structs.replace(self._experiment, metrics=metrics), self._read_output
            )
        return self._reduced[chosen]


def applicable(metrics: Sequence[UserMetric], levels: Mapping[str, Scalar]) -> list[UserMetric]:
    """Return the metrics that a treatment with these levels has.

    They are those that are declared for it, and of the derived ones those that can be derived there.
    """
    absent = {m.name for m in metrics if any(levels.get(name) != level for name, level in m.where.items())}
    needs = {m.name: parse(m.derive).names for m in metrics if m.derive is not None}
    while names := {name for name, operands in needs.items() if name not in absent and operands & absent}:
        absent |= names
    return [metric for metric in metrics if metric.name not in absent]


def _make_reader(metric: UserMetric) -> Pattern | Pointer:
    source: Literal["stdout", "stderr"] = "stderr" if metric.source == "stderr" else "stdout"
    if metric.pattern is not None:
        return Pattern(metric.name, metric.pattern, source)
    if metric.json is not None:
        return Pointer(metric.name, metric.json, source)
    raise SpecError(
        f"metrics.{metric.name}: neither pattern nor json says how to find it in {source}",
        hint=f'say pattern = "{metric.name}=([0-9.]+)", json = "/{metric.name}" or source = "lines"',
    )


def _is_numeric(level: Scalar) -> TypeGuard[float]:
    """Whether a double can hold the level; TOML has whole numbers of any length."""
    return is_number(level) and abs(level) <= sys.float_info.max


def _collect_operands(levels: Mapping[str, Scalar], raw: RawTrial) -> dict[str, Column]:
    """Names that derived metrics can use beside the spec's: numeric levels, counters and built-in metrics."""
    numeric = {name: float(level) for name, level in levels.items() if _is_numeric(level)}
    counters = {name: value for name, value in raw.counters.items() if value is not None}
    builtin = {
        entry.metric.name: value for entry in RUNNER_METRICS if (value := entry.observe(raw)) is not None
    }
    return {name: constant(value) for name, value in (numeric | counters | builtin).items()}
