"""Sampling distribution of a median by the sign test.

It is exact for every distribution, and for values known by bounds only.
"""

from __future__ import annotations

import math

import msgspec
import numpy as np

from steelyard.core.arrays import Floats
from steelyard.core.special import binomial_cdf, binomial_order, binomial_probability, normal_quantile
from steelyard.results.interval import Interval


class SignTest(msgspec.Struct, frozen=True, eq=False):
    """The median of n log ratios, each of which lies between two bounds; equal bounds where it is known.

    Attributes
    ----------
    lows, highs : array of double
        Ascending, each for itself; infinite where a bound is missing.
    """

    lows: Floats
    highs: Floats

    @property
    def one_sided(self) -> bool:
        """Whether the median is only known to be as far from 1 as it says, or farther."""
        middle = self.lows.size // 2
        ends = float(self.lows[self.lows.size - 1 - middle]), float(self.highs[middle])
        return any(map(math.isinf, ends))

    def p_of(self, ratio: float) -> float:
        """2 P(Bin(n, 1/2) <= the smaller number of log ratios that may lie on one side), at most 1.

        Values equal to the hypothesis count on both sides, and so do those that may lie on either.
        """
        at = math.log(ratio)
        below = int(np.searchsorted(self.lows, at, side="right"))
        above = self.highs.size - int(np.searchsorted(self.highs, at, side="left"))
        return min(1.0, 2 * binomial_cdf(min(below, above), self.lows.size, 0.5))

    def interval(self, alpha: float) -> Interval | None:
        """Return the interval of the median (Thompson 1936, DOI 10.1214/aoms/1177732502).

        It goes from the k-th lower bound to the k-th upper bound from above, with the largest k for which 2
        P(Bin(n, 1/2) < k) is at most ``alpha``.
        """
        k = order_of(self.lows.size, alpha)
        if k < 1:
            return None
        low, high = float(self.lows[k - 1]), float(self.highs[-k])
        try:
            return Interval(math.exp(low), math.exp(high)) if math.exp(low) > 0 else None
        except (OverflowError, ValueError):
            return None

    def detectable(self, alpha: float, power: float) -> float | None:
        """Return the true log ratio that normal log ratios with this spread show at ``alpha`` with ``power``.

        ``None`` where no log ratio could. Their spread is told from the 95 % interval, of which the ends are
        about where Blom (1958) has the k-th of n normal values: Phi^-1((k - 3/8) / (n + 1/4)).
        """
        n = self.lows.size
        interval, effect = self.interval(0.05), signs_detectable(n, alpha, power)
        if interval is None or effect is None:
            return None
        half = math.log(interval.high / interval.low) / 2
        return effect * half / -normal_quantile((order_of(n, 0.05) - 0.375) / (n + 0.25))


def signs_detectable(n: int, alpha: float, power: float) -> float | None:
    """Return the true median of normal values that the sign test shows at ``alpha`` with ``power``.

    It is in their standard deviations, of ``n`` of them: P(Bin(n, Phi(-d)) < k) = ``power``. ``None`` where n
    equal signs do not reject.
    """
    k = order_of(n, alpha)
    return -normal_quantile(binomial_probability(k - 1, n, power)) if k else None


def order_of(n: int, alpha: float) -> int:
    """Rank, counted from either end, at which the interval of the median begins; 0: unbounded."""
    return min(n // 2, int(binomial_order(alpha / 2, n, 0.5)))
