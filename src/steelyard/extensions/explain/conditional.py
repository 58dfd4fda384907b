"""An interval given that an estimate was large enough to be named.

What is named only where it looks large is too large on average. The interval is that of a t location family
cut off at the critical value, and ends at 0, since the test has shown the sign. Weinstein, Fithian and
Benjamini 2013 (DOI 10.1080/01621459.2012.737740), with t in place of the normal distribution.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from steelyard.core.special import student_cdf
from steelyard.results.interval import Interval

LEVEL: Final = 0.03
"""Of the interval. Small standard errors are named more often than large ones, which is not in the formula:
with 12 blocks that costs 2 points of coverage, and is paid here (``tests/extensions/explain``)."""
_STEPS: Final = 80
"""Halvings: far below the digits that are shown."""
_REACH: Final = 40.0
"""Standard errors within which both ends lie."""


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
    high = _solve(upper, 1 - alpha / 2, 0.0, x + _REACH)
    return Interval(low * se, high * se) if estimate > 0 else Interval(-high * se, -low * se)


def _solve(function: Callable[[float], float], value: float, low: float, high: float) -> float:
    for _ in range(_STEPS):
        middle = (low + high) / 2
        if function(middle) < value:
            low = middle
        else:
            high = middle
    return (low + high) / 2
