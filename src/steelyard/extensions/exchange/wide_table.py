"""Wide tables, a column a scale, made long: a row a scale; and numbers in per cent."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from steelyard.core.units import parse_float

LEAST_SCALES: Final = 3
"""Columns that are called by a number, from which on they are scales."""
PERCENT: Final = "%"


def lengthen(
    header: Sequence[str], rows: Sequence[tuple[int, dict[str, str]]], parameter: str, value: str
) -> tuple[list[str], list[tuple[int, dict[str, str]]]]:
    """Return the table with a row for each scale, whose columns are ``parameter`` and ``value``.

    It is returned as it is where it has one of both columns, or fewer than three columns are called by a
    positive number. An empty cell is no row.
    """
    scales = [name for name in header if 0 < parse_float(name) < math.inf]
    if parameter in header or value in header or len(scales) < LEAST_SCALES:
        return list(header), list(rows)
    rest = [name for name in header if name not in scales]
    long = [
        (number, {**{name: row[name] for name in rest}, parameter: scale, value: row[scale]})
        for number, row in rows
        for scale in scales
        if row[scale].strip()
    ]
    return [*rest, parameter, value], long


def is_percent(rows: Sequence[tuple[int, dict[str, str]]], name: str) -> bool:
    """Whether all numbers of a column have a per cent sign."""
    texts = [row.get(name, "").strip() for _, row in rows]
    return bool(texts) and all(
        text.endswith(PERCENT) and math.isfinite(parse_float(text[:-1])) for text in texts
    )


def strip_percent(rows: Sequence[tuple[int, dict[str, str]]], name: str) -> list[tuple[int, dict[str, str]]]:
    """Return the rows without the per cent signs of a column."""
    return [(number, {**row, name: row[name].strip().removesuffix(PERCENT)}) for number, row in rows]
