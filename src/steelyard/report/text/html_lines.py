"""Lines of text as a piece of HTML, for notebooks: the same words, the meaning of a span as its colour."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Final

from steelyard.report.text.line import Line, Style

_STYLES: Final[dict[Style, str]] = {
    "": "",
    "good": "color: #1a7f37; font-weight: bold",
    "bad": "color: #cf222e; font-weight: bold",
    "open": "color: #9a6700; font-weight: bold",
    "heading": "font-weight: bold",
    "dim": "opacity: 0.65",
}


def html(lines: Sequence[Line]) -> str:
    """One ``pre``; everything that a label could hold is escaped."""
    rows = ("".join(_span(span.text, span.style) for span in line) for line in lines)
    return '<pre style="line-height: 1.35; white-space: pre">' + "\n".join(rows) + "</pre>"


def _span(text: str, style: Style) -> str:
    shown = escape(text)
    return f'<span style="{_STYLES[style]}">{shown}</span>' if style else shown
