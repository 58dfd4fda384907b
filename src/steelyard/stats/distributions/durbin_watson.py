"""Autocorrelation r1 of independent normal values, which resemble their neighbours by chance alone.

r1 of deviations d = M x is d'Ad / d'd, with 1/2 beside the diagonal of A. Its mean is tr MA / (n - 1), its
variance follows from tr (MA)^2, and a beta distribution on -1 to 1 with both is within 0.005 of it from seven
values on (Durbin and Watson 1971, DOI 10.1093/biomet/58.1.1). It does not depend on mean and s.
"""

from __future__ import annotations

from functools import lru_cache

import msgspec

from steelyard.core.special import beta_cdf, beta_quantile


class _Beta(msgspec.Struct, frozen=True):
    """Parameters of (1 + r1) / 2."""

    a: float
    b: float


def chance_of_likeness(r1: float, n: int) -> float:
    """Return the probability that n >= 3 independent values have an autocorrelation above ``r1``."""
    beta = _make_law(n)
    return beta_cdf(beta.b, beta.a, min(1.0, max(0.0, (1 - r1) / 2)))


def likeness_by_chance(probability: float, n: int) -> float:
    """Return the inverse: the r1 that so many of n independent values exceed."""
    beta = _make_law(n)
    return 1 - 2 * beta_quantile(beta.b, beta.a, probability)


@lru_cache(maxsize=1024)
def _make_law(n: int) -> _Beta:
    trace = -(n - 1) / n
    squared = (n - 1) / 2 - 2 * (n - 1.5) / n + trace**2
    mean = trace / (n - 1)
    variance = (trace**2 + 2 * squared) / (n * n - 1) - mean**2
    both = (1 - mean**2) / variance - 1
    return _Beta(both * (1 + mean) / 2, both * (1 - mean) / 2)
