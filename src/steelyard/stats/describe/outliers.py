"""Values far outside the rest, by Tukey's outer fences on logarithms.

They are counted and shown, never removed.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from steelyard.core.arrays import Floats
from steelyard.results.samples import Outliers
from steelyard.stats.describe.quartiles import quartiles

FENCE: Final = 3.0
"""Interquartile ranges beyond the quartiles: Tukey 1977, "far out"."""
SMALL_SAMPLE: Final = 5.0
"""The fences stand (1 + 5/n) times as far, since quartiles of few values are uncertain. Of samples of 8 to
100 normal values at most 1.1 % then have one far out; without it, 4.5 % at n = 10 (20,000 samples).
"""
FEWEST: Final = 8
"""Quartiles of fewer values are too uncertain to put fences on."""


def outliers(values: Floats) -> Outliers | None:
    """Count outliers; ``None`` without any, with fewer than eight values, or one that is not positive."""
    if values.size < FEWEST or values.min() <= 0:
        return None
    logs = np.log(values)
    first, median, third = quartiles(logs)
    reach = FENCE * (1 + SMALL_SAMPLE / values.size) * (third - first)
    if reach == 0:
        return None
    far = np.maximum(first - reach - logs, logs - third - reach) > 0
    if not far.any():
        return None
    distances = logs[far] - median
    return Outliers(int(far.sum()), float(np.exp(distances[np.abs(distances).argmax()])))
