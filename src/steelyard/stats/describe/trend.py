"""``Trend``: whether values drift in one direction over time, by the Mann-Kendall test."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt

from steelyard.core.arrays import Floats
from steelyard.results.samples import Trend
from steelyard.stats.distributions.student import two_sided_normal_p
from steelyard.stats.rounding import constant

ALPHA: Final = 0.01
"""Level of the flag: of the many samples of an experiment without drift, few should be flagged."""
FEWEST: Final = 8
"""Below, the normal approximation of the test is not good enough for a flag at 1 %."""
MOST: Final = 256
"""As many ranks as a byte has. More values are averaged first, in this many stretches of neighbours: a drift
over the whole run is slower than that, and all pairs of 500,000 values take 0.7 s even by a sort (2 cores,
numpy 2.4)."""
_LATER: Final = np.tri(MOST, dtype=np.bool_)
"""Whether the first of two values comes after the other."""


def trend(values: Floats) -> Trend | None:
    """Mann-Kendall over values in the order of time.

    ``None`` with fewer than eight, or where all are equal but for rounding.

    S = concordant - discordant pairs, var S = [n(n-1)(2n+5) - sum t(t-1)(2t+5)] / 18 over ties of t values
    (Kendall 1975, Rank Correlation Methods, 4th ed.).
    """
    x = _neighbours_averaged(values)
    n = x.size
    if n < FEWEST or constant(x):
        return None
    ranks, ties = _compute_ranks(x)
    rising = int(np.count_nonzero((ranks[:, None] > ranks) & _LATER[:n, :n]))
    pairs = n * (n - 1) / 2
    variance = n * (n - 1) * (2 * n + 5) / 18
    untied = pairs
    if ties.size:
        untied -= float((ties * (ties - 1)).sum()) / 2
        variance -= float((ties * (ties - 1) * (2 * ties + 5)).sum()) / 18
    s = 2 * rising - untied
    p = two_sided_normal_p(s / math.sqrt(variance))
    return Trend(s / math.sqrt(pairs * untied), p, p < ALPHA)


def _compute_ranks(x: Floats) -> tuple[npt.NDArray[np.uint8], Floats]:
    """Ranks of distinct values from 0, and how often each value is there, nothing where none is there twice.

    All pairs of ranks of one byte are compared in a fifth of the time of the values themselves.
    """
    order = np.argsort(x)
    ordered = x[order]
    rises = ordered[1:] > ordered[:-1]
    ascending = np.zeros(x.size, dtype=np.uint8)
    np.cumsum(rises, dtype=np.uint8, out=ascending[1:])
    ranks = np.empty_like(ascending)
    ranks[order] = ascending
    counts = np.empty(0) if rises.all() else np.bincount(ascending).astype(np.float64)
    return ranks, counts


def _neighbours_averaged(values: Floats) -> Floats:
    if values.size <= MOST:
        return values
    starts, lengths = _compute_stretches(values.size)
    averages: Floats = np.add.reduceat(values, starts) / lengths
    return averages


@lru_cache(maxsize=16)
def _compute_stretches(size: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return starts and lengths of the stretches of neighbours."""
    starts = np.arange(MOST, dtype=np.int64) * size // MOST
    return starts, np.diff(starts, append=size)
