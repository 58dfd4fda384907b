"""Wilcoxon's signed rank test, and the location that belongs to it.

The location is Hodges and Lehmann's median of averages.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Final

import msgspec
import numpy as np
import numpy.typing as npt

from steelyard.core.arrays import Floats
from steelyard.core.special import normal_quantile
from steelyard.results.hypothesis import TestOutcome
from steelyard.results.interval import Interval
from steelyard.stats.hypothesis.midranks import midranks
from steelyard.stats.hypothesis.pairwise import sums

MOST_EXACT: Final = 50
"""Differences up to which p and interval are exact."""


class Centre(msgspec.Struct, frozen=True):
    """The median of all (d_i + d_j) / 2 with i <= j.

    Attributes
    ----------
    interval : Interval or None
        Centres of symmetry that the test does not reject; ``None`` where it can reject nothing.
    """

    value: float
    interval: Interval | None


def signed_rank(differences: Floats) -> TestOutcome | None:
    """Sum of the ranks of positive differences, two-sided; zeros are left out. ``None`` where none is left.

    Exact up to 50 differences, ties or not: ranks are flipped in all 2^n ways, counted by their sum (Wilcoxon
    1945, DOI 10.2307/3001968; Streitberg and Roehmel 1986).
    """
    moved = differences[differences != 0]
    n = moved.size
    if n == 0:
        return None
    ranks = midranks(np.abs(moved))
    statistic = float(ranks.ranks[moved > 0].sum())
    if n <= MOST_EXACT:
        tails = _compute_tails(ranks.ranks) if ranks.tied else rank_tails(n)
        step = 2 if ranks.tied else 1
        total = n * (n + 1) // 2 * step
        place = round(statistic * step)
        p = min(1.0, 2 * float(min(tails[place], tails[total - place])))
        return TestOutcome(statistic, p, "exact-ties" if ranks.tied else "exact")
    variance = n * (n + 1) * (2 * n + 1) / 24 - ranks.tie_term / 48
    z = (statistic - n * (n + 1) / 4) / math.sqrt(variance)
    return TestOutcome(statistic, math.erfc(abs(z) / math.sqrt(2)), "normal")


def centre(differences: Floats, alpha: float = 0.05) -> Centre | None:
    """Estimate the centre; ``None`` without differences.

    The interval is right if these lie symmetrically about their centre.

    Hodges and Lehmann 1963, DOI 10.1214/aoms/1177704172; Tukey's interval, as in Hollander and Wolfe, § 3.3.
    """
    n = differences.size
    if n == 0:
        return None
    every = sums(np.sort(differences))
    count = every.count
    cut = signed_rank_cut(n, alpha)
    ends = [cut, count + 1 - cut] if cut else []
    values = every.kth([(count + 1) // 2, count // 2 + 1, *ends])
    value = values[0] / 4 + values[1] / 4
    return Centre(value, Interval(values[2] / 2, values[3] / 2) if ends else None)


def signed_rank_cut(n: int, alpha: float) -> int:
    """Return the largest c with P(T <= c - 1) <= alpha / 2; 0 where even T = 0 is not that rare."""
    if n <= MOST_EXACT:
        return int(np.searchsorted(rank_tails(n)[::-1], alpha / 2 * (1 + 1e-12), side="right"))
    cut = n * (n + 1) / 4 + normal_quantile(alpha / 2) * math.sqrt(n * (n + 1) * (2 * n + 1) / 24)
    return max(0, math.floor(cut) + 1)


@lru_cache(maxsize=MOST_EXACT)
def rank_tails(n: int) -> npt.NDArray[np.float64]:
    """P(T >= t) for t = 0 to n (n + 1) / 2, without ties."""
    tails = _flip(np.arange(1, n + 1))
    tails.flags.writeable = False
    return tails


def _compute_tails(ranks: Floats) -> npt.NDArray[np.float64]:
    """Exact distribution in steps of half a rank, for midranks."""
    return _flip(np.rint(2 * ranks).astype(np.int64))


def _flip(weights: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    mass = np.zeros(int(weights.sum()) + 1)
    mass[0] = 1.0
    for weight in weights:
        mass /= 2
        mass[weight:] += mass[: mass.size - weight].copy()
    return np.minimum(1.0, np.cumsum(mass[::-1])[::-1])
