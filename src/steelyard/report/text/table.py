"""Tables that fit: columns give way in a declared order, names are shortened in the middle."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from typing import Final, Literal

import msgspec
from msgspec.structs import replace

from steelyard.report.text.label import columns, pad, shorten_all, shorten_apart
from steelyard.report.text.line import Line, Span

GAP: Final = "  "
MOST_ROWS: Final = 30
"""Of a table that can be as long as an experiment is large."""
NARROWEST_NAME: Final = 12
"""Columns of a terminal below which a shortened name says too little."""


class Column(msgspec.Struct, frozen=True, dict=True):
    """A column, and what becomes of it where the width does not suffice.

    Attributes
    ----------
    cells : sequence of Span
        One per row.
    right : bool
        Numbers stand at the right.
    give_way : int
        0 stays always; of the others, the highest goes first.
    is_name : bool
        May be shortened, down to ``NARROWEST_NAME``, but no further than its title; nor so far that two of
        its cells look alike, where columns that give way leave room for that.
    of : {"factor", "label", ""}
        What the user named; where another column has the same title, it is ``factor.NAME``, as in exports.
    """

    title: str
    cells: Sequence[Span]
    right: bool = True
    give_way: int = 0
    is_name: bool = False
    of: Literal["factor", "label", ""] = ""

    @cached_property
    def width(self) -> int:
        """Columns of a terminal that the widest cell takes."""
        return max(columns(self.title), *(columns(cell.text) for cell in self.cells))

    @property
    def narrowest(self) -> int:
        """Columns below which it is not shortened."""
        return min(self.width, max(NARROWEST_NAME, columns(self.title))) if self.is_name else self.width

    @property
    def narrowest_apart(self) -> int:
        """Columns below which two of its cells that differ would look alike."""
        if not self.is_name:
            return self.width
        short = shorten_apart([cell.text for cell in self.cells], self.narrowest, self.width)
        return max(self.narrowest, *map(columns, short.values()))


def table(given: Sequence[Column], width: int) -> list[Line]:
    """Heading and rows, within ``width`` columns of a terminal as far as columns may give way."""
    shown = _told_apart([column for column in given if column.cells])
    apart = _compute_least([each for each in shown if not each.give_way], apart=True) <= width
    while _compute_least(shown, apart=apart) > width and any(column.give_way for column in shown):
        shown.remove(max(shown, key=lambda column: column.give_way))
    widths = [column.width for column in shown]
    excess = sum(widths) + len(GAP) * (len(shown) - 1) - width
    for i in sorted((i for i, column in enumerate(shown) if column.is_name), key=lambda i: -widths[i]):
        cut = max(0, min(excess, widths[i] - _compute_narrowest(shown[i], apart=apart)))
        widths[i] -= cut
        excess -= cut
    shown = [_shortened(column, width) for column, width in zip(shown, widths, strict=True)]
    rows = [tuple(Span(column.title, "heading") for column in shown)]
    rows += zip(*(column.cells for column in shown), strict=True)
    return [_render_line(row, shown, widths) for row in rows]


def _told_apart(shown: Sequence[Column]) -> list[Column]:
    titles = Counter(column.title for column in shown)
    return [
        replace(each, title=f"{each.of}.{each.title}") if each.of and titles[each.title] > 1 else each
        for each in shown
    ]


def _compute_least(shown: Sequence[Column], *, apart: bool) -> int:
    return sum(_compute_narrowest(column, apart=apart) for column in shown) + len(GAP) * (len(shown) - 1)


def _compute_narrowest(column: Column, *, apart: bool) -> int:
    return column.narrowest_apart if apart else column.narrowest


def _shortened(column: Column, width: int) -> Column:
    if not column.is_name or column.width <= width:
        return column
    texts = [cell.text for cell in column.cells]
    # A little more room can make two look alike that less keeps apart.
    tried = (shorten_all(texts, room) for room in range(width, NARROWEST_NAME - 1, -1))
    apart = (short for short in tried if len(set(short.values())) == len(short))
    short = next(apart, shorten_all(texts, width))
    return replace(column, cells=[Span(short[cell.text], cell.style) for cell in column.cells])


def _render_line(row: Sequence[Span], shown: Sequence[Column], widths: Sequence[int]) -> Line:
    spans: list[Span] = []
    for cell, column, width in zip(row, shown, widths, strict=True):
        if spans:
            spans.append(Span(GAP))
        text = cell.text
        spans.append(Span(pad(text, width, right=column.right), cell.style))
    return tuple(spans)
