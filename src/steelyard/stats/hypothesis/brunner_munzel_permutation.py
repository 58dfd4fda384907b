"""The permutation form of Brunner and Munzel's test, for small samples and where nothing overlaps.

Neubert and Brunner 2007, DOI 10.1016/j.csda.2006.05.024: the statistic stays studentised, so that samples of
unequal spread do not break it.
"""

from __future__ import annotations

import math
import sys
from functools import lru_cache
from itertools import combinations
from typing import Final, Literal

import msgspec
import numpy as np
import numpy.typing as npt

from steelyard.arrays import Floats
from steelyard.stats.hypothesis.midranks import midranks

MOST_ENUMERATED: Final = 20_000
"""Ways to label the values, up to which all are made; 8 against 8 have 12,870."""
DRAWN: Final = 9_999
MOST_VALUES: Final = 200
"""Of both samples; beyond, t needs no help."""
_SEED: Final = 1
_ROUNDING: Final = 1e-9

Method = Literal["closed-form", "enumerated", "drawn"]


class Relabelled(msgspec.Struct, frozen=True):
    """Two-sided p, and how it was found.

    Attributes
    ----------
    arrangements : int
        That it is a share of; of drawn ones, with the one observed.
    """

    p: float
    method: Method
    arrangements: int


def relabelled(first: Floats, second: Floats) -> Relabelled | None:
    """``None`` with fewer than two values in a sample, and beyond 200 values unless nothing overlaps."""
    m, n = first.size, second.size
    if min(m, n) < 2:
        return None
    ways = math.comb(m + n, m)
    if first.max() < second.min() or second.max() < first.min():
        # Only this arrangement and its mirror image are as extreme.
        return Relabelled(max(2 / ways, sys.float_info.min), "closed-form", ways)
    if m + n > MOST_VALUES:
        return None
    ranks = midranks(np.concatenate((first, second)))
    order = np.argsort(ranks.ranks, kind="stable")
    ascending = ranks.ranks[order]
    observed = abs(float(_statistics(ascending, (order < m)[None, :], m)[0]))
    # Without ties, all samples of these sizes share one distribution.
    null = _arranged(ascending, m) if ranks.tied else _without_ties(m, n)
    extreme = null.size - int(np.searchsorted(null, observed * (1 - _ROUNDING), side="left"))
    if ways <= MOST_ENUMERATED:
        return Relabelled(extreme / ways, "enumerated", ways)
    return Relabelled((extreme + 1) / (DRAWN + 1), "drawn", DRAWN + 1)


@lru_cache(maxsize=64)
def _without_ties(m: int, n: int) -> Floats:
    found = _arranged(np.arange(1.0, m + n + 1), m)
    found.flags.writeable = False
    return found


def _arranged(ascending: Floats, m: int) -> Floats:
    """|t| of every arrangement of labels, or of those drawn, sorted."""
    size = ascending.size
    ways = math.comb(size, m)
    if ways <= MOST_ENUMERATED:
        labels = np.zeros((ways, size), dtype=bool)
        chosen = np.fromiter((i for each in combinations(range(size), m) for i in each), np.intp, ways * m)
        labels[np.repeat(np.arange(ways), m), chosen] = True
    else:
        rng = np.random.default_rng(_SEED)
        labels = rng.permuted(np.broadcast_to(np.arange(size) < m, (DRAWN, size)), axis=1)
    return np.sort(np.abs(_statistics(ascending, labels, m)))


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
