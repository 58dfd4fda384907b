"""Names as they can be printed: safe, measured in columns of a terminal, and shortened in the middle."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Final

from steelyard.units import Scalar

_BIDI: Final = frozenset(
    "\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff"
)
_STAYS: Final = re.compile(r"[%×].*|[nµmkMGT]?(s|B|/s)\W*")
"""A word that belongs to the number before it, on the same line."""


def printable(text: str) -> str:
    """The text with everything that would move the cursor, change colours or reorder a line written as an
    escape.

    Labels come from command lines and specs; a terminal would obey what they contain.
    """
    if text.isprintable() and not any(char in _BIDI for char in text):
        return text
    return "".join(char if char.isprintable() and char not in _BIDI else _escaped(char) for char in text)


def _escaped(char: str) -> str:
    short = {"\n": "\\n", "\t": "\\t", "\r": "\\r"}.get(char)
    return short or (f"\\x{ord(char):02x}" if ord(char) < 256 else f"\\u{ord(char):04x}")


def level_text(level: Scalar) -> str:
    """A level as it is written in a spec, without quotes; the empty text as ''."""
    if isinstance(level, bool):
        return "true" if level else "false"
    return printable(str(level)) or "''"


def columns(text: str) -> int:
    """Columns of a terminal that the text takes: two for wide characters, none for combining ones."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text
    )


def shorten(text: str, width: int) -> str:
    """At most ``width`` columns, with an ellipsis in the middle: the ends of paths and options tell them
    apart.
    """
    if columns(text) <= width:
        return text
    if width < 2:
        return "…"[:width]
    tail = (width - 1) // 2
    end = _cut(text[::-1], tail)[::-1]
    return _cut(text, width - 1 - columns(end)) + "…" + end


def shorten_all(texts: Sequence[str], width: int) -> dict[str, str]:
    """Each text at most ``width`` columns; where that makes two of them equal, what tells them apart is kept,
    and around it as much of what they share as there is room for.
    """
    distinct = list(dict.fromkeys(texts))
    short = {text: shorten(text, width) for text in distinct}
    if len(set(short.values())) == len(distinct):
        return short
    head = _shared(distinct)
    tail = _shared([text[head:][::-1] for text in distinct])
    room = width - max(columns(text[head : len(text) - tail]) for text in distinct)
    left, right = _kept(head, tail, room)
    return {
        text: shorten(
            "…" * (left < head) + text[head - left : len(text) - tail + right] + "…" * (right < tail),
            width,
        )
        for text in distinct
    }


def shorten_apart(texts: Sequence[str], width: int, most: int) -> dict[str, str]:
    """As ``shorten_all``; where that leaves two of them equal, in as many columns more as tell them apart,
    up to ``most``.
    """
    count = len(set(texts))
    # In eight steps: of thousands of treatments, each takes a while.
    for room in (*range(width, most, max(1, (most - width) // 8)), most):
        short = shorten_all(texts, room)
        if len(set(short.values())) == count:
            return short
    return shorten_all(texts, width)


def _kept(head: int, tail: int, room: int) -> tuple[int, int]:
    """Characters of the shared beginning and end that fit into ``room`` beside the ellipses, half each."""
    for shown in range(head + tail, 0, -1):
        right = min(tail, max(shown - head, (shown + 1) // 2))
        left = shown - right
        if left <= head and shown + (left < head) + (right < tail) <= room:
            return left, right
    return 0, 0


def _shared(texts: Sequence[str]) -> int:
    """Characters that all texts begin with."""
    least, most = min(texts), max(texts)
    return next(
        (i for i, (a, b) in enumerate(zip(least, most, strict=False)) if a != b), min(len(least), len(most))
    )


def _cut(text: str, width: int) -> str:
    taken = 0
    for i, char in enumerate(text):
        taken += columns(char)
        if taken > width:
            return text[:i]
    return text


def pad(text: str, width: int, *, right: bool = False) -> str:
    """Filled with blanks to ``width`` columns; ``right`` puts the text at the right end."""
    blanks = " " * max(0, width - columns(text))
    return blanks + text if right else text + blanks


def wrap(text: str, width: int, *, first: str = "", rest: str = "") -> list[str]:
    """Lines of at most ``width`` columns; numbers keep their unit, and words that are too long keep a line to
    themselves.
    """
    words: list[str] = []
    for word in text.split(" "):
        if words and ((_STAYS.fullmatch(word) and words[-1][-1:].isdigit()) or words[-1].endswith("95 %")):
            words[-1] += " " + word
        else:
            words.append(word)
    lines, line, empty = [], first, True
    for word in words:
        if empty and not word:
            continue
        if not empty and columns(line) + 1 + columns(word) > width:
            lines.append(line.rstrip())
            line, empty = rest, True
        line += word if empty else " " + word
        empty = False
    return [*lines, line]


def counted(n: int, noun: str) -> str:
    """``1 run``, ``1,200 runs``."""
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"


def listed(names: Sequence[str], most: int = 4) -> str:
    """``a, b and c``; beyond ``most``, ``a, b, c and 7 more``; semicolons between names that hold commas."""
    between, last = ("; ", "; and ") if any(", " in name for name in names) else (", ", " and ")
    if len(names) > most:
        return between.join(names[: most - 1]) + f"{last}{len(names) - most + 1} more"
    return last.join(filter(None, [between.join(names[:-1]), *names[-1:]]))
