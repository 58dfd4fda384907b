"""Lines of text whose parts have a meaning, which a terminal may show as colours."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Final, Literal, TextIO

import msgspec

Style = Literal["", "good", "bad", "open", "heading", "dim"]

_COLOURS: Final[dict[Style, str]] = {
    "": "",
    "good": "bold green",
    "bad": "bold red",
    "open": "bold yellow",
    "heading": "bold",
    "dim": "dim",
}


class Span(msgspec.Struct, frozen=True):
    """A piece of a line, and what it means."""

    text: str
    style: Style = ""


Line = tuple[Span, ...]


def plain(lines: Iterable[Line]) -> str:
    """The text alone, each line ended, nothing at the ends of lines."""
    return "".join("".join(span.text for span in line).rstrip() + "\n" for line in lines)


def in_colour(stream: TextIO) -> bool:
    """Whether a stream is a terminal on which the user has not refused colours (https://no-color.org)."""
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb" and stream.isatty()


def write(lines: Sequence[Line], stream: TextIO, *, colour: bool | None = None) -> None:
    """Write lines to a stream, in colour where ``colour`` says so, or where it is left open and the stream
    can show it.
    """
    if not (in_colour(stream) if colour is None else colour):
        stream.write(plain(lines))
        return
    from rich.console import Console
    from rich.text import Text

    console = Console(file=stream, force_terminal=True, highlight=False, soft_wrap=True)
    for line in lines:
        console.print(Text.assemble(*((span.text, _COLOURS[span.style]) for span in line)))
