"""Fractions for those who name no generators, by minimum aberration.

Of the fractions with this many axes and treatments, it is one of the highest resolution, and among these one
with the fewest words of the shortest length, then of the next (Fries and Hunter 1980, Technometrics 22,
601-608, DOI 10.1080/00401706.1980.10486210).

Found by a beam search over sets of generators; tests hold the small ones against all sets there are, larger
ones against published tables.
"""

from __future__ import annotations

from typing import Final

from steelyard.core.factorial.fraction import Fraction, Generator
from steelyard.core.factorial.words import LETTERS

MOST_AXES: Final = 16

_GENERATORS: Final[dict[int, tuple[str, ...]]] = {
    4: ("AB",),
    8: (
        "ABC",
        "AB AC",
        "AB AC BC",
        "ABC AB AC BC",
    ),
    16: (
        "ABCD",
        "ABC ABD",
        "ABC ABD ACD",
        "ABC ABD ACD BCD",
        "ABC ABD ACD BCD AB",
        "ABC ABD ACD BCD AB AC",
        "ABC ABD ACD BCD AB AC AD",
        "ABCD ABC ABD ACD BCD AB AC AD",
        "ABC ABD ACD AB AC BC AD BD CD",
        "ABC ABD ACD BCD AB AC BC AD BD CD",
        "ABCD ABC ABD ACD BCD AB AC BC AD BD CD",
    ),
    32: (
        "ABCDE",
        "ABCD ABE",
        "ABCD ABE ACE",
        "ABCD ABE ACE ADE",
        "ABCE ABDE ACD BCD CDE",
        "ABC ABD ACD ABE ACE ADE",
        "ABC ABD ACD BCD ABE ACE ADE",
        "ABC ABD ACD BCD ABE ACE BCE ADE",
        "ABC ABD ACD BCD ABE ACE BCE ADE BDE",
        "ABC ABD ACD BCD ABE ACE BCE ADE BDE CDE",
        "ABCDE ABC ABD ACD BCD ABE ACE BCE ADE BDE CDE",
    ),
    64: (
        "ABCDEF",
        "ABCD ABEF",
        "ABCD ABCE ADEF",
        "ABDE ACDF ABC DEF",
        "ABDE BCDE ACDF ABC DEF",
        "ACDEF BCDE BCDF ABEF ABC ABD",
        "ACDE BCDE BCDF ADEF ABC ABD CEF",
        "ABCDEF ACDE ABC ABD ABE ACF ADF BEF",
        "ABCDEF ACDE ACDF ACEF ADEF ABC ABD ABE ABF",
        "ACEF BCEF CDEF ABC ABD ACD ABE ADE ABF ADF",
    ),
    128: (
        "ABCDEFG",
        "ABCDE ABCFG",
        "ABCD ABEF ACEG",
        "ABCD ABEF ACEG BDFG",
        "ABDEF ACDEG BDFG CEFG ABC",
        "BCDEG ACDE ABDF BCFG ABC EFG",
        "BCDEG ACDE ABDF ABEF BCFG DEFG ABC",
        "ABCDEF BCDEFG ABEFG ACDE ABDF ABDG ACFG ABC",
        "ABCEFG ACDEG CDEFG ACDF ABDG ABFG ABC ADE BEF",
    ),
}
"""Treatments to generators of the axes after the basic ones, for one generator, for two, and so on."""


def sizes(axes: int) -> tuple[int, ...]:
    """Numbers of treatments for which there is a fraction of so many axes, ascending."""
    return tuple(n for n in _GENERATORS if 0 < axes - _basic(n) <= len(_GENERATORS[n]))


def minimum_aberration(axes: int, treatments: int) -> Fraction:
    """Return the fraction of ``axes`` axes with so many treatments.

    Raises
    ------
    KeyError
        No such fraction: ``sizes`` lists those that exist.
    """
    if treatments not in sizes(axes):
        raise KeyError((axes, treatments))
    basic = _basic(treatments)
    words = _GENERATORS[treatments][axes - basic - 1].split()
    return Fraction(
        axes,
        tuple(
            Generator(basic + i, sum(1 << LETTERS.index(letter) for letter in word))
            for i, word in enumerate(words)
        ),
    )


def smallest(axes: int, resolution: int) -> Fraction | None:
    """Return the smallest fraction of at least this resolution; ``None`` where only all combinations do."""
    for treatments in sizes(axes):
        fraction = minimum_aberration(axes, treatments)
        if fraction.resolution is not None and fraction.resolution >= resolution:
            return fraction
    return None


def _basic(treatments: int) -> int:
    return treatments.bit_length() - 1
