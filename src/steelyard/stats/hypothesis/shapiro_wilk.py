"""Shapiro-Wilk, with the cases named in which it says nothing."""

from __future__ import annotations

from typing import Final

import numpy as np

from steelyard.answers.hypothesis import Normality
from steelyard.arrays import Floats

FEWEST: Final = 3
MOST: Final = 5000
"""Royston's approximation of p ends here (AS R94, DOI 10.2307/2986146); of more values, as many evenly spaced
ones are taken."""


def normality(values: Floats) -> Normality | None:
    """``None`` of fewer than three values and where all are equal, which scipy calls normal with p = 1."""
    if values.size < FEWEST or np.ptp(values) == 0:
        return None
    from scipy.stats import shapiro

    if values.size > MOST:
        values = values[np.arange(MOST) * values.size // MOST]
    # W knows neither place nor scale, and values near either end of the range of double would leave it.
    centred = values - np.median(values)
    largest = np.abs(centred).max()
    if largest == 0 or np.ptp(centred) == 0:
        return None
    found = shapiro(centred / largest)
    return Normality(float(found.statistic), float(found.pvalue), values.size)
