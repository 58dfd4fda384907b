"""Order statistics of an estimate convolved with an independent error."""

from __future__ import annotations

import math
from functools import lru_cache

import msgspec
import numpy as np

from steelyard.core.arrays import Floats
from steelyard.core.special import normal_cdf, student_quantile
from steelyard.results.interval import Interval
from steelyard.stats.distributions.order_statistics import order_of


class Convolved(msgspec.Struct, frozen=True, eq=False):
    """The k-th of M values, convolved with the distribution of an error.

    It is the one below which k - 1/2 of the values lie then. Where they are the quantiles of a normal
    distribution, squares add; where they stand in groups, as one far value makes them, the end of a group
    moves as far as the error does.

    Attributes
    ----------
    ascending : array of double
    u, nu : float
        Standard uncertainty of the error, above 0, and its degrees of freedom: infinite for a normal one.
    """

    ascending: Floats
    u: float
    nu: float

    def below(self, at: float) -> float:
        """Return the expected number of values below ``at``, given the error that may move each."""
        x, share = _compute_distribution(self.nu)
        first = int(np.searchsorted(self.ascending, at - self.u * x[-1]))
        last = int(np.searchsorted(self.ascending, at + self.u * x[-1], side="right"))
        near = (at - self.ascending[first:last]) / self.u
        return first + float(np.interp(near, x, share).sum())

    def two_sided(self, at: float) -> float:
        """Twice the smaller share of the values beyond ``at``, itself counted; above 1 near the middle."""
        m, below = self.ascending.size, self.below(at)
        return 2 * (min(math.floor(below + 0.5), math.floor(m - below + 0.5)) + 1) / (m + 1)

    def ends(self, alpha: float) -> Interval:
        """Return the k-th value from either end, as ``ascending.ends``.

        ``alpha`` must be one that they reach.
        """
        m, k = self.ascending.size, order_of(self.ascending.size, alpha)
        return Interval(self._value(k - 0.5), self._value(m - k + 0.5))

    def _value(self, p: float) -> float:
        """Root of ``below(x) = wanted`` by regula falsi with halved ends (Illinois)."""
        unmoved = float(self.ascending[math.floor(p)])
        low, short = self._bracket_beyond(unmoved, p, -self.u)
        high, over = self._bracket_beyond(unmoved, p, self.u)
        fixed, at = "", unmoved
        for _ in range(100):
            if high - low <= 1e-9 * self.u or short == over:
                break
            at = (low * over - high * short) / (over - short)
            excess = self.below(at) - p
            if excess == 0 or not low < at < high:
                break
            # An end that is kept twice counts half, so that it moves too.
            if excess < 0:
                low, short, over, fixed = at, excess, over / 2 if fixed == "high" else over, "high"
            else:
                high, over, short, fixed = at, excess, short / 2 if fixed == "low" else short, "low"
        return at

    def _bracket_beyond(self, unmoved: float, p: float, step: float) -> tuple[float, float]:
        """Return a bound on the side of ``step``, which grows until it is one, and the distance below."""
        at = unmoved + step
        while step * (excess := self.below(at) - p) < 0:
            step *= 4
            at = unmoved + step
        return at, excess


@lru_cache(maxsize=64)
def _compute_distribution(nu: float) -> tuple[Floats, Floats]:
    """Quantiles of t (or of the normal distribution), and the shares below them."""
    z = np.linspace(-5, 5, 2001)
    share = normal_cdf(z)
    if math.isinf(nu):
        return z, share
    # With fewer degrees of freedom the tails leave the range of double, as do the intervals with 0.1 already.
    x = student_quantile(max(nu, 0.1), share[: z.size // 2])
    return np.concatenate((x, [0.0], -x[::-1])), share
