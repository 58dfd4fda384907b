"""Laws that are known by draws: of the ratio itself, or of its studentised estimate."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from steelyard.stats.contrast import Floats
from steelyard.stats.interval import Interval
from steelyard.stats.undefined import LARGEST_LOG


@dataclass(frozen=True, slots=True, eq=False)
class Drawn:
    """Ratios as they may be, by the Monte Carlo method of GUM Supplement 1 (JCGM 101:2008).

    Attributes
    ----------
    ratios : array of double
        Ascending. Those of 0 and below keep an interval from existing at the levels that reach them.
    """

    ratios: Floats

    def p_of(self, ratio: float) -> float:
        """Twice the smaller share of draws beyond ``ratio``, itself counted."""
        unbounded = 2 * (_up_to(self.ratios, 0.0) + 1) / (self.ratios.size + 1)
        return min(1.0, max(unbounded, _two_sided(self.ratios, ratio)))

    def interval(self, alpha: float) -> Interval | None:
        """The k-th draw from either end, k = floor(alpha / 2 (M + 1))."""
        ends = _ends(self.ratios, alpha)
        return ends if ends is not None and ends.low > 0 else None


@dataclass(frozen=True, slots=True, eq=False)
class Studentised:
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
        """Where the studentised distance from ``ratio`` lies among the resampled ones; no smaller than the
        share of those on one side that are infinite, or as good as that.
        """
        lowest, highest = (self.log - LARGEST_LOG) / self.se, (self.log + LARGEST_LOG) / self.se
        infinite = max(int(np.searchsorted(self.t, lowest)), self.t.size - _up_to(self.t, highest))
        distance = (self.log - math.log(ratio)) / self.se
        return min(1.0, max(2 * (infinite + 1) / (self.t.size + 1), _two_sided(self.t, distance)))

    def interval(self, alpha: float) -> Interval | None:
        """S exp(-t*_(upper) se) to S exp(-t*_(lower) se)."""
        ends = _ends(self.t, alpha)
        if ends is None:
            return None
        low, high = self.log - ends.high * self.se, self.log - ends.low * self.se
        if low < -LARGEST_LOG or high > LARGEST_LOG:
            return None
        return Interval(math.exp(low), math.exp(high))


def _two_sided(ascending: Floats, at: float) -> float:
    below = _up_to(ascending, at)
    above = ascending.size - int(np.searchsorted(ascending, at, side="left"))
    return 2 * (min(below, above) + 1) / (ascending.size + 1)


def _up_to(ascending: Floats, at: float) -> int:
    return int(np.searchsorted(ascending, at, side="right"))


def _ends(ascending: Floats, alpha: float) -> Interval | None:
    # The little that is added keeps a level that p values reach, 2 k / (M + 1), from being rounded below k.
    k = math.floor(alpha / 2 * (ascending.size + 1) * (1 + 1e-12))
    if k < 1:
        return None
    low, high = float(ascending[k - 1]), float(ascending[-k])
    return Interval(low, high) if math.isfinite(low) and math.isfinite(high) else None
