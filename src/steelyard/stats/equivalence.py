"""Equivalence by two one-sided tests: the claim is "inside these bounds", and it needs evidence.

A difference that is not significant shows nothing of the kind. Schuirmann 1987, DOI 10.1007/BF01068419.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from steelyard.stats.contrast import Floats
from steelyard.stats.interval import Interval
from steelyard.stats.student import t_quantile
from steelyard.stats.two_samples.means import Moments, student, t_p, welch


@dataclass(frozen=True, slots=True)
class Equivalence:
    """Two one-sided t tests of one estimate.

    Attributes
    ----------
    p_low, p_high : float
        Of the hypotheses that the truth is at most the lower bound; at least the upper one.
    """

    estimate: float
    se: float
    nu: float
    p_low: float
    p_high: float

    @property
    def p(self) -> float:
        """The larger one: both hypotheses must fall."""
        return max(self.p_low, self.p_high)

    def interval(self, alpha: float = 0.05) -> Interval:
        """At level 1 - 2 ``alpha``: it lies inside the bounds exactly when p < ``alpha``."""
        half = t_quantile(self.nu, 2 * alpha) * self.se
        return Interval(self.estimate - half, self.estimate + half)


def equivalence(estimate: float, se: float, nu: float, bounds: Interval) -> Equivalence:
    """Of any estimate with a standard error; without one, p is 0 inside the bounds and 1 elsewhere."""
    if se > 0:
        p_low = t_p((estimate - bounds.low) / se, nu, "greater")
        p_high = t_p((estimate - bounds.high) / se, nu, "less")
    else:
        p_low, p_high = float(estimate <= bounds.low), float(estimate >= bounds.high)
    return Equivalence(estimate, se, nu, p_low, p_high)


def equivalence_paired(differences: Floats, bounds: Interval) -> Equivalence:
    """Of the mean of paired differences, two at least.

    Raises
    ------
    ValueError
        Fewer than two.
    """
    n = differences.size
    if n < 2:
        raise ValueError(f"two differences are needed at least, got {n}")
    return equivalence(
        float(differences.mean()), float(differences.std(ddof=1)) / math.sqrt(n), n - 1, bounds
    )


def equivalence_independent(
    first: Floats, second: Floats, bounds: Interval, *, equal_variances: bool = False
) -> Equivalence:
    """Of mean first minus mean second, two values each at least; Welch unless variances are declared equal.

    Raises
    ------
    ValueError
        Fewer than two values in a sample.
    """
    if min(first.size, second.size) < 2:
        raise ValueError(f"two values of each are needed at least, got {first.size} and {second.size}")
    a, b = Moments.of(first), Moments.of(second)
    between = (student if equal_variances else welch)(a, b)
    if between is None:
        return equivalence(a.mean - b.mean, 0.0, a.n + b.n - 2, bounds)
    return equivalence(between.estimate, between.se, between.nu, bounds)
