"""The permutation form of Brunner and Munzel's test, for small samples and where nothing overlaps.

Neubert and Brunner 2007, DOI 10.1016/j.csda.2006.05.024: the statistic stays studentised, so that samples of
unequal spread do not break it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import Final, Literal

import numpy as np
import numpy.typing as npt

from steelyard.stats.contrast import Floats
from steelyard.stats.two_samples.ranks import midranks

MOST_ENUMERATED: Final = 20_000
"""Ways to label the values, up to which all are made; 8 against 8 have 12,870."""
DRAWN: Final = 9_999
_SEED: Final = 1
_ROUNDING: Final = 1e-9


@dataclass(frozen=True, slots=True)
class Relabelled:
    """Two-sided p, and how it was found; ``drawn`` counts the arrangement observed as well."""

    p: float
    method: Literal["enumerated", "drawn"]
    arrangements: int


def relabelled(first: Floats, second: Floats) -> Relabelled | None:
    """``None`` with fewer than two values in a sample, and beyond 200 values, where t needs no help."""
    m, n = first.size, second.size
    if min(m, n) < 2 or m + n > 200:
        return None
    pooled = np.concatenate((first, second))
    ranks = midranks(pooled).ranks
    order = np.argsort(ranks, kind="stable")
    observed = np.zeros((1, m + n), dtype=bool)
    observed[0] = order < m
    ways = math.comb(m + n, m)
    if ways <= MOST_ENUMERATED:
        labels = np.zeros((ways, m + n), dtype=bool)
        chosen = np.fromiter(
            (place for each in combinations(range(m + n), m) for place in each), np.intp, ways * m
        )
        labels[np.repeat(np.arange(ways), m), chosen] = True
        labels = np.concatenate((observed, labels))
    else:
        rng = np.random.default_rng(_SEED)
        shuffled = rng.permuted(np.broadcast_to(observed, (DRAWN, m + n)), axis=1)
        labels = np.concatenate((observed, shuffled))
    t = np.abs(_statistics(ranks[order], labels, m))
    extreme = t[1:] >= t[0] * (1 - _ROUNDING)
    if ways <= MOST_ENUMERATED:
        return Relabelled(float(extreme.mean()), "enumerated", ways)
    return Relabelled((int(extreme.sum()) + 1) / (DRAWN + 1), "drawn", DRAWN + 1)


def _statistics(ascending: Floats, labels: npt.NDArray[np.bool_], m: int) -> npt.NDArray[np.float64]:
    """Brunner and Munzel's t of every labelling of the ascending ranks; infinite where nothing overlaps."""
    n = ascending.size - m
    group = np.unique(ascending, return_inverse=True)[1]
    starts = np.flatnonzero(np.diff(group, prepend=-1))
    of_first = np.add.reduceat(labels.astype(np.float64), starts, axis=1)
    of_second = np.diff(starts, append=ascending.size) - of_first
    # Values of the other sample below each group, half of those in it.
    first_below = np.cumsum(of_first, axis=1) - of_first / 2
    second_below = np.cumsum(of_second, axis=1) - of_second / 2
    mean_first = (of_first * second_below).sum(axis=1) / m
    mean_second = (of_second * first_below).sum(axis=1) / n
    squares_first = (of_first * second_below**2).sum(axis=1) - m * mean_first**2
    squares_second = (of_second * first_below**2).sum(axis=1) - n * mean_second**2
    variance = squares_first / ((m - 1) * m * n**2) + squares_second / ((n - 1) * n * m**2)
    difference = mean_second / m - 0.5
    with np.errstate(divide="ignore", invalid="ignore"):
        t = difference / np.sqrt(np.where(variance > 1e-14, variance, 0.0))
    return np.where(np.isnan(t), 0.0, t)
