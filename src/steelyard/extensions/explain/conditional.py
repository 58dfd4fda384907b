"""An interval given that an estimate was large enough to be named.

What is named only where it looks large is too large on average. The end towards 0 is that of a t
location family cut off at the critical value, and not beyond 0, since the test has shown the sign; the
other end is that of t, which being named makes safer. After Weinstein, Fithian and Benjamini 2013
(DOI 10.1080/01621459.2012.737740).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from steelyard.core.special import student_cdf
from steelyard.results.interval import Interval
from steelyard.stats.distributions.student import t_quantile

LEVEL: Final = 0.05
_STEPS: Final = 80
"""Halvings: far below the digits that are shown."""


def conditional_interval(
    estimate: float, se: float, nu: float, critical: float, alpha: float = LEVEL
) -> Interval:
    """Return the interval of a mean given that abs(estimate) >= critical * se.

    Parameters
    ----------
    estimate, se : float
        Of a unit of the caller's; ``se`` above 0.
    nu : float
        Degrees of freedom of ``se``.
    critical : float
        The abs(t) from which it is named.

    Returns
    -------
    Interval
        On the side of 0 where the estimate is.
    """
    x = abs(estimate) / se
    cut = min(critical, x)

    def upper(mean: float) -> float:
        """P(X >= x given abs(X) >= cut), which grows with the mean."""
        beyond = student_cdf(nu, mean - x)
        named = student_cdf(nu, mean - cut) + student_cdf(nu, -cut - mean)
        return beyond / named

    low = 0.0 if upper(0.0) >= alpha / 2 else _solve(upper, alpha / 2, 0.0, x)
    high = x + t_quantile(nu, alpha)
    return Interval(low * se, high * se) if estimate > 0 else Interval(-high * se, -low * se)


def _solve(function: Callable[[float], float], value: float, low: float, high: float) -> float:
    for _ in range(_STEPS):
        middle = (low + high) / 2
        if function(middle) < value:
            low = middle
        else:
            high = middle
    return (low + high) / 2
