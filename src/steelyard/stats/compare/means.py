"""``Means``: two arithmetic means as numerator and denominator of a speedup, with their uncertainties."""

from __future__ import annotations

import math
from functools import lru_cache

import msgspec
import numpy as np

from steelyard.core.arrays import Floats
from steelyard.stats.compare.contrast import Contrast, Units
from steelyard.stats.distributions.student import two_sided_p
from steelyard.stats.rounding import ROUNDING, largest, steady
from steelyard.stats.uncertainty.propagation import effective_freedom


class Means(msgspec.Struct, frozen=True, eq=False):
    """Units of both, turned so that the ratio is above 1 where the new treatment is better.

    Attributes
    ----------
    top, bottom : array of double
        Over their means, so that squares stay in range: old over new where lower is better.
    top_mean, bottom_mean : float
        In the unit of the metric.
    paired : bool
        Whether the k-th value of both is of the same unit.
    rounding : float
        The spread that differences of both can have without a cause.
    """

    top: Floats
    bottom: Floats
    top_mean: float
    bottom_mean: float
    paired: bool
    rounding: float

    @property
    def value(self) -> float:
        """Eq. 7 of DOI 10.1145/2851553.2851573."""
        return self.top_mean / self.bottom_mean

    @property
    def r_top(self) -> float:
        """Relative standard uncertainty of the numerator, u / mean."""
        return _sem(self.top)

    @property
    def r_bottom(self) -> float:
        """Relative standard uncertainty of the denominator."""
        return _sem(self.bottom)

    @property
    def r_both(self) -> float:
        """Relative covariance of the means (also over n, as that of means is); 0 unpaired."""
        if not self.paired:
            return 0.0
        n = self.top.size
        return float((self.top - 1) @ (self.bottom - 1)) / (n * (n - 1))

    @property
    def p_of_zero(self) -> float:
        """Two-sided p of the hypothesis that either mean is 0; above alpha where g of Fieller is above 1."""
        return max(
            two_sided_p(1 / r, values.size - 1) if r else 0.0
            for r, values in ((self.r_top, self.top), (self.r_bottom, self.bottom))
        )

    @property
    def effects(self) -> Floats:
        """What each unit adds to the relative deviation of the ratio, a_k / mean_a - b_k / mean_b.

        Only paired contrasts have it.
        """
        if not self.paired:
            raise ValueError("launches of a sequential order belong to no pair")
        return steady(self.top - self.bottom, self.rounding)

    @property
    def u_relative(self) -> float:
        """Eq. 6 over S: sqrt(r_a^2 + r_b^2 - 2 r_ab), paired without the cancellation."""
        return _sem(self.effects) if self.paired else math.hypot(self.r_top, self.r_bottom)

    @property
    def nu(self) -> float:
        """Degrees of freedom of ``u_relative``: n - 1 paired, Welch-Satterthwaite unpaired (GUM G.4)."""
        sizes = self.top.size - 1.0, self.bottom.size - 1.0
        if self.paired:
            return sizes[0]
        return effective_freedom((self.r_top, self.r_bottom), sizes) or sum(sizes)


@lru_cache(maxsize=1)
def means_of(contrast: Contrast) -> Means | None:
    """Return both means, or ``None`` where their ratio cannot be estimated.

    It cannot where either mean is not positive, the ratio is out of range, or there are fewer than two units.
    """
    if min(contrast.old.raws.size, contrast.new.raws.size) < 2:
        return None
    top, bottom = _divide_by_mean(contrast.old), _divide_by_mean(contrast.new)
    if contrast.sign < 0:
        top, bottom = bottom, top
    if top is None or bottom is None:
        return None
    if not (math.isfinite(top.mean / bottom.mean) and top.mean / bottom.mean > 0):
        return None
    rounding = ROUNDING * max(1.0, top.largest, bottom.largest)
    return Means(top.values, bottom.values, top.mean, bottom.mean, contrast.paired, rounding)


class _OverMean(msgspec.Struct, frozen=True, eq=False):
    """Values of units over their mean."""

    values: Floats
    mean: float
    largest: float


@lru_cache(maxsize=2)
def _divide_by_mean(units: Units) -> _OverMean | None:
    """Divide by the mean; ``None`` where it is not positive.

    The baseline of a family is asked for again and again.
    """
    mean = _mean(units.raws)
    if not mean > 0:
        return None
    values = units.raws / mean
    return _OverMean(values, mean, largest(values))


def _mean(values: Floats) -> float:
    """Mean; of equal values exactly that value, which a sum may miss by rounding; without overflow."""
    largest = float(np.abs(values).max())
    if largest == 0 or np.ptp(values) == 0:
        return float(values[0])
    exponent = math.frexp(largest)[1]
    return math.ldexp(float(np.ldexp(values, -exponent).mean()), exponent)


def _sem(values: Floats) -> float:
    return float(values.std(ddof=1)) / math.sqrt(values.size)
