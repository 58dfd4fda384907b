"""How long the sentences of a page are: what a reader must hold in mind until a full stop."""

from __future__ import annotations

import re
from statistics import median
from typing import Final

import msgspec

LONG: Final = 30
"""Words above which a sentence is long."""
MEDIAN_WORDS: Final = 16
LONG_SHARE: Final = 0.08
"""At most so many words has a sentence in the middle of a page, and at most this share is long."""

_FENCE = re.compile(r"^(`{3,}|~{3,}).*?^\1\s*$", re.MULTILINE | re.DOTALL)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_NOT_PROSE = re.compile(r"^\s*(\||#|:?-{3,}|!\[|\[[^]]*\]:)")
_ITEM = re.compile(r"^\s*([-*+]|\d+\.)\s+")
_LINK = re.compile(r"\[([^]]*)\]\([^)]*\)")
_CODE = re.compile(r"`[^`]*`")
_END = re.compile(r"(?<=[.!?])[\"')*]*\s+")
_WORD = re.compile(r"\w")


class Prose(msgspec.Struct, frozen=True):
    """The sentences of a page.

    Attributes
    ----------
    words : tuple of int
        Of each sentence.
    """

    words: tuple[int, ...]

    @property
    def median(self) -> float:
        """Words of a sentence in the middle; 0 without sentences."""
        return float(median(self.words)) if self.words else 0.0

    @property
    def long_share(self) -> float:
        """Share of sentences of more than ``LONG`` words."""
        return sum(count > LONG for count in self.words) / len(self.words) if self.words else 0.0

    @property
    def is_short(self) -> bool:
        """Whether they are as short as those of a good manual."""
        return self.median <= MEDIAN_WORDS and self.long_share <= LONG_SHARE


def sentences(text: str) -> list[str]:
    """Return the sentences of paragraphs and lists; code, tables and headings have none."""
    text = _COMMENT.sub("", _FENCE.sub("\n", text))
    blocks: list[list[str]] = [[]]
    for line in text.splitlines():
        if not line.strip() or _NOT_PROSE.match(line):
            blocks.append([])
        elif _ITEM.match(line):
            blocks.append([_ITEM.sub("", line)])
        else:
            blocks[-1].append(line.strip())
    joined = (" ".join(block) for block in blocks if block)
    plain = (_CODE.sub("code", _LINK.sub(r"\1", block)) for block in joined)
    return [part for block in plain for part in _END.split(block) if _WORD.search(part)]


def measure(text: str) -> Prose:
    """Count the words of each sentence of a page of Markdown."""
    return Prose(
        tuple(sum(bool(_WORD.search(word)) for word in sentence.split()) for sentence in sentences(text))
    )
