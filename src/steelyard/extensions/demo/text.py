"""The demo as text: three experiments, three findings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from steelyard.core.units import format_quantity
from steelyard.report.text.digits import bounds, ratio
from steelyard.report.text.line import Line, Span, render_paragraph
from steelyard.results.interval import Interval

_ROW: Final = 64
"""Lengths of the environment in one row of the picture: with steps of 16 bytes, a row is 1024 bytes."""


def heading(number: int, text: str) -> list[Line]:
    """``1  A command against itself``."""
    return [(), (Span(f"{number}  {text}", "heading"),)]


def render_share(order: str, called: int, comparisons: int, worst: float) -> list[Line]:
    """One row: how often a program was called different from itself."""
    text = (
        f"{order:<30} {called:>2} of {comparisons} called different, the worst by {(worst - 1) * 100:.0f} %"
    )
    return [(Span("   " + text),)]


def speedup(place: str, value: float, interval: Interval) -> list[Line]:
    """One row: a speedup with its 95 % interval."""
    return [(Span(f"   {place:<34} {ratio(value, interval)} ×  (95 % CI {bounds(value, interval)})"),)]


def picture(times: Sequence[float], marks: Sequence[str], step_bytes: int) -> list[Line]:
    """Return one character for each length: where the hot variable lies, and what that costs."""
    rows: list[Line] = [
        (Span(f"   {start * step_bytes:>6} " + "".join(marks[start : start + _ROW])),)
        for start in range(0, len(marks), _ROW)
    ]
    groups = {
        mark: [t for t, m in zip(times, marks, strict=True) if m == mark] for mark in dict.fromkeys(marks)
    }
    words = {".": "within a cache line", "o": "across the end of a line", "#": "across the end of a page"}
    for mark in ".o#":
        if group := sorted(groups.get(mark, [])):
            middle = format_quantity(group[len(group) // 2], "s")
            rows.append((Span(f"   {mark}  {len(group):>3} lengths, {words[mark]:<25} {middle:>8}"),))
    return rows


def indent(text: str, width: int = 80) -> list[Line]:
    """Indent running text below a heading."""
    return render_paragraph(text, width, first="   ", rest="   ")


def findings(texts: Sequence[str], width: int = 80) -> list[Line]:
    """Return the findings, numbered."""
    lines: list[Line] = [(), (Span("What this machine showed", "heading"),)]
    for number, text in enumerate(texts, 1):
        lines += render_paragraph(text, width, first=f"{number}  ", rest="   ")
    return lines
