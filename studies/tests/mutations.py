"""Changes of data that move marks: values permuted, an effect removed, an effect planted."""

from __future__ import annotations

import random
import statistics
from collections.abc import Callable, Mapping, Sequence

Rows = list[dict[str, str]]
Change = Callable[[Rows], Rows]
SEED = 2008


def _groups(rows: Rows, within: Sequence[str], where: Mapping[str, str]) -> list[Rows]:
    by_key: dict[tuple[str, ...], Rows] = {}
    for row in rows:
        if all(row[key] == value for key, value in where.items()):
            by_key.setdefault(tuple(row[key] for key in within), []).append(row)
    return list(by_key.values())


def permuted(column: str, *within: str, **where: str) -> Change:
    """Values of a column exchanged at random among rows that agree in ``within``."""

    def change(rows: Rows) -> Rows:
        draw = random.Random(SEED)
        for group in _groups(rows, within, where):
            values = [row[column] for row in group]
            draw.shuffle(values)
            for row, value in zip(group, values, strict=True):
                row[column] = value
        return rows

    return change


def removed(column: str, *within: str, **where: str) -> Change:
    """Every value near the mean of its group: what remains is noise of a thousandth."""

    def change(rows: Rows) -> Rows:
        draw = random.Random(SEED)
        for group in _groups(rows, within, where):
            mean = statistics.fmean(float(row[column]) for row in group)
            for row in group:
                row[column] = f"{mean * draw.gauss(1, 1e-3):.9g}"
        return rows

    return change


def planted(column: str, factor: float, **where: str) -> Change:
    """Values multiplied by a factor where the levels are these."""

    def change(rows: Rows) -> Rows:
        for row in rows:
            if all(row[key] == value for key, value in where.items()):
                row[column] = f"{float(row[column]) * factor:.9g}"
        return rows

    return change


def narrowed(column: str, factor: float, *within: str) -> Change:
    """Deviations from the mean of a group multiplied by a factor."""

    def change(rows: Rows) -> Rows:
        for group in _groups(rows, within, {}):
            mean = statistics.fmean(float(row[column]) for row in group)
            for row in group:
                row[column] = f"{mean + factor * (float(row[column]) - mean):.9g}"
        return rows

    return change


def exchanged(column: str, one: str, other: str) -> Change:
    """Two levels of a column exchanged."""

    def change(rows: Rows) -> Rows:
        names = {one: other, other: one}
        for row in rows:
            row[column] = names.get(row[column], row[column])
        return rows

    return change


def both(*changes: Change) -> Change:
    """One change after another."""

    def change(rows: Rows) -> Rows:
        for item in changes:
            rows = item(rows)
        return rows

    return change
