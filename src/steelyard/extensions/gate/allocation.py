"""``choose_next``: the benchmarks that a limited time is spent on."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import msgspec

OPTIMISM: Final = 2.0
"""Times the time that is left, up to which estimates count as affordable: estimates of few blocks vary."""


class BenchmarkOutlook(msgspec.Struct, frozen=True):
    """What is expected of a benchmark that is open.

    Attributes
    ----------
    needed_s : float or None
        Seconds that it probably takes to be decided; ``None`` where no number is enough.
    seems_slower : bool
        Whether its change so far is beyond the margin.
    is_waiting : bool
        Whether it has no look yet, since time was too short for all at first; it needs those blocks at least.
    """

    needed_s: float | None
    seems_slower: bool = False
    is_waiting: bool = False

    @property
    def rank(self) -> tuple[bool, bool, float]:
        """Low for what runs first."""
        needed_s = math.inf if self.needed_s is None else self.needed_s
        return (not self.seems_slower, not self.is_waiting, needed_s)


def choose_next(outlooks: Sequence[BenchmarkOutlook], left_s: float) -> list[bool]:
    """Whether each benchmark runs until the next look, where ``left_s`` seconds of the budget are left.

    What seems slower runs, for a gate is there to find it; then what waits for its first look, of which
    nothing is known; then what is decided soonest, as much as there is time for, and one at least. Time for
    the rest would leave all of them open.
    """
    chosen = [False] * len(outlooks)
    total_s = 0.0
    for place in sorted(range(len(outlooks)), key=lambda place: outlooks[place].rank):
        has_precedence, cost_s = outlooks[place].seems_slower, outlooks[place].rank[-1]
        if any(chosen) and total_s + cost_s > OPTIMISM * left_s and not has_precedence:
            break
        chosen[place] = True
        total_s += cost_s
    return chosen
