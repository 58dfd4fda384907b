"""Sampling distribution of a mean under sign flips; exact for symmetric data with any tails."""

from __future__ import annotations

import math
from functools import lru_cache

import msgspec
import numpy as np
from msgspec.structs import replace

from steelyard.core.arrays import Floats
from steelyard.results.interval import Interval
from steelyard.results.undefined import LARGEST_LOG
from steelyard.stats.distributions.convolved import Convolved
from steelyard.stats.distributions.order_statistics import ends, two_sided
from steelyard.stats.distributions.student import (
    AS_NORMAL,
    detectable,
    detectable_beyond,
    t_quantile,
    two_sided_p,
)
from steelyard.stats.hypothesis.sign_flip import subset_means
from steelyard.stats.hypothesis.sign_flip_critical import sign_flip_critical


class SignFlips(msgspec.Struct, frozen=True, eq=False):
    """A mean of log ratios that are symmetric about it.

    So few patterns of signs say nothing of levels below their share; there t has its word too, and the more
    careful of both counts.

    Attributes
    ----------
    log, se, nu : float
        Estimate, standard error and degrees of freedom: those of t.
    differences : array of double
        The log ratios, 1 to 64.
    seed : int
        Draws the patterns where there are too many of them, and ties keep them from being counted.
    error, error_nu : float
        Standard uncertainty of a normal error that the estimate has besides, and its degrees of freedom: t
        takes the place of the normal distribution where these are finite. Both are in ``se`` and ``nu`` too.
    """

    log: float
    se: float
    nu: float
    differences: Floats
    seed: int
    error: float = 0.0
    error_nu: float = math.inf

    @property
    def means(self) -> Floats:
        """Ascending means of subsets of the log ratios."""
        return _subset_means(self.differences.tobytes(), self.seed)

    @property
    def least_p(self) -> float:
        """The smallest level that the patterns reach."""
        return 2 / (self.means.size + 1)

    def p_of(self, ratio: float) -> float:
        """Twice the share of the subsets whose means lie beyond the logarithm of ``ratio``."""
        at = math.log(ratio)
        p = two_sided(self.means, at)
        if self.error:
            p = max(p, self._blur().two_sided(at))
        if p > self.least_p:
            return min(1.0, p)
        return min(self.least_p, two_sided_p((at - self.log) / self.se, self.nu))

    def interval(self, alpha: float) -> Interval | None:
        """Interval from the k-th mean of a subset to the k-th from above.

        Below ``least_p`` it is at least that of t.
        """
        within_reach = max(alpha, self.least_p)
        interval = ends(self.means, within_reach)
        if interval is None:
            return None
        low, high = interval.low, interval.high
        if self.error:
            blurred = self._blur().ends(within_reach)
            low, high = min(low, blurred.low), max(high, blurred.high)
        if alpha < self.least_p:
            half = t_quantile(self.nu, alpha) * self.se
            low, high = min(low, self.log - half), max(high, self.log + half)
        if low < -LARGEST_LOG or high > LARGEST_LOG:
            return None
        return Interval(math.exp(low), math.exp(high))

    def add_error(self, u: float, u_nu: float, nu: float) -> SignFlips:
        """Return the same of an estimate that also has a normal error of standard uncertainty ``u``.

        The error is known with ``u_nu`` degrees of freedom; ``nu`` are those of both together. The means of
        subsets are blurred by it; where the differences are normal, that adds the squares of both distances
        from the estimate.
        """
        return replace(self, se=math.hypot(self.se, u), nu=nu, error=u, error_nu=u_nu)

    def detectable(self, alpha: float, power: float) -> float:
        """Return the true log ratio that normal differences show at ``alpha`` with ``power``.

        The differences have this spread; where the estimate has an error besides, squares add.
        """
        n = self.differences.size
        effect = detectable_beyond(sign_flip_critical(n, alpha), n - 1, power)
        if not self.error:
            return effect * self.se
        of_error = detectable(min(self.error_nu, AS_NORMAL), alpha, power) * self.error
        return math.hypot(effect * float(self.differences.std(ddof=1)) / math.sqrt(n), of_error)

    def _blur(self) -> Convolved:
        return Convolved(self.means, self.error, self.error_nu)


@lru_cache(maxsize=64)
def _subset_means(differences: bytes, seed: int) -> Floats:
    """Means of subsets, which p and interval of an estimate ask for, and again its family.

    They take 128 KiB each, so that those of a thousand would fill the memory.
    """
    return subset_means(np.frombuffer(differences), seed)
