"""Confounding of a layout, in words: which effects share a contrast."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Final

from steelyard.core.factorial.fraction import Alias, Fraction
from steelyard.core.factorial.hadamard import Matrix
from steelyard.core.factorial.layout import Layout
from steelyard.core.factorial.words import name_word, order

_HIGHEST: Final = 2
"""Effects of more axes are named only where nothing smaller is."""
_MOST: Final = 24
"""Sentences before the rest is only counted."""
_NUMERALS: Final = ("none", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X")


def confounding(layout: Layout) -> list[str]:
    """One sentence for each thing that the choice of combinations mixes; empty where all of them are run."""
    if layout.kind == "one-at-a-time":
        names = join_names(layout.names)
        if len(layout.names) < 2:
            return []
        return [f"{names} change one at a time: whether they interact cannot be seen"]
    if layout.screening is not None:
        return _limit(_describe_screening(layout.screening, layout.names))
    fraction = layout.fraction
    return (
        []
        if fraction is None or not fraction.generators
        else _limit(_describe_fraction(fraction, layout.names))
    )


def numeral(resolution: int) -> str:
    """``IV``."""
    return _NUMERALS[resolution] if resolution < len(_NUMERALS) else str(resolution)


def name_confounded(names: Sequence[str], aliases: Sequence[Alias]) -> tuple[str, ...]:
    """Other effects in the contrast of the first alias, with a minus where they have the other sign."""
    return tuple(
        f"{'−' if alias.sign * aliases[0].sign < 0 else ''}{name_word(alias.word, names)}"
        for alias in likely(aliases)[1:]
    )


def likely(aliases: Sequence[Alias]) -> tuple[Alias, ...]:
    """Aliases of main effects and pairs; without any, those of the fewest axes."""
    fewest = order(aliases[0].word)
    return tuple(alias for alias in aliases if order(alias.word) <= max(_HIGHEST, fewest))


def _describe_fraction(fraction: Fraction, names: Sequence[str]) -> Iterator[str]:
    resolution = fraction.resolution or 0
    for aliases in fraction.contrasts():
        small = [name_word(alias.word, names) for alias in aliases if order(alias.word) <= _HIGHEST]
        if len(small) > 1:
            yield _name_aliases(small[0], small[1:], main=order(aliases[0].word) == 1)
    if resolution == 4:
        yield "main effects cannot be told from interactions of three factors (resolution IV)"
    elif resolution > 4:
        yield (
            f"main effects and interactions of two factors can only be mistaken for interactions of"
            f" {resolution - 2} factors or more (resolution {numeral(resolution)})"
        )


def _describe_screening(columns: Matrix, names: Sequence[str]) -> Iterator[str]:
    """Aliases of main effects with pairs, since nothing else is estimated."""
    n = len(columns)
    partly: set[float] = set()
    for axis, name in enumerate(names):
        texts: list[str] = []
        for number, second in itertools.combinations(range(len(names)), 2):
            if axis in (number, second):
                continue
            share = abs(sum(row[axis] * row[number] * row[second] for row in columns)) / n
            if share == 1:
                texts.append(f"{names[number]} × {names[second]}")
            elif share:
                partly.add(share)
        if texts:
            yield _name_aliases(name, texts, main=True)
    if partly:
        shares = join_names(
            [f"1/{round(1 / share)}" if share < 0.5 else f"{share:.2g}" for share in sorted(partly)]
        )
        yield (
            f"each main effect also holds {shares} of the interactions of pairs of other factors:"
            " it is theirs too, where they are large"
        )
    if len(names) > 1:
        yield "interactions are not estimated: Plackett-Burman designs are for main effects"


def _name_aliases(effect: str, aliases: Sequence[str], *, main: bool) -> str:
    if main:
        return f"the effect of {effect} cannot be told from that of {join_names(aliases)}"
    return f"the interaction {effect} cannot be told from {join_names(aliases)}"


def _limit(sentences: Iterator[str]) -> list[str]:
    every = list(sentences)
    count = len(every) - _MOST
    return every if count <= 0 else [*every[:_MOST], f"and {count} more such pairs"]


def join_names(names: Sequence[str]) -> str:
    """Return the texts as ``a, b and c``."""
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]
