"""Fieller's method: the ratios that a t test of "numerator minus ratio times denominator" does not reject."""

from __future__ import annotations

import math

import msgspec

from steelyard.results.interval import Interval
from steelyard.stats.distributions.student import t_quantile, two_sided_p


class Fieller(msgspec.Struct, frozen=True):
    """Fieller 1954, J. R. Statist. Soc. B 16, 175-185.

    Attributes
    ----------
    value : float
        The ratio of the two means.
    r_top, r_bottom, r_both : float
        Relative standard uncertainties of the means, and their relative covariance (0 unpaired).
    nu : float
        Degrees of freedom.
    """

    value: float
    r_top: float
    r_bottom: float
    r_both: float
    nu: float

    def g(self, alpha: float = 0.05) -> float:
        """(t r_bottom)^2: the interval is bounded only below 1, where the denominator is told from 0."""
        return (t_quantile(self.nu, alpha) * self.r_bottom) ** 2

    def p_of(self, ratio: float) -> float:
        """Return p, no smaller than that of a mean of 0.

        Below that level no interval is bounded and positive.
        """
        rho = ratio / self.value
        # Over the larger of 1 and rho, so that squares stay in range.
        scale = max(1.0, rho)
        value, second = 1 / scale, rho / scale
        u = math.sqrt(
            max(
                0.0,
                (value * self.r_top) ** 2 - 2 * value * second * self.r_both + (second * self.r_bottom) ** 2,
            )
        )
        if u == 0:
            return 1.0 if rho == 1 else 0.0
        zero = two_sided_p(1 / max(self.r_top, self.r_bottom), self.nu)
        return max(zero, two_sided_p((value - second) / u, self.nu))

    def interval(self, alpha: float) -> Interval | None:
        """Roots of (1 - rho)^2 = t^2 (r_top^2 - 2 rho r_both + rho^2 r_bottom^2), times the ratio."""
        t2 = t_quantile(self.nu, alpha) ** 2
        top, bottom, both = self.r_top**2, self.r_bottom**2, self.r_both
        a, b = 1 - t2 * bottom, 1 - t2 * both
        if a <= 0:
            return None
        # b^2 - a c, in a form that does not cancel where little is uncertain.
        root = math.sqrt(max(0.0, t2 * (top + bottom - 2 * both) + t2 * t2 * (both * both - top * bottom)))
        low, high = self.value * (b - root) / a, self.value * (b + root) / a
        return Interval(low, high) if low > 0 and math.isfinite(high) else None
