"""``Autocorrelation``: whether neighbours in time resemble each other, and how many independent values that
leaves.
"""

from __future__ import annotations

import math

import msgspec
import numpy as np

from steelyard.arrays import Floats
from steelyard.stats.rounding import constant


class Autocorrelation(msgspec.Struct, frozen=True):
    """At lag 1, of values in the order of time.

    Attributes
    ----------
    r1 : float
        Sum of products of neighbouring deviations over the sum of squares.
    corrected : float
        r1 + (1 + 3 r1) / n, within [0, 0.98]: r1 of few values is too low by about that much.
    n_eff : float
        n (1 - r) / (1 + r) with the corrected r; n where nothing is correlated.
    significant : bool
        r1 above 1.96 / sqrt(n). Only neighbours that resemble each other make an interval too narrow, so one
        side counts; with independent values this happens in at most 2.5 % of samples.
    """

    n: int
    r1: float
    corrected: float
    n_eff: float
    significant: bool


def autocorrelation(values: Floats) -> Autocorrelation | None:
    """``None`` with fewer than three values, or where they do not vary but for rounding."""
    n = values.size
    if n < 3 or constant(values):
        return None
    deviations = values - values.mean()
    deviations = deviations / np.abs(deviations).max()
    r1 = float(deviations[1:] @ deviations[:-1]) / float(deviations @ deviations)
    corrected = min(0.98, max(0.0, r1 + (1 + 3 * r1) / n))
    return Autocorrelation(n, r1, corrected, n * (1 - corrected) / (1 + corrected), r1 > 1.96 / math.sqrt(n))
