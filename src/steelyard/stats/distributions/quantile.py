"""A quantile of a distribution by order statistics: exact for every continuous one, careful for others."""

from __future__ import annotations

import math

import msgspec
import numpy as np

from steelyard.core.arrays import Floats
from steelyard.core.special import binomial_cdf, binomial_order
from steelyard.results.interval import Interval


class Quantile(msgspec.Struct, frozen=True, eq=False):
    """The value that a fraction ``of`` of independent values does not exceed.

    Attributes
    ----------
    ascending : array of double
        At least one.
    """

    ascending: Floats
    level: float

    @property
    def n(self) -> int:
        """Number of values."""
        return int(self.ascending.size)

    @property
    def value(self) -> float:
        """Type 7 of Hyndman and Fan (1996), DOI 10.1080/00031305.1996.10473566."""
        at = (self.n - 1) * self.level
        below = math.floor(at)
        low, high = float(self.ascending[below]), float(self.ascending[min(below + 1, self.n - 1)])
        # From the nearer end, as numpy.quantile does, which takes 60 µs to choose among its methods.
        share = at - below
        return low + (high - low) * share if share < 0.5 else high - (high - low) * (1 - share)

    def interval(self, alpha: float = 0.05) -> Interval | None:
        """Return the interval of the quantile (Thompson 1936, DOI 10.1214/aoms/1177732502).

        It goes from the largest order statistic below which the quantile lies with a probability of at most
        ``alpha`` / 2 to the smallest above which it does; ``None`` where there are too few values for either.
        """
        low = self._below(alpha / 2, self.level)
        high = self._below(alpha / 2, 1 - self.level)
        if not low or not high:
            return None
        return Interval(float(self.ascending[low - 1]), float(self.ascending[-high]))

    def p_of(self, bound: float) -> float:
        """Two-sided p of the hypothesis that the quantile is ``bound``.

        It is at most alpha exactly where the bound lies outside of the order statistics of that level.
        """
        up_to = int(np.searchsorted(self.ascending, bound, side="right"))
        from_on = self.n - int(np.searchsorted(self.ascending, bound, side="left"))
        few_below = binomial_cdf(up_to, self.n, self.level)
        few_above = binomial_cdf(from_on, self.n, 1 - self.level)
        return min(1.0, 2 * min(few_below, few_above))

    def _below(self, tail: float, quantile: float) -> int:
        """Return the largest j with P(Bin(n, of) <= j - 1) <= ``tail``; 0 without one."""
        return int(binomial_order(tail, self.n, quantile))
