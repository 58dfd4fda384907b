"""``Robust``: the middle of a few numbers of which one may be far out, beside their mean."""

from __future__ import annotations

import math
from typing import Final

import msgspec
import numpy as np

from steelyard.answers.interval import Interval
from steelyard.arrays import Floats
from steelyard.stats.distributions.student import t_quantile

TRIMMED: Final = 0.2
"""Of the values, at each end."""
FEWEST: Final = 5
"""Below, nothing can be trimmed."""


class Robust(msgspec.Struct, frozen=True):
    """Median and trimmed mean, with 95 % intervals.

    Attributes
    ----------
    median_interval : Interval or None
        Between order statistics, exact for every distribution; ``None`` with fewer than six values.
    trimmed, trimmed_interval : float, Interval or None
        Mean without the lowest and the highest fifth; Yuen 1974, DOI 10.1093/biomet/61.1.165: winsorised
        standard deviation over 0.6 sqrt(n), t with n - 2 floor(n/5) - 1 degrees of freedom.
    mean_differs : bool
        The mean lies outside one of the two intervals: a few values make it what it is. Of 20,000 samples of
        normal values none does at n = 10 to 100.
    """

    median: float
    median_interval: Interval | None
    trimmed: float
    trimmed_interval: Interval | None
    mean_differs: bool


def robust(values: Floats) -> Robust | None:
    """``None`` with fewer than five values."""
    x = np.sort(np.asarray(values, dtype=np.float64))
    n = x.size
    if n < FEWEST:
        return None
    cut = int(TRIMMED * n)
    kept = x[cut : n - cut]
    winsorised = np.clip(x, kept[0], kept[-1])
    trimmed = float(np.clip(kept.mean(), kept[0], kept[-1]))
    spread = float(winsorised.std(ddof=1)) if kept[0] < kept[-1] else 0.0
    half = t_quantile(kept.size - 1, 0.05) * spread / ((1 - 2 * TRIMMED) * math.sqrt(n))
    trimmed_interval = Interval(trimmed - half, trimmed + half)
    middle = median_interval(x)
    mean = float(x.mean())
    # Rounding must not move a mean out of an interval without width.
    slack = 64 * np.finfo(np.float64).eps * float(np.abs(x).max())
    differs = any(
        mean < each.low - slack or mean > each.high + slack for each in (trimmed_interval, middle) if each
    )
    return Robust(float(np.median(x)), middle, trimmed, trimmed_interval, differs)


def median_interval(ascending: Floats, alpha: float = 0.05) -> Interval | None:
    """The narrowest pair of order statistics that holds the median with at least 1 - ``alpha``; ``None``
    where even the extremes do not.
    """
    from scipy.special import bdtr

    n = ascending.size
    ranks = np.arange(n // 2)
    # P(fewer than r + 1 values below the median) for the pair of the (r + 1)-th from either end.
    fits = ranks[2 * bdtr(ranks.astype(np.float64), n, 0.5) <= alpha]
    if fits.size == 0:
        return None
    return Interval(float(ascending[fits[-1]]), float(ascending[n - 1 - fits[-1]]))
