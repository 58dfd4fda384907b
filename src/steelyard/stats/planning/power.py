"""Power of t tests, exactly: the non-central t by quadrature, and of two one-sided ones in the same way."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import numpy as np

from steelyard.core.arrays import Floats
from steelyard.core.special import chi2_cdf, chi2_quantile, normal_cdf
from steelyard.stats.distributions.student import unit_rule
from steelyard.stats.planning.criticals import Criticals

POWER: Final = 0.8
"""Power with which a planned run shows its difference."""


def power_of(shift: float, nu: float, criticals: Criticals) -> float:
    """Return the probability that |t| exceeds what counts, where the truth is ``shift`` standard errors."""
    return sum(
        share * t_power(shift, nu, critical)
        for critical, share in zip(criticals.values, criticals.shares, strict=True)
    )


def t_power(shift: float, nu: float, critical: float) -> float:
    """Return the probability that |t| exceeds ``critical``.

    The true difference is ``shift`` standard errors.

    E[Phi(c - t w) + Phi(-c - t w)] with w^2 ~ chi^2_nu / nu, over the quantiles of w; absolute error below
    1e-10 from three degrees of freedom on.
    """
    nodes, weights = unit_rule()
    weights = 30 * nodes**2 * (1 - nodes) ** 2 * weights
    scaled = critical * _spreads(nu)
    return float(weights @ (normal_cdf(shift - scaled) + normal_cdf(-shift - scaled)))


def equivalence_power_of(margin: float, nu: float, criticals: Criticals, *, shift: float = 0.0) -> float:
    """Return the same of ``equivalence_power``."""
    return sum(
        share * equivalence_power(margin, nu, critical, shift=shift)
        for critical, share in zip(criticals.values, criticals.shares, strict=True)
    )


def equivalence_power(margin: float, nu: float, critical: float, *, shift: float = 0.0) -> float:
    """Return the probability that both one-sided t tests reject.

    That is that an interval of -+ ``critical`` estimated standard errors lies within -+ ``margin``;
    ``margin`` and the true ``shift`` are in standard errors.

    E[max(0, Phi(m - d - t w) - Phi(-m - d + t w))]: beyond w = m / t no interval is narrow enough.
    """
    nodes, weights = unit_rule()
    # The integrand has an edge, at which the quadrature must end.
    edge = _share_below(margin / critical, nu)
    spreads = np.sqrt(chi2_quantile(nu, nodes * edge) / nu)
    inside = normal_cdf(margin - shift - critical * spreads) - normal_cdf(
        -margin - shift + critical * spreads
    )
    return float(edge * (weights @ np.maximum(0.0, inside)))


def _share_below(w: float, nu: float) -> float:
    return chi2_cdf(nu, nu * w * w)


@lru_cache(maxsize=256)
def _spreads(nu: float) -> Floats:
    nodes, _ = unit_rule()
    # Quantiles are steep at both ends; this takes the edge off: an error of 7e-6 becomes one of 1e-11.
    shares = nodes**3 * (10 - 15 * nodes + 6 * nodes**2)
    return np.asarray(np.sqrt(chi2_quantile(nu, shares) / nu), dtype=np.float64)


def detectable_shift(nu: float, criticals: Criticals, power: float = POWER) -> float:
    """Return the true difference, in standard errors, that shows with ``power``."""
    low, high = 0.0, max(criticals.values) + 10
    while power_of(high, nu, criticals) < power:
        low, high = high, 2 * high
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if power_of(middle, nu, criticals) < power else (low, middle)
    return (low + high) / 2
