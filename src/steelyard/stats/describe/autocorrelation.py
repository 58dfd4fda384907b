"""``Autocorrelation``: whether neighbours in time resemble each other.

It also says how many independent values that leaves.
"""

from __future__ import annotations

import math

import numpy as np

from steelyard.core.arrays import Floats
from steelyard.results.samples import Autocorrelation
from steelyard.stats.rounding import constant


def autocorrelation(values: Floats) -> Autocorrelation | None:
    """Estimate the autocorrelation; ``None`` with fewer than three values, or all equal but for rounding."""
    n = values.size
    if n < 3 or constant(values):
        return None
    deviations = values - values.mean()
    deviations = deviations / np.abs(deviations).max()
    r1 = float(deviations[1:] @ deviations[:-1]) / float(deviations @ deviations)
    return make_autocorrelation(r1, n)


def make_autocorrelation(r1: float, n: int) -> Autocorrelation:
    """Describe n values with this autocorrelation."""
    corrected = min(0.98, max(0.0, r1 + (1 + 3 * r1) / n))
    return Autocorrelation(n, r1, corrected, n * (1 - corrected) / (1 + corrected), r1 > 1.96 / math.sqrt(n))
