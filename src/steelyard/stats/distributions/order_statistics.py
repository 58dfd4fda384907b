"""P values and intervals from order statistics.

They are ascending values between any two of which an estimate is equally likely to lie.
"""

from __future__ import annotations

import math

import numpy as np

from steelyard.core.arrays import Floats
from steelyard.results.interval import Interval


def two_sided(ascending: Floats, at: float) -> float:
    """Twice the smaller share of the values beyond ``at``, itself counted; above 1 near the middle."""
    below = up_to(ascending, at)
    above = ascending.size - int(np.searchsorted(ascending, at, side="left"))
    return 2 * (min(below, above) + 1) / (ascending.size + 1)


def up_to(ascending: Floats, at: float) -> int:
    """Return the number of values that do not exceed ``at``."""
    return int(np.searchsorted(ascending, at, side="right"))


def ends(ascending: Floats, alpha: float) -> Interval | None:
    """Return the k-th value from either end, k = floor(alpha / 2 (M + 1)).

    It leaves out what ``two_sided`` gives at most ``alpha``. ``None`` where k is 0, or a value infinite.
    """
    k = order_of(ascending.size, alpha)
    if k < 1:
        return None
    low, high = float(ascending[k - 1]), float(ascending[-k])
    return Interval(low, high) if math.isfinite(low) and math.isfinite(high) else None


def order_of(m: int, alpha: float) -> int:
    """Return k of the k-th of ``m`` values from either end; 0 where ``alpha`` is below their reach."""
    # The little that is added keeps a level that p values reach, 2 k / (m + 1), from being rounded below k.
    return math.floor(alpha / 2 * (m + 1) * (1 + 1e-12))
