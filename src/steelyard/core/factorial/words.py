"""Words: effects as sets of axes.

Bit j stands for axis j, so that 0 is the mean, 1 the first main effect and 3 the interaction of the first
two; ascending, they are in the order of Yates (1937, The design and analysis of factorial experiments,
Imperial Bureau of Soil Science, Technical Communication 35).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

Word = int

LETTERS: Final = "ABCDEFGHJKLMNOPQRSTUVWXYZ"
"""I is left out: it names the identity in what is written of fractions."""


def order(word: Word) -> int:
    """Return the number of axes that take part: 1 for a main effect."""
    return word.bit_count()


def axes_of(word: Word) -> Iterator[int]:
    """Return the axes that take part, ascending."""
    return (j for j in range(word.bit_length()) if word >> j & 1)


def name_word(word: Word, names: Sequence[str], between: str = " × ") -> str:
    """``opt × threads``."""
    return between.join(names[j] for j in axes_of(word))


def letter_word(word: Word) -> str:
    """``AB``; ``I`` for the mean."""
    return name_word(word, LETTERS, "") if word else "I"


def sign(word: Word, high: Word) -> int:
    """Return the sign of an effect in a treatment whose axes in ``high`` are at their second step: 1 or -1.

    The product of the signs of its axes (the sign table; Jain 1991, The Art of Computer Systems Performance
    Analysis, section 17.3).
    """
    return -1 if (word & ~high).bit_count() & 1 else 1
