"""``PlannedTest``: the test of a comparison that has not been made yet.

It is made at looks or after a fixed number of blocks; here is what shows at it, and the units that it needs.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import takewhile
from typing import Final

import msgspec

from steelyard.core.look_schedule import looks_from
from steelyard.results.unit import Judge, Unit
from steelyard.stats.distributions.sign_test import signs_detectable
from steelyard.stats.planning.criticals import compute_pair_criticals, compute_run_criticals
from steelyard.stats.planning.over_looks import blocks_decided
from steelyard.stats.planning.power import POWER, detectable_shift
from steelyard.stats.planning.sample_size import (
    n_paired,
    n_signs,
    n_tost,
    n_welch,
    paired_power,
    power_without_likeness,
    signs_power,
    tost_power,
)
from steelyard.stats.sequential.looks import Looks

MOST_BLOCKS: Final = 1_000_000
"""Largest number of blocks that a design may have."""


class PlannedTest(msgspec.Struct, frozen=True):
    """A test of independent units. Differences are logarithms of ratios, in standard deviations of a unit.

    Attributes
    ----------
    level : float
        Two-sided; over all looks.
    first : int or None
        Blocks at the first look of a rule that asks for verdicts; ``None`` where there is one look.
    passes : int
        Blocks that a unit takes.
    """

    unit: Unit
    judge: Judge
    level: float
    first: int | None = None
    passes: int = 1

    @property
    def in_time(self) -> bool:
        """Whether units follow each other, so that likeness of neighbours is allowed for."""
        return self.unit in ("block", "run")

    @property
    def flipped(self) -> bool:
        """Whether signs of 7 to 64 units are flipped."""
        return self.judge == "sign-flip"

    def level_after(self, units: int) -> float:
        """Level at the only look, or at the first."""
        if self.first is None:
            return self.level
        return Looks((max(3, units * self.passes),)).level(self.level)

    def detectable(self, units: int) -> float | None:
        """Return the smallest difference that shows at that look; ``None`` where none does."""
        level = self.level_after(units)
        if self.unit == "run":
            return detectable_shift(
                2 * units - 2, compute_run_criticals(units, level, in_time=True)
            ) * math.sqrt(2 / units)
        if self.judge != "sign":
            criticals = compute_pair_criticals(units, level, flipped=self.flipped, in_time=self.in_time)
            return detectable_shift(units - 1, criticals) / math.sqrt(units)
        effect = signs_detectable(units, level, POWER)
        for _ in range(2 if self.in_time else 0):
            if effect is not None:
                alone = power_without_likeness(effect, units, level, POWER)
                effect = signs_detectable(units, level, alone)
        return effect

    def units_needed(self, effect: float) -> int | None:
        """Units that show this difference."""
        if self.unit == "run":
            return n_welch(effect, self.level, in_time=True)
        if self.judge == "sign":
            if self.first is not None:
                return self._decide(lambda n, at: signs_power(effect, n, at, in_time=self.in_time), POWER)
            return n_signs(effect, self.level, in_time=self.in_time)
        options = {"flipped": self.flipped, "in_time": self.in_time}
        if self.first is not None:
            return self._decide(lambda n, at: paired_power(effect, n, at, **options), POWER)
        return n_paired(effect, self.level, **options)

    def equivalent(
        self, margin: float, power: float, *, shift: float = 0.0, one_sided: bool = False
    ) -> int | None:
        """Return the units that show equivalence within ``margin``, where ``shift`` is the true difference.

        By an interval at 1 - level: two one-sided tests at half of it each; at all of it each where
        ``one_sided``.
        """
        if self.judge == "sign":
            # Each end may lie outside as often as both together may; hardly ever do both.
            if self.first is not None:
                return self._decide(
                    lambda n, at: 2 * signs_power(margin, n, at, in_time=self.in_time) - 1, power
                )
            return n_signs(margin, self.level, (1 + power) / 2, in_time=self.in_time)
        options = {"flipped": self.flipped, "in_time": self.in_time}
        share = 1.0 if one_sided else 0.5
        if self.first is not None:
            return self._decide(
                lambda n, at: tost_power(margin, n, share * at, shift=shift, **options), power
            )
        return n_tost(margin, share * self.level, power, shift=shift, **options)

    def _decide(self, power_of_units: Callable[[int, float], float], power: float) -> int | None:
        looks = takewhile(lambda look: look <= MOST_BLOCKS, looks_from(self.first or 0, self.passes))
        count = blocks_decided(
            lambda blocks, at: power_of_units(blocks // self.passes, at), self.level, looks, power
        )
        return None if count is None else count // self.passes
