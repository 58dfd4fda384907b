"""``Trend``: whether values drift in one direction over time, by the Mann-Kendall test."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from steelyard.stats.contrast import Floats
from steelyard.stats.rounding import constant
from steelyard.stats.student import two_sided_normal_p

ALPHA: Final = 0.01
"""Level of the flag: of the many samples of an experiment without drift, few should be flagged."""
FEWEST: Final = 8
"""Below, the normal approximation of the test is not good enough for a flag at 1 %."""
MOST: Final = 256
"""More values are averaged first, in this many stretches of neighbours. A drift over the whole run is slower
than that, and all pairs of 500,000 values take 0.7 s even by a sort (2 cores, numpy 2.4)."""
_LATER: Final = np.tri(MOST, dtype=np.bool_)
"""Whether the first of two values comes after the other."""


@dataclass(frozen=True, slots=True)
class Trend:
    """Kendall's rank correlation with time.

    Attributes
    ----------
    tau : float
        tau-b, from -1 (falls throughout) to 1 (rises throughout).
    p : float
        Two-sided, normal approximation with ties.
    significant : bool
        p below 0.01.
    """

    tau: float
    p: float
    significant: bool


def trend(values: Floats) -> Trend | None:
    """Mann-Kendall over values in the order of time; ``None`` with fewer than eight, or where all are equal
    but for rounding.

    S = concordant - discordant pairs, var S = [n(n-1)(2n+5) - sum t(t-1)(2t+5)] / 18 over ties of t values
    (Kendall 1975, Rank Correlation Methods, 4th ed.).
    """
    x = _neighbours_averaged(values)
    n = x.size
    if n < FEWEST or constant(x):
        return None
    greater = x[:, None] > x
    untied = int(np.count_nonzero(greater))
    rising = int(np.count_nonzero(greater & _LATER[:n, :n]))
    s = 2 * rising - untied
    pairs = n * (n - 1) / 2
    variance = n * (n - 1) * (2 * n + 5) / 18
    if untied < pairs:
        ties = np.unique(x, return_counts=True)[1].astype(np.float64)
        variance -= float((ties * (ties - 1) * (2 * ties + 5)).sum()) / 18
    p = two_sided_normal_p(s / math.sqrt(variance))
    return Trend(s / math.sqrt(pairs * untied), p, p < ALPHA)


def _neighbours_averaged(values: Floats) -> Floats:
    if values.size <= MOST:
        return values
    starts = np.arange(MOST) * values.size // MOST
    return np.add.reduceat(values, starts) / np.diff(starts, append=values.size)
