"""How many units a question needs. Differences are logarithms of ratios, in standard deviations ``s``."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

from steelyard.stats.planning.power import equivalence_power, t_power
from steelyard.stats.student import t_quantile

MOST: Final = 10_000_000
"""Units that nobody runs; more are ``None``."""


def n_paired(effect: float, alpha: float = 0.05, power: float = 0.8) -> int | None:
    """Blocks (or contexts) for a one-sample t test over differences; ``effect`` over their ``s``."""
    return _smallest(lambda n: t_power(effect * math.sqrt(n), n - 1, alpha) >= power)


def n_welch(effect: float, alpha: float = 0.05, power: float = 0.8) -> int | None:
    """Runs of each of two treatments that nothing pairs; ``effect`` over the ``s`` of each."""
    return _smallest(lambda n: t_power(effect * math.sqrt(n / 2), 2 * n - 2, alpha) >= power)


def n_tost(margin: float, alpha: float = 0.05, power: float = 0.9, *, shift: float = 0.0) -> int | None:
    """Pairs for two one-sided t tests at ``alpha`` each; ``margin`` and the true ``shift`` over ``s``."""
    if abs(shift) >= margin:
        return None
    return _smallest(
        lambda n: equivalence_power(margin * math.sqrt(n), n - 1, alpha, shift=shift * math.sqrt(n)) >= power
    )


def n_precise(rel_halfwidth: float, s: float, alpha: float = 0.05) -> int | None:
    """Blocks after which an interval with this ``s`` of log ratios has the relative half-width wanted."""
    wanted = math.asinh(rel_halfwidth)
    return _smallest(lambda n: t_quantile(n - 1, alpha) * s / math.sqrt(n) <= wanted)


def _smallest(enough: Callable[[int], bool]) -> int | None:
    """The smallest number from 2 on that is enough; what is enough stays so for more."""
    low, high = 1, 2
    while not enough(high):
        low, high = high, 2 * high
        if high > MOST:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
