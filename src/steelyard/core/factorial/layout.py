"""``Layout``: which combinations of steps a design runs."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Literal

import msgspec

from steelyard.core.factorial.axis import Axis
from steelyard.core.factorial.fraction import Fraction, Generator
from steelyard.core.factorial.hadamard import Matrix, hadamard
from steelyard.core.units import Scalar

Kind = Literal["full", "two-level", "fraction", "plackett-burman", "one-at-a-time"]

TWO_STEPS: tuple[Kind, ...] = ("two-level", "fraction", "plackett-burman")
"""Kinds whose axes have two steps, or one."""


class Layout(msgspec.Struct, frozen=True, dict=True):
    """The combinations that are run, before anything is excluded.

    Attributes
    ----------
    axes : tuple of Axis
        In the order of the spec; where the kind wants two steps, only these.
    generators : tuple of Generator
        Of a fraction; they count axes among those that vary.
    base : tuple of int
        The step of each axis from which one at a time departs; empty: the first of each.
    """

    kind: Kind
    axes: tuple[Axis, ...]
    generators: tuple[Generator, ...] = ()
    base: tuple[int, ...] = ()

    @cached_property
    def varying(self) -> tuple[Axis, ...]:
        """The axes with more than one step."""
        return tuple(axis for axis in self.axes if axis.varies)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the axes that vary."""
        return tuple(axis.name for axis in self.varying)

    @cached_property
    def fraction(self) -> Fraction | None:
        """Return the fraction where all axes that vary have two steps.

        Treatments are all of their combinations or a regular fraction of them.
        """
        regular = self.kind in ("full", "two-level", "fraction")
        if not regular or not self.varying or any(len(axis.steps) != 2 for axis in self.varying):
            return None
        return Fraction(len(self.varying), self.generators)

    @cached_property
    def screening(self) -> Matrix | None:
        """The columns of a Plackett-Burman design, one row a treatment, the mean left out.

        ``None`` for other kinds.
        """
        if self.kind != "plackett-burman":
            return None
        k = len(self.varying)
        return tuple(row[1 : k + 1] for row in sorted(hadamard(4 * (k // 4 + 1))))

    @property
    def count(self) -> int:
        """Number of combinations, without listing them."""
        if self.kind == "one-at-a-time":
            return 1 + sum(len(axis.steps) - 1 for axis in self.axes)
        if self.kind == "plackett-burman":
            return 4 * (len(self.varying) // 4 + 1)
        return math.prod(len(axis.steps) for axis in self.axes) >> len(self.generators)

    def combinations(self) -> Iterator[tuple[int, ...]]:
        """Yield the step of each axis, one tuple a treatment.

        The last axis changes fastest, and the base comes first.
        """
        if self.kind == "one-at-a-time":
            yield from self._vary_one_at_a_time()
        elif self.kind == "fraction" and self.fraction is not None:
            highs = self.fraction.rows()
            yield from sorted(
                self._compute_spread([high >> j & 1 for j in range(self.fraction.axes)]) for high in highs
            )
        elif self.screening is not None:
            yield from (self._compute_spread([(value + 1) // 2 for value in row]) for row in self.screening)
        else:
            yield from itertools.product(*(range(len(axis.steps)) for axis in self.axes))

    def cells(self) -> Iterator[dict[str, Scalar]]:
        """Yield the levels of each treatment, in the order of ``combinations``."""
        for steps in self.combinations():
            yield {
                name: level
                for axis, step in zip(self.axes, steps, strict=True)
                for name, level in axis.steps[step].items()
            }

    def steps(self, levels: Mapping[str, Scalar]) -> tuple[int, ...]:
        """Return the step of each axis that varies, for a treatment with these levels.

        Raises
        ------
        ValueError
            The levels are on no step of an axis.
        """
        return tuple(axis.step(levels) for axis in self.varying)

    def _vary_one_at_a_time(self) -> Iterator[tuple[int, ...]]:
        base = self.base or (0,) * len(self.axes)
        yield base
        for place, axis in enumerate(self.axes):
            for step in range(len(axis.steps)):
                if step != base[place]:
                    yield (*base[:place], step, *base[place + 1 :])

    def _compute_spread(self, steps: list[int]) -> tuple[int, ...]:
        """Return the steps of the axes that vary, with 0 for those that do not."""
        step_of = iter(steps)
        return tuple(next(step_of) if axis.varies else 0 for axis in self.axes)
