"""The distribution of a mean of skewed values: Student's t after Hall's transformation.

The t of a mean of n values of skewness g is itself skewed, by -2 g / sqrt(n). With a = g / sqrt(n),
f(t) = t + a t^2 / 3 + a^2 t^3 / 27 + a / 6 is not, up to terms of order 1/n, and it is monotone, so that
intervals exist at any level (Hall 1992, J. R. Statist. Soc. B 54, 221).
"""

from __future__ import annotations

import math

import msgspec

from steelyard.results.interval import Interval
from steelyard.results.undefined import LARGEST_LOG
from steelyard.stats.distributions.student import t_quantile, two_sided_p


class SkewedT(msgspec.Struct, frozen=True):
    """The logarithm of a ratio that is a mean of skewed values.

    Attributes
    ----------
    se, nu : float
        Standard error, and its degrees of freedom.
    a : float
        Skewness of the values over the root of their number; not 0.
    """

    log: float
    se: float
    nu: float
    a: float

    def p_of(self, ratio: float) -> float:
        """Two-sided p of the hypothesis that the ratio is ``ratio``, above 0."""
        t = (self.log - math.log(ratio)) / self.se
        return two_sided_p(transform(t, self.a), self.nu)

    def interval(self, alpha: float) -> Interval | None:
        """Interval of the ratio; ``None`` where it leaves the range of double."""
        reach = t_quantile(self.nu, alpha)
        low, high = (self.log - self.se * invert(value, self.a) for value in (reach, -reach))
        if low < -LARGEST_LOG or high > LARGEST_LOG:
            return None
        return Interval(math.exp(low), math.exp(high))


def transform(t: float, a: float) -> float:
    """f(t); t itself where ``a`` is 0."""
    return ((1 + a * t / 3) ** 3 - 1) / a + a / 6 if a else t


def invert(f: float, a: float) -> float:
    """Return the t with f(t) = ``f``."""
    return 3 / a * (math.cbrt(1 + a * (f - a / 6)) - 1) if a else f
