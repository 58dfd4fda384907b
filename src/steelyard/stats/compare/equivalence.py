"""Equivalence by two one-sided tests: the claim is "inside these bounds", and it needs evidence.

A difference that is not significant shows nothing of the kind. Schuirmann 1987, DOI 10.1007/BF01068419.
"""

from __future__ import annotations

import math

import msgspec

from steelyard.core.arrays import Floats
from steelyard.results.interval import Interval
from steelyard.stats.describe.dependence import Allowance
from steelyard.stats.distributions.student import t_quantile
from steelyard.stats.hypothesis.t_tests import t_p
from steelyard.stats.rounding import constant


class Equivalence(msgspec.Struct, frozen=True):
    """Two one-sided t tests of one estimate.

    Attributes
    ----------
    p_low, p_high : float
        Of the hypotheses that the truth is at most the lower bound; at least the upper one.
    least : float
        Without spread: the smaller p that so many units can show; see ``equivalence``.
    """

    estimate: float
    se: float
    nu: float
    p_low: float
    p_high: float
    least: float = 0.0

    @property
    def p(self) -> float:
        """The larger one: both hypotheses must fall."""
        return max(self.p_low, self.p_high)

    def interval(self, alpha: float = 0.05) -> Interval | None:
        """Interval at level 1 - 2 ``alpha``: it lies inside the bounds exactly when p < ``alpha``.

        ``None`` where so few equal units have none.
        """
        if self.se == 0 and self.least >= alpha:
            return None
        half = t_quantile(self.nu, 2 * alpha) * self.se
        return Interval(self.estimate - half, self.estimate + half)


def equivalence(
    estimate: float, se: float, nu: float, bounds: Interval, *, least: float = 1.0
) -> Equivalence:
    """Equivalence of any estimate with a standard error.

    Without one, units that are equal claim what their number can: p is ``least`` for a bound that they lie
    inside of, and 1 for one that they do not.
    """
    if se > 0:
        p_low = t_p((estimate - bounds.low) / se, nu, "greater")
        p_high = t_p((estimate - bounds.high) / se, nu, "less")
    else:
        p_low = least if estimate > bounds.low else 1.0
        p_high = least if estimate < bounds.high else 1.0
    return Equivalence(estimate, se, nu, p_low, p_high, least)


def equivalence_paired(
    differences: Floats, bounds: Interval, allowed: Allowance | None = None
) -> Equivalence:
    """Equivalence for the mean of paired differences, two at least; of equal ones by their signs, 2^-n.

    ``allowed`` is what correlated neighbours do to its standard error, nothing by default.

    Raises
    ------
    ValueError
        There are fewer than two differences.
    """
    n = differences.size
    if n < 2:
        raise ValueError(f"two differences are needed at least, got {n}")
    se = 0.0 if constant(differences) else float(differences.std(ddof=1)) / math.sqrt(n)
    factor, nu = (1.0, n - 1.0) if allowed is None else (allowed.factor, allowed.nu)
    return equivalence(float(differences.mean()), factor * se, nu, bounds, least=2.0**-n)
