"""The iterations of one metric under one combination of labels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

import msgspec

from steelyard.core.units import Scalar
from steelyard.run.measure.measurement import Value

LabelKey = tuple[tuple[str, bool, Scalar], ...]
"""Labels in the order of their names. Truth values are marked: Python takes ``True`` for 1."""

_EXACT: Final = 2.0**53
"""Below it every whole number is a double."""

UNLABELLED: Final[LabelKey] = ()


class ReportedSeries(msgspec.Struct):
    """Values in the order in which they were reported, and what was said of them."""

    labels: Mapping[str, Scalar] = {}
    numbers: list[float] = []


Column = dict[LabelKey, ReportedSeries]
"""All values of one metric in a trial, by their labels."""


def constant(value: float) -> Column:
    """Return a column of one value that holds for the whole trial."""
    return {UNLABELLED: ReportedSeries(numbers=[value])}


def canonical(labels: Mapping[str, Scalar]) -> dict[str, Scalar]:
    """Return the labels by name, and 64.0 as 64: languages differ in how they print a whole number."""
    return {
        name: int(label) if isinstance(label, float) and label.is_integer() and abs(label) < _EXACT else label
        for name, label in sorted(labels.items())
    }


def label_key(labels: Mapping[str, Scalar]) -> LabelKey:
    """Return a key that equal labels share; ``labels`` are canonical."""
    return tuple((name, isinstance(label, bool), label) for name, label in labels.items())


def yield_values(metric: str, column: Column) -> Iterable[Value]:
    """Yield the values to store."""
    for series in column.values():
        for i, number in enumerate(series.numbers):
            yield Value(metric, number, i, series.labels)
