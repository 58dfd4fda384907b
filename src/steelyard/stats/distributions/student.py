"""Student's t: quantiles, p values, intervals and the difference that a test can show."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Final

import msgspec
import numpy as np
import numpy.typing as npt

from steelyard.core.special import chi2_quantile, normal_cdf, student_cdf, student_quantile
from steelyard.results.interval import Interval
from steelyard.results.undefined import LARGEST_LOG

AS_NORMAL: Final = 1e6
"""Degrees of freedom with which t is the normal distribution to six digits."""


@lru_cache(maxsize=4096)
def t_quantile(nu: float, alpha: float) -> float:
    """Return the two-sided critical value: P(|t| > result) = ``alpha`` with ``nu`` degrees of freedom."""
    # The lower tail is asked for, since 1 - alpha/2 loses the digits of a small alpha.
    return -student_quantile(nu, alpha / 2)


def two_sided_p(t: float, nu: float) -> float:
    """P(|T| >= |t|) for Student's t with ``nu`` degrees of freedom."""
    return min(1.0, 2 * student_cdf(nu, -abs(t)))


class LogT(msgspec.Struct, frozen=True):
    """The logarithm of a ratio, over its standard error distributed as t.

    Attributes
    ----------
    se, nu : float
        Standard error, and its degrees of freedom.
    least_p : float
        No hypothesis has a smaller p, and no interval a level below it.
    """

    log: float
    se: float
    nu: float
    least_p: float = 0.0

    def p_of(self, ratio: float) -> float:
        """Two-sided p of the hypothesis that the ratio is ``ratio``, above 0."""
        return max(self.least_p, two_sided_p((self.log - math.log(ratio)) / self.se, self.nu))

    def interval(self, alpha: float) -> Interval | None:
        """Interval of the ratio; ``None`` below the least level, and where it leaves the range of double."""
        half = t_quantile(self.nu, alpha) * self.se
        if alpha < self.least_p or abs(self.log) + half > LARGEST_LOG:
            return None
        return Interval(math.exp(self.log - half), math.exp(self.log + half))


def two_sided_normal_p(z: float) -> float:
    """P(|Z| >= |z|) for a standard normal Z."""
    return math.erfc(abs(z) / math.sqrt(2))


def detectable(nu: float, alpha: float, power: float = 0.8) -> float:
    """Return the true difference that a two-sided t test at ``alpha`` shows with ``power``.

    It is in standard errors.
    """
    return detectable_beyond(t_quantile(nu, alpha), nu, power)


@lru_cache(maxsize=4096)
def detectable_beyond(critical: float, nu: float, power: float = 0.8) -> float:
    """Return the true difference, in standard errors, for which |t| exceeds ``critical`` with ``power``.

    The non-centrality c with P(T' > critical) = ``power``; the tail on the wrong side, below 1e-6 for a power
    of 0.8, is left out. P(T' > t) = E[Phi(c - t w)] with w^2 ~ chi^2_nu / nu is integrated over the quantiles
    of w with 64 Gauss-Legendre nodes: relative error below 1e-5 from two degrees of freedom on.
    """
    nodes, weights = unit_rule()
    scaled = critical * np.sqrt(chi2_quantile(nu, nodes) / nu)
    low, high = 0.0, float(scaled[-1]) + 10
    for _ in range(60):
        middle = (low + high) / 2
        if float(weights @ normal_cdf(middle - scaled)) < power:
            low = middle
        else:
            high = middle
    return (low + high) / 2


@lru_cache(maxsize=1)
def unit_rule() -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """64 Gauss-Legendre nodes and weights for the interval from 0 to 1."""
    nodes, weights = np.polynomial.legendre.leggauss(64)
    return (nodes + 1) / 2, weights / 2
