"""Names as they can be printed: safe, measured in columns of a terminal, and shortened in the middle."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from steelyard.core.units import Scalar

_BIDI: Final = frozenset(
    "\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff"
)
_STAYS: Final = re.compile(r"[%×].*|[nµmkMGT]?(s|B|/s)\W*")
"""A word that belongs to the number before it, on the same line."""


def printable(text: str) -> str:
    """Return the text with characters that a terminal would obey written as escapes.

    They would move the cursor, change colours or reorder a line.

    Labels come from command lines and specs; a terminal would obey what they contain.
    """
    if text.isprintable() and not any(char in _BIDI for char in text):
        return text
    return "".join(char if char.isprintable() and char not in _BIDI else _escape(char) for char in text)


def _escape(char: str) -> str:
    short = {"\n": "\\n", "\t": "\\t", "\r": "\\r"}.get(char)
    return short or (f"\\x{ord(char):02x}" if ord(char) < 256 else f"\\u{ord(char):04x}")


def format_level_text(level: Scalar) -> str:
    """Return a level as it is written in a spec, without quotes; the empty text as ''."""
    if isinstance(level, bool):
        return "true" if level else "false"
    return printable(str(level)) or "''"


def named_levels(levels: Mapping[str, Scalar]) -> str:
    """Levels with their names, as a sentence has them: ``n = 1000, op = bcast``."""
    return ", ".join(f"{printable(name)} = {format_level_text(level)}" for name, level in levels.items())


FIRST_COMBINING: Final = "\u0300"
"""Of all characters before, such as that of µs, each takes one column."""


def columns(text: str) -> int:
    """Columns of a terminal that the text takes: two for wide characters, none for combining ones."""
    if text.isascii() or max(text) < FIRST_COMBINING:
        return len(text)
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text
    )


def shorten(text: str, width: int) -> str:
    """Shorten to at most ``width`` columns, with an ellipsis in the middle.

    The ends of paths and options tell them apart.
    """
    if columns(text) <= width:
        return text
    if width < 2:
        return "…"[:width]
    tail = (width - 1) // 2
    end = _cut(text[::-1], tail)[::-1]
    return _cut(text, width - 1 - columns(end)) + "…" + end


def shorten_all(texts: Sequence[str], width: int) -> dict[str, str]:
    """Each text at most ``width`` columns.

    Of labels of factors the levels that not all share are kept; of other texts, words that all begin or end
    with are left out first; where that is not enough and letters in the middle are not either, since two
    would be equal, what tells them apart is kept, and around it as much of what they share as there is room
    for.
    """
    distinct = list(dict.fromkeys(texts))
    if all(columns(text) <= width for text in distinct):
        return {text: text for text in distinct}
    if (levels := _get_levels_apart(distinct, width)) is not None:
        return levels
    if (apart := _get_words_apart(distinct, width)) is not None:
        return apart
    short = {text: shorten(text, width) for text in distinct}
    if len(set(short.values())) == len(distinct):
        return short
    head = _find_shared(distinct)
    tail = _find_shared([text[head:][::-1] for text in distinct])
    room = width - max(columns(text[head : len(text) - tail]) for text in distinct)
    start, right = _split_room(head, tail, room)
    return {
        text: shorten(
            "…" * (start < head) + text[head - start : len(text) - tail + right] + "…" * (right < tail),
            width,
        )
        for text in distinct
    }


def _get_levels_apart(distinct: Sequence[str], width: int) -> dict[str, str] | None:
    """Return the levels that not all share, of labels such as ``opt=O2, n=1000``.

    They come with the names of their factors, or with those of numbers only, as there is room; ``None`` for
    other texts, or where neither fits.
    """
    split = [[tuple(piece.partition("=")[::2]) for piece in text.split(", ")] for text in distinct]
    names = [name for name, _ in split[0]]
    alike = all([name for name, _ in pieces] == names for pieces in split)
    if (
        len(distinct) < 2
        or len(names) < 2
        or not alike
        or any(text.count("=") < len(names) for text in distinct)
    ):
        return None
    numbers = [i for i in range(len(names)) if len({pieces[i] for pieces in split}) > 1]
    for bare in (_NONE, _WORD):
        short = {
            text: ", ".join(
                pieces[i][1] if bare.fullmatch(pieces[i][1]) else "=".join(pieces[i]) for i in numbers
            )
            for text, pieces in zip(distinct, split, strict=True)
        }
        if len(set(short.values())) == len(distinct) and max(map(columns, short.values())) <= width:
            return short
    return None


_NONE: Final = re.compile(r"(?!)")
_WORD: Final = re.compile(r"(?!(true|false|[-+.\d]+(e[-+\d]+)?)$).*")
"""Levels that are told without the name of their factor."""


def _get_words_apart(distinct: Sequence[str], width: int) -> dict[str, str] | None:
    """Return the words that not all share, with as many of the shared ones as there is room for.

    ``…`` stands for the others. ``None`` where the texts have no words in common, or this is too long.
    """
    split = [text.split(" ") for text in distinct]
    head, tail = _count_shared_words(split)
    if len(distinct) < 2 or not head + tail:
        return None
    for length in range(head + tail, -1, -1):
        right = min(tail, max(length - head, (length + 1) // 2))
        count = length - right
        short = {}
        for text, words in zip(distinct, split, strict=True):
            texts = words[head - count : len(words) - tail + right]
            short[text] = " ".join(["…"] * (count < head) + texts + ["…"] * (right < tail))
        if count <= head and max(map(columns, short.values())) <= width:
            return short
    bare = {
        text: " ".join(words[head : len(words) - tail]) for text, words in zip(distinct, split, strict=True)
    }
    return bare if all(0 < columns(text) <= width for text in bare.values()) else None


def shorten_apart(texts: Sequence[str], width: int, most: int) -> dict[str, str]:
    """Shorten as ``shorten_all`` does.

    Where that leaves two of them equal, use as many columns more as tell them apart, up to ``most``.
    """
    count = len(set(texts))
    # In eight steps: of thousands of treatments, each takes a while.
    for room in (*range(width, most, max(1, (most - width) // 8)), most):
        short = shorten_all(texts, room)
        if len(set(short.values())) == count:
            return short
    return shorten_all(texts, width)


class Shared(msgspec.Struct, frozen=True):
    """Labels without what all of them say.

    Attributes
    ----------
    labels : Mapping[str, str]
        Of each text its label.
    shared : str
        What was left out; empty where that is nothing.
    """

    labels: Mapping[str, str]
    shared: str = ""


_LEAST_SHARED: Final = 4
"""Letters for which saying them once is worth a sentence."""


def elide_shared(texts: Sequence[str]) -> Shared:
    """Leave out what all texts share: levels, words at both ends, or the folder of a path.

    An option keeps its name before a value that differs.
    """
    distinct = list(dict.fromkeys(texts))
    for elide in (_elide_levels, _elide_words, _elide_folders):
        if len(distinct) < 2:
            break
        elided = elide(distinct)
        if (
            elided is not None
            and len(elided.shared.replace("…", "").strip()) >= _LEAST_SHARED
            and all(elided.labels.values())
            and len({*elided.labels.values()}) == len(distinct)
        ):
            return elided
    return Shared({text: text for text in distinct})


def _elide_levels(distinct: Sequence[str]) -> Shared | None:
    split = [text.split(", ") for text in distinct]
    if len(split[0]) < 2 or any(len(pieces) != len(split[0]) for pieces in split):
        return None
    if any(" " in piece or piece.startswith("(") for pieces in split for piece in pieces):
        return None  # a sentence about two lists of levels
    alike = [len({pieces[i] for pieces in split}) == 1 for i in range(len(split[0]))]
    # Only levels: of a list of words, the rest would not be a sentence.
    shared = [piece for piece, common in zip(split[0], alike, strict=True) if common]
    if not shared or any("=" not in piece for piece in shared):
        return None
    return Shared(
        {
            text: ", ".join(piece for piece, common in zip(pieces, alike, strict=True) if not common)
            for text, pieces in zip(distinct, split, strict=True)
        },
        ", ".join(shared),
    )


def _elide_words(distinct: Sequence[str]) -> Shared | None:
    split = [text.split(" ") for text in distinct]
    head, tail = _count_shared_words(split)
    while head and split[0][head - 1].startswith("-"):
        head -= 1
    # Half of a list of levels would be another list.
    if head and split[0][head - 1].endswith(","):
        head = 0
    if tail and any(words[len(words) - tail - 1].endswith(",") for words in split):
        tail = 0
    if not head + tail or any(len(words) <= head + tail for words in split):
        return None
    first = split[0]
    labels = [" ".join(words[head : len(words) - tail]).strip() for words in split]
    if all(label.startswith("(") and label.endswith(")") for label in labels):
        labels = [label[1:-1] for label in labels]
    shared = " ".join(filter(None, [*first[:head], "…", *first[len(first) - tail :]]))
    return Shared(dict(zip(distinct, labels, strict=True)), shared)


def _elide_folders(distinct: Sequence[str]) -> Shared | None:
    if any(" " in text for text in distinct):
        return None
    head = min(distinct)[: _find_shared(distinct)].rfind("/") + 1
    return Shared({text: text[head:] for text in distinct}, f"{distinct[0][:head]}…") if head else None


def _count_shared_words(split: Sequence[Sequence[str]]) -> tuple[int, int]:
    """Words that all begin with, and words that all end with."""
    least = min(map(len, split))
    head = next((i for i in range(least) if len({words[i] for words in split}) > 1), least)
    tail = next((i for i in range(least - head) if len({words[-1 - i] for words in split}) > 1), least - head)
    return head, tail


def _split_room(head: int, tail: int, room: int) -> tuple[int, int]:
    """Characters of the shared beginning and end that fit into ``room`` beside the ellipses, half each."""
    for length in range(head + tail, 0, -1):
        right = min(tail, max(length - head, (length + 1) // 2))
        count = length - right
        if count <= head and length + (count < head) + (right < tail) <= room:
            return count, right
    return 0, 0


def _find_shared(texts: Sequence[str]) -> int:
    """Characters that all texts begin with."""
    least, most = min(texts), max(texts)
    return next(
        (i for i, (a, b) in enumerate(zip(least, most, strict=False)) if a != b), min(len(least), len(most))
    )


def _cut(text: str, width: int) -> str:
    count = 0
    for i, char in enumerate(text):
        count += columns(char)
        if count > width:
            return text[:i]
    return text


def pad(text: str, width: int, *, right: bool = False) -> str:
    """Fill with blanks to ``width`` columns; ``right`` puts the text at the right end."""
    blanks = " " * max(0, width - columns(text))
    return blanks + text if right else text + blanks


def wrap(text: str, width: int, *, first: str = "", rest: str = "") -> list[str]:
    """Lines of at most ``width`` columns.

    Numbers keep their unit, and words that are too long keep a line to themselves.
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


def plural(n: int, noun: str) -> str:
    """``1 run``, ``1,200 runs``."""
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"


def join_names(names: Sequence[str], most: int = 4) -> str:
    """Join texts as ``a, b and c``.

    Beyond ``most``: ``a, b, c and 7 more``; semicolons stand between names that hold commas.
    """
    between, last = ("; ", "; and ") if any(", " in name for name in names) else (", ", " and ")
    if len(names) > most:
        return between.join(names[: most - 1]) + f"{last}{len(names) - most + 1} more"
    return last.join(filter(None, [between.join(names[:-1]), *names[-1:]]))
