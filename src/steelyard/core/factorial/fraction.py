"""``Fraction``: a regular fraction of the combinations of two-step axes, and which effects it confounds.

A generator says that the sign of one axis is the product of the signs of others. All products of generators
are the defining relation; two effects whose product is in it are one and the same contrast of the treatments
that are run (Box and Hunter 1961, Technometrics 3, 311-351, DOI 10.1080/00401706.1961.10489951).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import msgspec

from steelyard.core.factorial.words import Word, axes_of, order, sign


class Generator(msgspec.Struct, frozen=True):
    """The sign of ``axis`` is ``sign`` times the product of the signs of ``word``."""

    axis: int
    word: Word
    sign: int = 1


class Alias(msgspec.Struct, frozen=True):
    """An effect that hides in a contrast, and the sign with which it does."""

    word: Word
    sign: int


class Fraction(msgspec.Struct, frozen=True, dict=True):
    """``axes`` axes, of which each generator fixes one. Without generators it is all combinations.

    Raises
    ------
    ValueError
        An axis is fixed twice, or by one that is itself fixed.
    """

    axes: int
    generators: tuple[Generator, ...] = ()

    def __post_init__(self) -> None:
        fixed = [generator.axis for generator in self.generators]
        if len(set(fixed)) < len(fixed):
            raise ValueError("two generators fix one axis")
        if any(generator.word >> axis & 1 for generator in self.generators for axis in fixed):
            raise ValueError("a generator rests on an axis that is fixed itself")

    @cached_property
    def basic(self) -> tuple[int, ...]:
        """The axes that no generator fixes, ascending."""
        fixed = {generator.axis for generator in self.generators}
        return tuple(axis for axis in range(self.axes) if axis not in fixed)

    @property
    def treatments(self) -> int:
        """Number of combinations that it runs."""
        return 1 << len(self.basic)

    def rows(self) -> Iterator[Word]:
        """Each combination as the set of axes at their second step.

        Combinations are in the order of Yates over the basic axes: the first of them changes fastest.
        """
        for index in range(self.treatments):
            high = self.spread(index)
            yield high | sum(
                1 << generator.axis
                for generator in self.generators
                if generator.sign * sign(generator.word, high) > 0
            )

    def spread(self, index: int) -> Word:
        """Return the effect of basic axes that stands at this place (from 0) in the order of Yates."""
        return sum(1 << axis for j, axis in enumerate(self.basic) if index >> j & 1)

    @cached_property
    def defining(self) -> tuple[Alias, ...]:
        """The defining relation: every product of generators, the identity first."""
        aliases = [Alias(0, 1)]
        for generator in self.generators:
            word = generator.word | 1 << generator.axis
            aliases += [Alias(alias.word ^ word, alias.sign * generator.sign) for alias in aliases]
        return tuple(aliases)

    @property
    def resolution(self) -> int | None:
        """The length of the shortest word of the defining relation; ``None`` where nothing is confounded."""
        return min((order(alias.word) for alias in self.defining[1:]), default=None)

    def aliases(self, word: Word) -> tuple[Alias, ...]:
        """Every effect that shares the contrast of ``word``, itself with sign 1 included.

        Those of the fewest axes come first.
        """
        aliases = [Alias(relation.word ^ word, relation.sign) for relation in self.defining]
        return tuple(sorted(aliases, key=lambda alias: (order(alias.word), tuple(axes_of(alias.word)))))

    def contrasts(self) -> Iterator[tuple[Alias, ...]]:
        """Effects in each contrast that can be estimated, in the order of Yates over the basic axes.

        Signs are those in the contrast of the basic word.
        """
        return (self.aliases(self.spread(index)) for index in range(1, self.treatments))
