"""Pitman and Morgan's test of the variances of two paired samples (1939, DOI 10.1093/biomet/31.1-2.9).

What pairs share cancels: x + y and x - y are uncorrelated exactly where x and y vary equally.
"""

from __future__ import annotations

import math

import msgspec
import numpy as np

from steelyard.core.arrays import Floats
from steelyard.stats.distributions.student import two_sided_p


class Spreads(msgspec.Struct, frozen=True):
    """Comparison of two variances.

    Attributes
    ----------
    r : float
        Correlation of sums and differences; above 0 where the first sample varies more.
    p : float
        Two-sided, of the hypothesis that both vary equally.
    """

    r: float
    p: float


def pitman_morgan(first: Floats, second: Floats) -> Spreads | None:
    """Test two variances; ``None`` below three pairs, or where sums or differences do not vary."""
    n = first.size
    if n < 3:
        return None
    sums, differences = first + second, first - second
    sums, differences = sums - sums.mean(), differences - differences.mean()
    norm = math.sqrt(float(sums @ sums) * float(differences @ differences))
    if not norm > 0:
        return None
    r = float(np.clip(sums @ differences / norm, -1.0, 1.0))
    t = math.inf if abs(r) == 1 else r * math.sqrt((n - 2) / (1 - r * r))
    return Spreads(r, two_sided_p(t, n - 2))
