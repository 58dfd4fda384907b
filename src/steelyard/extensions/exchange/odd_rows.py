"""Rows of another experiment: a column that is constant elsewhere, or goes with a parameter, and varies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import msgspec

from steelyard.core.units import parse_float

LEAST: Final = 3
"""Points at which a column does what it does, at least."""
ALIKE: Final = 1e-6
"""Relative difference of ratios that are the same."""

Row = Mapping[str, str]


class OddRow(msgspec.Struct, frozen=True):
    """A row whose value of a column no other row explains.

    Attributes
    ----------
    column, value : str
    line : int
    usual : str
        In words, as in "1000 in all other rows".
    """

    column: str
    value: str
    line: int
    usual: str


def odd_row(
    name: str, rows: Sequence[tuple[int, Row]], parameters: Sequence[str], by: Sequence[str]
) -> OddRow | None:
    """Return the first row of another configuration by column ``name``, of numbers; ``None`` for none.

    The rows of a point agree at most points and not at this one; all rows but those of one point agree; or
    the column is a multiple of the only parameter at all points but this one.
    """
    points: dict[tuple[str, ...], list[tuple[int, str]]] = {}
    for line, row in rows:
        key = (*(row[text] for text in by), *(str(parse_float(row[text])) for text in parameters))
        points.setdefault(key, []).append((line, str(parse_float(row[name]))))
    for find in (_find_within_point, _find_elsewhere):
        if (odd := find(name, points)) is not None:
            return odd
    return _find_beside_multiple(name, points) if len(parameters) == 1 and not by else None


def _find_within_point(name: str, points: Mapping[tuple[str, ...], list[tuple[int, str]]]) -> OddRow | None:
    repeated = [cells for cells in points.values() if len(cells) > 1]
    mixed = [cells for cells in repeated if len({value for _, value in cells}) > 1]
    if not mixed or len(repeated) - len(mixed) < LEAST or LEAST * len(mixed) > len(repeated):
        return None
    values = [value for _, value in mixed[0]]
    usual = max(dict.fromkeys(values), key=values.count)
    line, value = next(cell for cell in mixed[0] if cell[1] != usual)
    return OddRow(name, _format(value), line, f"{_format(usual)} in other rows of the same point")


def _find_elsewhere(name: str, points: Mapping[tuple[str, ...], list[tuple[int, str]]]) -> OddRow | None:
    sets = [{value for _, value in cells} for cells in points.values()]
    values = [value for values_there in sets for value in values_there]
    usual = max(dict.fromkeys(values), key=values.count)
    different = [
        cells for cells, values_there in zip(points.values(), sets, strict=True) if values_there != {usual}
    ]
    if len(different) != 1 or len(sets) - 1 < LEAST or _counts_up(different[0]):
        return None
    line, value = next(cell for cell in different[0] if cell[1] != usual)
    return OddRow(name, _format(value), line, f"{_format(usual)} at all other points")


def _counts_up(cells: Sequence[tuple[int, str]]) -> bool:
    """Whether the rows of a point are numbered."""
    numbers = [parse_float(value) for _, value in cells]
    return len(numbers) > 1 and any(numbers == [*range(first, first + len(numbers))] for first in (0, 1))


def _find_beside_multiple(
    name: str, points: Mapping[tuple[str, ...], list[tuple[int, str]]]
) -> OddRow | None:
    ratios = [(line, value, ratio) for line, value, ratio in _ratios(points) if ratio > 0]
    if len({value for _, value, _ in ratios}) < LEAST:
        return None
    ordered = sorted(ratio for _, _, ratio in ratios)
    middle = ordered[len(ordered) // 2]
    different = [(line, value) for line, value, ratio in ratios if abs(ratio / middle - 1) > ALIKE]
    places = {key for key, cells in points.items() if any(cell in different for cell in cells)}
    if len(places) != 1 or len(points) - 1 < LEAST:
        return None
    line, value = different[0]
    return OddRow(name, _format(value), line, f"{middle:g} times the parameter at all other points")


def _ratios(
    points: Mapping[tuple[str, ...], list[tuple[int, str]]],
) -> Iterator[tuple[int, str, float]]:
    for key, cells in points.items():
        scale = parse_float(key[-1])
        for line, value in cells:
            yield line, value, parse_float(value) / scale if scale > 0 else 0.0


def _format(value: str) -> str:
    return f"{parse_float(value):.15g}"
