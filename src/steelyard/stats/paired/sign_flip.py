"""The exact test of a mean of differences that are symmetric about 0: all 2^n ways to give them signs."""

from __future__ import annotations

from typing import Final

import numpy as np

from steelyard.stats.contrast import Floats

MOST: Final = 14
"""Differences: 16,384 ways, half a millisecond. With more of them t needs no help."""
_ROUNDING: Final = 1e-12
"""Sums that differ by less, relative to the sum of all distances, are the same sum in another order."""


def sign_flip_p(differences: Floats) -> float | None:
    """Two-sided p: the share of sign patterns whose mean is at least as far from 0; ``None`` beyond 14
    differences, and without any (Fisher 1935, The Design of Experiments, § 21).
    """
    n = differences.size
    if not 0 < n <= MOST:
        return None
    distances = np.abs(differences)
    reached = np.zeros(1)
    # Half the patterns: the other half mirrors them.
    for distance in distances[1:]:
        reached = np.concatenate((reached + distance, reached - distance))
    reached = np.abs(reached + distances[0])
    far = abs(float(differences.sum())) - _ROUNDING * float(distances.sum())
    return float(np.mean(reached >= far))
