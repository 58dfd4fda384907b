"""Skewness: the third central moment over the second to the power of 3/2."""

from __future__ import annotations

import math

import numpy as np

from steelyard.core.arrays import Floats


def skewness(values: Floats) -> float:
    """Return the skewness of values that are not all equal; with n in both denominators."""
    deviations = values - values.mean()
    # Cubes of values near either end of the range of double would leave it.
    deviations = deviations / np.abs(deviations).max()
    scaled = deviations / math.sqrt(float(deviations @ deviations) / values.size)
    return float(np.mean(scaled**3))
