"""Cells that several tables have, and the line below a table that leaves rows out."""

from __future__ import annotations

from steelyard.report.text.digits import bounds, probability, ratio
from steelyard.report.text.label import printable
from steelyard.report.text.line import Line, Span, Style
from steelyard.results.interval import Interval


def name_cell(text: str) -> Span:
    """Return a name that the user chose."""
    return Span(printable(text))


def render_ratio_cell(value: float | None, interval: Interval | None) -> Span:
    """Return a ratio with the digits that its interval leaves; a dash where it is undefined."""
    return Span("–" if value is None else ratio(value, interval))


def render_interval_cell(value: float | None, interval: Interval | None) -> Span:
    """Return an interval of a ratio; a dash where it is undefined or unbounded."""
    return Span("–" if value is None or interval is None else bounds(value, interval))


def render_p_cell(p: float | None, style: Style = "") -> Span:
    """Return a p-value; a dash where nothing was tested."""
    return Span("–" if p is None else probability(p), style)


def note_omitted(count: int, hint: str = "; --json has all.") -> list[Line]:
    """Return the number of rows that are not shown, and where they are; nothing where all are."""
    return [(Span(f"… and {count:,} more{hint}"),)] if count > 0 else []
