"""Metrics computed from others: ``edges / wall_s``, value by value, where labels agree."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from graphlib import CycleError, TopologicalSorter

from steelyard.core.errors import SpecError
from steelyard.run.measure.extract.missing import MissingValueError
from steelyard.run.measure.extract.series import UNLABELLED, Column, LabelKey, ReportedSeries
from steelyard.spec.experiment import UserMetric
from steelyard.spec.text.expression import parse


class Derived:
    """A derived metric, its expression parsed."""

    def __init__(self, metric: UserMetric) -> None:
        self.metric = metric.name
        self._text = metric.derive or ""
        self._expression = parse(self._text)
        self.names: frozenset[str] = frozenset(self._expression.names)

    def column(self, columns: Mapping[str, Column]) -> Column:
        """One value for each iteration of each combination of labels that all parts have.

        A part without labels, such as a built-in metric or a factor, goes with every combination; a part of
        one value goes with every iteration.

        Raises
        ------
        MissingValueError
            A part is not known in this trial, parts have different numbers of iterations or no labels in
            common, or a result is not a finite number.
        """
        missing = sorted(self.names - columns.keys())
        if missing:
            raise MissingValueError(
                self.metric, f"{missing[0]} in {self._text!r} has no numeric value in this trial"
            )
        parts = {name: columns[name] for name in sorted(self.names)}
        keys: dict[LabelKey, None] = {key: None for part in parts.values() for key in part} or {
            UNLABELLED: None
        }
        joined = {key: values for key in keys if (values := _get_at(parts, key)) is not None}
        if not joined:
            raise MissingValueError(self.metric, f"the parts of {self._text!r} have no labels in common")
        return {
            key: ReportedSeries(_get_labels(values), self._read_numbers(values))
            for key, values in joined.items()
        }

    def _read_numbers(self, parts: Mapping[str, ReportedSeries]) -> list[float]:
        lengths = {name: len(series.numbers) for name, series in parts.items() if len(series.numbers) != 1}
        if len(set(lengths.values())) > 1:
            counts = ", ".join(f"{name} has {length}" for name, length in lengths.items())
            raise MissingValueError(
                self.metric, f"the parts of {self._text!r} have different numbers of values: {counts}"
            )
        count = next(iter(lengths.values()), 1)
        return [
            self._read_number({name: _compute_nth(series, i) for name, series in parts.items()})
            for i in range(count)
        ]

    def _read_number(self, parts: Mapping[str, float]) -> float:
        try:
            value = self._expression.evaluate(parts)
        except ArithmeticError as error:
            raise MissingValueError(self.metric, f"{self._text!r}: {error} (with {_list(parts)})") from None
        if not math.isfinite(value):
            raise MissingValueError(self.metric, f"{self._text!r} is {value} (with {_list(parts)})")
        return value


def order_metrics(derived: Sequence[Derived]) -> tuple[Derived, ...]:
    """Return the metrics, each after those that it is computed from.

    Raises
    ------
    SpecError
        Metrics that are computed from each other.
    """
    by_name = {metric.metric: metric for metric in derived}
    graph = {
        name: [part for part in sorted(metric.names) if part in by_name] for name, metric in by_name.items()
    }
    try:
        return tuple(by_name[name] for name in TopologicalSorter(graph).static_order())
    except CycleError as error:
        circle = " → ".join(error.args[1])
        raise SpecError(
            f"metrics: derived metrics need each other: {circle}",
            hint="derive each from metrics that are measured",
        ) from None


def _get_at(parts: Mapping[str, Column], key: LabelKey) -> dict[str, ReportedSeries] | None:
    """Return the values of the parts under these labels, or for the whole trial.

    ``None`` where one has neither.
    """
    values = {name: part.get(key) or part.get(UNLABELLED) for name, part in parts.items()}
    present = {name: series for name, series in values.items() if series is not None}
    return present if len(present) == len(values) else None


def _get_labels(parts: Mapping[str, ReportedSeries]) -> Mapping[str, str | int | float | bool]:
    return next((series.labels for series in parts.values() if series.labels), {})


def _compute_nth(series: ReportedSeries, i: int) -> float:
    return series.numbers[i if len(series.numbers) > 1 else 0]


def _list(parts: Mapping[str, float]) -> str:
    return ", ".join(f"{name} = {value:g}" for name, value in parts.items()) or "no names"
