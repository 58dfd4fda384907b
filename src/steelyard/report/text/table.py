"""Tables that fit: columns give way in a declared order, names are shortened in the middle."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any, Final, Literal

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
    kind : {"factor", "label", ""}
        What the user named; where another column has the same title, it is ``factor.NAME``, as in exports.
    """

    title: str
    cells: Sequence[Span]
    right: bool = True
    give_way: int = 0
    is_name: bool = False
    kind: Literal["factor", "label", ""] = ""

    @classmethod
    def words(cls, title: str, texts: Iterable[str], **options: Any) -> Column:
        """Make a column of texts without a style, which stand at the left."""
        return cls(title, [*map(Span, texts)], right=False, **options)

    @classmethod
    def numbers(cls, title: str, texts: Iterable[str], **options: Any) -> Column:
        """Make a column of numbers without a style, which stand at the right."""
        return cls(title, [*map(Span, texts)], **options)

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


def table(every: Sequence[Column], width: int) -> list[Line]:
    """Heading and rows, within ``width`` columns of a terminal as far as columns may give way."""
    visible = _distinguish([column for column in every if column.cells])
    apart = _compute_least([column for column in visible if not column.give_way], apart=True) <= width
    while _compute_least(visible, apart=apart) > width and any(column.give_way for column in visible):
        visible.remove(max(visible, key=lambda column: column.give_way))
    widths = [column.width for column in visible]
    excess = sum(widths) + len(GAP) * (len(visible) - 1) - width
    for i in sorted((i for i, column in enumerate(visible) if column.is_name), key=lambda i: -widths[i]):
        cut = max(0, min(excess, widths[i] - _compute_narrowest(visible[i], apart=apart)))
        widths[i] -= cut
        excess -= cut
    visible = [_shorten(column, width) for column, width in zip(visible, widths, strict=True)]
    rows = [tuple(Span(column.title, "heading") for column in visible)]
    rows += zip(*(column.cells for column in visible), strict=True)
    return [_render_line(row, visible, widths) for row in rows]


def _distinguish(visible: Sequence[Column]) -> list[Column]:
    titles = Counter(column.title for column in visible)
    return [
        replace(column, title=f"{column.kind}.{column.title}")
        if column.kind and titles[column.title] > 1
        else column
        for column in visible
    ]


def _compute_least(visible: Sequence[Column], *, apart: bool) -> int:
    return sum(_compute_narrowest(column, apart=apart) for column in visible) + len(GAP) * (len(visible) - 1)


def _compute_narrowest(column: Column, *, apart: bool) -> int:
    return column.narrowest_apart if apart else column.narrowest


def _shorten(column: Column, width: int) -> Column:
    if not column.is_name or column.width <= width:
        return column
    texts = [cell.text for cell in column.cells]
    # A little more room can make two look alike that less keeps apart.
    tried = (shorten_all(texts, room) for room in range(width, NARROWEST_NAME - 1, -1))
    apart = (short for short in tried if len(set(short.values())) == len(short))
    short = next(apart, shorten_all(texts, width))
    return replace(column, cells=[Span(short[cell.text], cell.style) for cell in column.cells])


def _render_line(row: Sequence[Span], visible: Sequence[Column], widths: Sequence[int]) -> Line:
    spans: list[Span] = []
    for cell, column, width in zip(row, visible, widths, strict=True):
        if spans:
            spans.append(Span(GAP))
        text = cell.text
        spans.append(Span(pad(text, width, right=column.right), cell.style))
    return tuple(spans)
