"""Monte Carlo distributions: draws of a ratio, or of its studentised estimate (bootstrap-t)."""

from __future__ import annotations

import math

import msgspec
import numpy as np

from steelyard.core.arrays import Floats
from steelyard.results.interval import Interval
from steelyard.results.undefined import LARGEST_LOG
from steelyard.stats.distributions.order_statistics import ends, two_sided, up_to


class MonteCarlo(msgspec.Struct, frozen=True, eq=False):
    """Ratios as they may be, by the Monte Carlo method of GUM Supplement 1 (JCGM 101:2008).

    Attributes
    ----------
    ratios : array of double
        Ascending. Those of 0 and below keep an interval from existing at the levels that reach them.
    """

    ratios: Floats

    def p_of(self, ratio: float) -> float:
        """Twice the smaller share of draws beyond ``ratio``, itself counted."""
        unbounded = 2 * (up_to(self.ratios, 0.0) + 1) / (self.ratios.size + 1)
        return min(1.0, max(unbounded, two_sided(self.ratios, ratio)))

    def interval(self, alpha: float) -> Interval | None:
        """Return the k-th draw from either end, k = floor(alpha / 2 (M + 1))."""
        interval = ends(self.ratios, alpha)
        return interval if interval is not None and interval.low > 0 else None


class Studentised(msgspec.Struct, frozen=True, eq=False):
    """Bootstrap-t on the logarithm (Efron and Tibshirani 1993, section 12.5).

    Attributes
    ----------
    log, se : float
        Estimate of the log ratio and its standard error.
    t : array of double
        (log* - log) / se* of each resample, ascending; infinite where a resample has no spread.
    """

    log: float
    se: float
    t: Floats

    def p_of(self, ratio: float) -> float:
        """Where the studentised distance from ``ratio`` lies among the resampled ones.

        It is no smaller than the share of those on one side that are infinite, or as good as that.
        """
        lowest, highest = (self.log - LARGEST_LOG) / self.se, (self.log + LARGEST_LOG) / self.se
        infinite = max(int(np.searchsorted(self.t, lowest)), self.t.size - up_to(self.t, highest))
        distance = (self.log - math.log(ratio)) / self.se
        return min(1.0, max(2 * (infinite + 1) / (self.t.size + 1), two_sided(self.t, distance)))

    def interval(self, alpha: float) -> Interval | None:
        """S exp(-t*_(upper) se) to S exp(-t*_(lower) se)."""
        interval = ends(self.t, alpha)
        if interval is None:
            return None
        low, high = self.log - interval.high * self.se, self.log - interval.low * self.se
        if low < -LARGEST_LOG or high > LARGEST_LOG:
            return None
        return Interval(math.exp(low), math.exp(high))
