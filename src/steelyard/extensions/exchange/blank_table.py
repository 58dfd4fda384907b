"""Tables whose columns blanks separate, with comments behind ``#``, as scripts write them for gnuplot.

The header is the first line, or the last comment above the numbers that has a title for each column: titles
of several words are told apart by two blanks. Columns without a title are called by their number, from 1.
"""

from __future__ import annotations

import re
from typing import Final

from steelyard.core.errors import UsageError
from steelyard.core.units import parse_float

MARK: Final = "#"
_WIDE: Final = re.compile(r"\s{2,}|\t")

Rows = list[tuple[int, list[str]]]


def is_blank_table(text: str) -> bool:
    """Whether the first line of numbers has two and more, separated by blanks alone."""
    for line in text.splitlines():
        cells = line.split()
        if not cells or line.lstrip().startswith(MARK):
            continue
        if len(cells) > 1 and not any(_is_text(cell) for cell in cells):
            return True
        if len(cells) < 2 or any(mark in line for mark in ",;={}"):
            return False
    return False


def read_blank_table(text: str, place: str) -> tuple[list[str], Rows]:
    """Return the titles of the columns, and the rows with the numbers of their lines.

    Raises
    ------
    UsageError
        A line has more or fewer cells than the first; names it.
    """
    rows: Rows = []
    titles: list[str] = []
    for number, line in enumerate(text.removeprefix("\ufeff").splitlines(), start=1):
        cells = line.partition(MARK)[0].split()
        if line.lstrip().startswith(MARK):
            titles += [line.lstrip().lstrip(MARK)] if not rows else []
        elif cells and not rows and _is_text(cells[0]):
            titles.append(line)
        elif cells:
            rows.append((number, cells))
    width = len(rows[0][1]) if rows else 0
    for number, cells in rows:
        if len(cells) != width:
            raise UsageError(
                f"{place}, line {number}: {len(cells)} cells, but the first row has {width}",
                hint=f"give every line {width} cells, or put {MARK} before what is no row",
            )
    return _header(titles, width), rows


def _header(titles: list[str], width: int) -> list[str]:
    for title in reversed(titles):
        for cells in (_WIDE.split(title.strip()), title.split()):
            if len(cells) == width and len(set(cells)) == width:
                return cells
    return [str(number) for number in range(1, width + 1)]


def _is_text(cell: str) -> bool:
    value = parse_float(cell.rstrip("%"))
    return value != value and cell.lower() != "nan"  # noqa: PLR0124 -- NaN
