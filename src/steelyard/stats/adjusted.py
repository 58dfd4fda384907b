"""The adjusted speedup of Firoz et al. 2016, Eq. 10, both ways under their own names (DOI
10.1145/2851553.2851573).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from steelyard.stats.contrast import Contrast, Floats
from steelyard.stats.interval import Interval
from steelyard.stats.student import t_quantile


@dataclass(frozen=True, slots=True)
class AdjustedSpeedup:
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

    def interval(self, alpha: float = 0.05) -> Interval | None:
        """S exp(-+ t u / S), the delta method on logarithms: positive, and the reciprocal of what 1 / S would
        get. ``None`` where unbounded.
        """
        half = t_quantile(self.nu, alpha) * self.u / self.value
        try:
            return Interval(self.value * math.exp(-half), self.value * math.exp(half))
        except (OverflowError, ValueError):
            return None


def adjusted_speedup(contrast: Contrast, old_values: Floats, new_values: Floats) -> AdjustedSpeedup | None:
    """Eq. 10 from the units of a contrast; ``spread`` from the single values.

    Eq. 8 unpaired: (sigma / S)^2 = r_A^2 + r_B^2. Paired, Eq. 6 keeps its covariance: (sigma / S)^2 is the
    variance of the mean of a_k / mean_a - b_k / mean_b, which is r_A^2 + r_B^2 - 2 r_AB without the
    cancellation. ``None`` with fewer than two units, or out of range.
    """
    a, b, x, y = contrast.old.raws, contrast.new.raws, old_values, new_values
    if contrast.sign < 0:
        a, b, x, y = b, a, y, x
    if min(a.size, b.size) < 2:
        return None
    value = float(a.mean()) / float(b.mean())
    if not (math.isfinite(value) and value > 0):
        return None
    # Everything below is relative to the means, so that squares stay in range.
    a, b, x, y = a / a.mean(), b / b.mean(), x / x.mean(), y / y.mean()
    spread = value * math.hypot(float(x.std(ddof=1)), float(y.std(ddof=1)))
    if contrast.paired:
        u = float((a - b).std(ddof=1)) / math.sqrt(a.size)
        return AdjustedSpeedup(value, value * u, spread, a.size - 1, paired=True)
    rsu_a, rsu_b = float(a.std(ddof=1)) / math.sqrt(a.size), float(b.std(ddof=1)) / math.sqrt(b.size)
    pieces = rsu_a**4 / (a.size - 1) + rsu_b**4 / (b.size - 1)
    nu = (rsu_a**2 + rsu_b**2) ** 2 / pieces if pieces > 0 else a.size + b.size - 2
    return AdjustedSpeedup(value, value * math.hypot(rsu_a, rsu_b), spread, nu, paired=False)
