"""The adjusted speedup of Firoz et al. 2016, Eq. 10, both ways under their own names (DOI
10.1145/2851553.2851573).
"""

from __future__ import annotations

import math

import msgspec

from steelyard.answers.interval import Interval
from steelyard.arrays import Floats
from steelyard.estimand import Uncertainty
from steelyard.stats.compare.contrast import Contrast
from steelyard.stats.compare.means import means_of
from steelyard.stats.distributions.student import t_quantile
from steelyard.stats.uncertainty.propagation import Expanded, expanded


class AdjustedSpeedup(msgspec.Struct, frozen=True):
    """The ratio of arithmetic means S = mean_A / mean_B (Eq. 7) and two answers to "give or take how much".

    Attributes
    ----------
    u : float
        Combined standard uncertainty of S, from the standard uncertainties of the means (Eq. 5 in Eq. 6),
        with their covariance where units are paired. It shrinks with n.
    spread : float
        Eq. 10 with standard deviations of single values, as plotted in the paper: what the ratio of one
        future launch of each varies by. It does not shrink with n.
    nu : float
        Degrees of freedom of ``u``: n - 1 paired, Welch-Satterthwaite unpaired (GUM G.4).
    paired : bool
    """

    value: float
    u: float
    spread: float
    nu: float
    paired: bool

    def reading(self, uncertainty: Uncertainty) -> float:
        """Uncertainty stated with S: ``u`` of the mean, or the ``spread`` of single runs as the paper plots
        it.
        """
        return self.u if uncertainty == "mean" else self.spread

    def expanded(self, alpha: float = 0.05) -> Expanded:
        """U95 = k u with k the quantile of t; S - U to S + U is the interval of the guide (GUM G.3)."""
        return expanded(self.u, self.nu, alpha)

    def interval(self, alpha: float = 0.05) -> Interval | None:
        """S exp(-+ t u / S), the delta method on logarithms: positive, and the reciprocal of what 1 / S would
        get. ``None`` where unbounded.
        """
        half = t_quantile(self.nu, alpha) * self.u / self.value
        try:
            return Interval(self.value * math.exp(-half), self.value * math.exp(half))
        except (OverflowError, ValueError):
            return None


def adjusted_speedup(contrast: Contrast, old_cv: float, new_cv: float) -> AdjustedSpeedup | None:
    """Eq. 10 from the units of a contrast; ``spread`` from the ``cv`` of the single values.

    Eq. 8 unpaired: (sigma / S)^2 = r_A^2 + r_B^2. Paired, Eq. 6 keeps its covariance: (sigma / S)^2 is the
    variance of the mean of a_k / mean_a - b_k / mean_b, which is r_A^2 + r_B^2 - 2 r_AB without the
    cancellation. ``None`` with fewer than two units, or out of range.
    """
    means = means_of(contrast)
    if means is None:
        return None
    top, bottom = (old_cv, new_cv) if contrast.sign > 0 else (new_cv, old_cv)
    spread = means.value * math.hypot(top, bottom)
    return AdjustedSpeedup(means.value, means.value * means.u_relative, spread, means.nu, means.paired)


def cv(values: Floats) -> float:
    """Standard deviation over the mean of two values or more; infinite where they are all 0."""
    mean = values.mean()
    # Relative to the mean first, so that squares stay in range.
    return float((values / mean).std(ddof=1)) if mean and values.size > 1 else math.inf
