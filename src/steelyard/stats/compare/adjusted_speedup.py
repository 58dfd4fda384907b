"""The adjusted speedup of Firoz et al. 2016, Eq. 10.

Both ways have their own names (DOI 10.1145/2851553.2851573).
"""

from __future__ import annotations

import math

from steelyard.core.arrays import Floats
from steelyard.results.comparison import AdjustedSpeedup
from steelyard.results.interval import Interval
from steelyard.stats.compare.contrast import Contrast
from steelyard.stats.compare.means import means_of
from steelyard.stats.distributions.student import t_quantile


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
    u, half = means.value * means.u_relative, t_quantile(means.nu, 0.05) * means.u_relative
    try:
        ci95 = Interval(means.value * math.exp(-half), means.value * math.exp(half))
    except (OverflowError, ValueError):
        ci95 = None
    return AdjustedSpeedup(means.value, u, spread, means.nu, means.paired, ci95)


def cv(values: Floats) -> float:
    """Return the standard deviation over the mean of two values or more; infinite where all are 0."""
    mean = values.mean()
    # Relative to the mean first, so that squares stay in range.
    return float((values / mean).std(ddof=1)) if mean and values.size > 1 else math.inf
