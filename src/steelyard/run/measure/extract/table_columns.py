"""Configurations in a table that a program prints: columns of whole numbers that differ from line to line.

HPL, for example, prints a line for each block size; values of several sizes are no iterations of one. A line
is one of a table where a line above has as many words, none of them a number: its header. Lines that a column
numbers are iterations, and so are those whose whole numbers repeat unequally often, as counts do.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Final

import msgspec

_WHOLE: Final = re.compile(r"[0-9]+")
_NUMBER: Final = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?%?")
_WIDE: Final = re.compile(r"\s{2,}|\t")
"""Between titles of several words."""
_NAME: Final = re.compile(r"[^A-Za-z0-9_]+")


MOST_LINES: Final = 10_000
"""Lines of a table; more are iterations."""


class Match(msgspec.Struct, frozen=True):
    """Where a pattern matched: the number, and the text."""

    start: int
    end: int


def find_configurations(text: str, numbers: Sequence[Match]) -> Sequence[Mapping[str, int]]:
    """Find the configuration of each number, by the titles of the columns in which these differ.

    Parameters
    ----------
    numbers : sequence of Match
        Places of the numbers in the text, one a line.

    Returns
    -------
    list of Mapping
        As many as numbers; empty where the numbers are no column of one table, or the lines only count.
    """
    nothing: Sequence[Mapping[str, int]] = [{} for _ in numbers]
    if not 2 <= len(numbers) <= MOST_LINES or not _are_apart(text, numbers):
        return nothing
    lines = [_get_line(text, number.start) for number in numbers]
    rows = [text[start:end].split() for start, end in lines]
    columns = {
        len(text[start : number.start].split()) for (start, _), number in zip(lines, numbers, strict=True)
    }
    header = _find_header(text[: lines[0][0]], len(rows[0]))
    if len({len(row) for row in rows}) > 1 or len(columns) > 1 or not header:
        return nothing
    varying = [
        place
        for place in range(len(header))
        if place not in columns
        and all(_WHOLE.fullmatch(row[place]) for row in rows)
        and len({row[place] for row in rows}) > 1
    ]
    names = [_NAME.sub("_", header[place]).strip("_") for place in varying]
    levels = [tuple(int(row[place]) for place in varying) for row in rows]
    if (
        not all(names)
        or len(set(names)) < len(names)
        or any(map(_counts, zip(*levels, strict=True)))
        or len(set(Counter(levels).values())) > 1
    ):
        return nothing
    return [dict(zip(names, of_row, strict=True)) for of_row in levels]


def _are_apart(text: str, numbers: Sequence[Match]) -> bool:
    """Whether each number has a line of its own; stops at the first without, since a line may be long."""
    return all(text.find("\n", before.end, after.start) >= 0 for before, after in pairwise(numbers))


def _get_line(text: str, place: int) -> tuple[int, int]:
    """Return begin and end of the line that a place is in."""
    end = text.find("\n", place)
    return text.rfind("\n", 0, place) + 1, len(text) if end < 0 else end


def _find_header(above: str, width: int) -> list[str]:
    """Return the titles of a table: of the lines above, the last of as many words, and no number."""
    for line in reversed(above.splitlines()):
        title = line.lstrip("# ").rstrip()
        for words in (title.split(), _WIDE.split(title)):
            if len(words) == width and not any(_NUMBER.fullmatch(word) for word in words):
                return words
    return []


def _counts(column: Sequence[int]) -> bool:
    """Whether a column numbers the lines."""
    return list(column) in (list(range(len(column))), list(range(1, len(column) + 1)))
