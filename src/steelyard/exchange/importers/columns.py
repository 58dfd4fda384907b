"""Tables with a row for each launch: CSV, TSV, JUBE's results (``jube result`` as CSV or as a table of bars).

``--value`` names the metric, ``--by`` what tells treatments apart; units are those that a header says in
brackets (``time[s]``, as JUBE writes it), or ``--unit``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from steelyard.core.errors import UsageError
from steelyard.core.rates import is_rate
from steelyard.core.units import Better, Scalar, parse_float
from steelyard.exchange.importers.contents import FileContents, ImportedSeries, identifier, level, read_unit
from steelyard.files.reading import column_separator, csv_rows

CSV: Final = "csv"
TSV: Final = "tsv"
JUBE: Final = "jube"

_BARS: Final = re.compile(r"^\s*\|.*\|\s*$")
_RULE: Final = re.compile(r"^[\s|:+-]*$")
_TITLE: Final = re.compile(r"(.*?)\s*\[([^\]]*)\]\s*")


class Chosen(msgspec.Struct, frozen=True):
    """The columns of a table.

    Attributes
    ----------
    value : tuple of str
        The metrics.
    by : tuple of str
        What tells treatments apart.
    unit : str or None
        Of values whose header says none.
    better : {"lower", "higher", "neither"} or None
        ``None``: by the name and the unit of each.
    """

    value: tuple[str, ...] = ()
    by: tuple[str, ...] = ()
    unit: str | None = None
    better: Better | None = None


def reads_jube(text: str, _place: str) -> bool:
    """Whether the text is a table of bars, as JUBE prints it."""
    lines = [line for line in text.splitlines() if line.strip()]
    return sum(bool(_BARS.match(line)) for line in lines[:4]) >= 2


def reads_csv(text: str, place: str) -> bool:
    """Whether the first line is one of several cells, with commas between them."""
    return column_separator(text, place) == ","


def reads_tsv(text: str, place: str) -> bool:
    """Whether the first line is one of several cells, with tabs between them."""
    return column_separator(text, place) == "\t"


def read(text: str, place: str, tool: str, chosen: Chosen) -> FileContents:
    """All rows, each a launch.

    Raises
    ------
    UsageError
        A column is not there, no metric was named, a unit is not known, or a row is incomplete.
    """
    rows = list(_split_bars(text) if reads_jube(text, place) else _split_cells(text, place, tool))
    if not rows:
        raise UsageError(f"{place}: the table is empty", hint="give a file with a header and a row a launch")
    titles = [_get_title(cell) for cell in rows[0][1]]
    names = [name for name, _ in titles]
    if not chosen.value:
        raise UsageError(
            f"{place}: --value is missing: which column has the measurements?",
            hint=f"--value COLUMN, one of: {', '.join(names)}",
        )
    for name in (*chosen.value, *chosen.by):
        if name not in names:
            raise UsageError(f"{place}: no column {name!r}", hint=f"columns: {', '.join(names)}")
    values_of: dict[tuple[tuple[tuple[str, Scalar], ...], str], list[tuple[float, ...]]] = {}
    lost = []
    for number, cells in rows[1:]:
        if len(cells) != len(names):
            raise UsageError(
                f"{place}, line {number}: {len(cells)} cells, but the header has {len(names)}",
                hint="the file was cut off, or a cell holds a separator; repair that line",
            )
        row = dict(zip(names, cells, strict=True))
        levels = tuple((identifier(name), level(row[name])) for name in chosen.by)
        for name in chosen.value:
            value = parse_float(row[name])
            if math.isfinite(value):
                values_of.setdefault((levels, name), []).append((value,))
            else:
                lost.append(f"line {number}: {name} is {row[name]!r}")
    units = {name: _get_unit(dict(titles)[name], chosen.unit, name, place) for name in chosen.value}
    series = tuple(
        ImportedSeries(
            dict(levels), identifier(name), units[name][0],
            tuple(tuple(value * units[name][1] for value in group) for group in values),
            chosen.better or ("higher" if is_rate(name, dict(titles)[name] or "") else "lower"),
        )
        for (levels, name), values in values_of.items()
    )  # fmt: skip
    notes = (f"Left out: {'; '.join(lost[:4])}{'; …' if len(lost) > 4 else ''}.",) if lost else ()
    return FileContents(tool, series, "launch", notes=notes)


def _split_cells(text: str, place: str, tool: str) -> Iterator[tuple[int, Sequence[str]]]:
    rows = csv_rows(text, place, "\t" if tool == TSV else "")
    yield from ((number, [cell.strip() for cell in cells]) for number, cells in rows if cells)


def _split_bars(text: str) -> Iterator[tuple[int, Sequence[str]]]:
    for number, line in enumerate(text.splitlines(), start=1):
        if "|" in line and not _RULE.match(line):
            yield number, [cell.strip() for cell in line.strip().strip("|").split("|")]


def _get_title(cell: str) -> tuple[str, str | None]:
    match = _TITLE.fullmatch(cell)
    return (match[1], match[2]) if match else (cell, None)


def _get_unit(of_header: str | None, chosen_unit: str | None, name: str, place: str) -> tuple[str, float]:
    text = of_header if of_header is not None else chosen_unit
    if text is None:
        hint = '--unit ms (--unit "" for a number)'
        raise UsageError(f"{place}: --unit is missing: what is the unit of {name}?", hint=hint)
    unit = read_unit(text, f"{place}: {name}")
    return unit.si, unit.scale
