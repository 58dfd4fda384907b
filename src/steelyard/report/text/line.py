"""Lines of text whose parts have a meaning, which a terminal may show as colours."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any, Final, Literal, TextIO

import msgspec

from steelyard.report.text.label import wrap

Style = Literal["", "good", "bad", "open", "heading", "dim"]
"""What a piece of text means, by which a terminal colours it."""

_COLOURS: Final[dict[Style, dict[str, Any]]] = {
    "": {},
    "good": {"bold": True, "fg": "green"},
    "bad": {"bold": True, "fg": "red"},
    "open": {"bold": True, "fg": "yellow"},
    "heading": {"bold": True},
    "dim": {"dim": True},
}
"""Arguments of ``click.style``."""


class Span(msgspec.Struct, frozen=True):
    """A piece of a line, and what it means."""

    text: str
    style: Style = ""


Line = tuple[Span, ...]


def render_paragraph(
    text: str, width: int, *, style: Style = "", first: str = "", rest: str = "", only_first: bool = False
) -> list[Line]:
    """Return the text wrapped; ``only_first`` styles its first line alone."""
    wrapped = wrap(text, width, first=first, rest=rest)
    return [(Span(line, style if i == 0 or not only_first else ""),) for i, line in enumerate(wrapped)]


def plain(lines: Iterable[Line]) -> str:
    """Return the text alone, each line ended, nothing at the ends of lines."""
    return "".join("".join(span.text for span in line).rstrip() + "\n" for line in lines)


def in_colour(stream: TextIO) -> bool:
    """Whether a stream is a terminal on which the user has not refused colours (https://no-color.org)."""
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb" and stream.isatty()


def write(lines: Sequence[Line], stream: TextIO, *, colour: bool | None = None) -> None:
    """Write lines to a stream, in colour or without.

    They are in colour where ``colour`` says so, or where it is left open and the stream can show it.
    """
    if not (in_colour(stream) if colour is None else colour):
        stream.write(plain(lines))
        return
    from click import style

    for line in lines:
        parts = (style(span.text, **_COLOURS[span.style]) if span.style else span.text for span in line)
        stream.write("".join(parts).rstrip() + "\n")


_STYLES: Final[dict[Style, str]] = {
    "": "",
    "good": "color: #1a7f37; font-weight: bold",
    "bad": "color: #cf222e; font-weight: bold",
    "open": "color: #9a6700; font-weight: bold",
    "heading": "font-weight: bold",
    "dim": "opacity: 0.65",
}


def html(lines: Sequence[Line]) -> str:
    """Return the lines as one ``pre`` of HTML; everything that a label could hold is escaped."""
    rows = ("".join(_format_span(span.text, span.style) for span in line) for line in lines)
    return '<pre style="line-height: 1.35; white-space: pre">' + "\n".join(rows) + "</pre>"


def _format_span(text: str, style: Style) -> str:
    from html import escape

    text_of = escape(text)
    return f'<span style="{_STYLES[style]}">{text_of}</span>' if style else text_of
