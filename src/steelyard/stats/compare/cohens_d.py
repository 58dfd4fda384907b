"""Cohen's standardised difference: how many standard deviations apart, with its non-central t interval."""

from __future__ import annotations

import math

import msgspec
import numpy as np

from steelyard.core.arrays import Floats
from steelyard.core.special import chi2_quantile, normal_cdf
from steelyard.results.comparison import Standardised
from steelyard.results.interval import Interval
from steelyard.stats.distributions.student import unit_rule


class NoncentralT(msgspec.Struct, frozen=True):
    """The distribution of a standardised difference.

    Attributes
    ----------
    t : float
        Statistic that the difference belongs to.
    scale : float
        t over the value: sqrt(n) for n differences, sqrt(m n / (m + n)) for two samples.
    nu : float
        Degrees of freedom of the standard deviation.
    """

    t: float
    scale: float
    nu: float

    def interval(self, alpha: float) -> Interval:
        """All true values under which the observed one is in neither tail (Steiger and Fouladi 1997)."""
        return Interval(
            noncentrality(self.t, self.nu, 1 - alpha / 2) / self.scale,
            noncentrality(self.t, self.nu, alpha / 2) / self.scale,
        )


def _standardise(value: float, scale: float, nu: float) -> Standardised:
    return Standardised(value, NoncentralT(value * scale, scale, nu))


def noncentrality(t: float, nu: float, share: float) -> float:
    """Return the c for which a non-central t is at most ``t`` with this probability.

    The t has ``nu`` degrees of freedom.

    P(T <= t) = E[Phi(t w - c)], w^2 ~ chi^2_nu / nu, by 64 Gauss-Legendre nodes over the quantiles of w.
    """
    nodes, weights = unit_rule()
    scaled = t * np.sqrt(chi2_quantile(nu, nodes) / nu)
    low, high = float(scaled.min()) - 10, float(scaled.max()) + 10
    for _ in range(60):
        middle = (low + high) / 2
        if float(weights @ normal_cdf(scaled - middle)) > share:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def standardise_differences(differences: Floats) -> Standardised | None:
    """Mean over standard deviation of paired differences; ``None`` without spread."""
    n = differences.size
    s = float(differences.std(ddof=1)) if n > 1 else 0.0
    return _standardise(float(differences.mean()) / s, math.sqrt(n), n - 1) if s > 0 else None


def standardise_two(first: Floats, second: Floats) -> Standardised | None:
    """Second minus first, over the pooled standard deviation; ``None`` without spread."""
    m, n = first.size, second.size
    if min(m, n) < 2:
        return None
    nu = m + n - 2
    pooled = math.sqrt(((m - 1) * float(first.var(ddof=1)) + (n - 1) * float(second.var(ddof=1))) / nu)
    if pooled == 0:
        return None
    difference = float(second.mean()) - float(first.mean())
    return _standardise(difference / pooled, math.sqrt(m * n / (m + n)), nu)
