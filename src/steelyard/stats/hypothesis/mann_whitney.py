"""Wilcoxon-Mann-Whitney: exact where that is cheap, elsewhere normal, corrected for ties and continuity.

Every value is non-negative from the first step to the last, so that small p values keep their digits.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt

from steelyard.core.arrays import Floats
from steelyard.core.special import normal_cdf
from steelyard.results.hypothesis import Alternative, TestOutcome
from steelyard.stats.hypothesis.midranks import Ranks, midranks

MOST_EXACT: Final = 2500
"""Product of the sample sizes up to which p is exact without ties; as R, which takes up to 49 of each."""
MOST_TIED: Final = 30
"""Values of both samples up to which p is exact with ties."""


def rank_sum(first: Floats, second: Floats, alternative: Alternative = "two-sided") -> TestOutcome | None:
    """U of the first sample: pairs in which its value is the larger one, equal ones counted half.

    ``None`` where a sample is empty.
    """
    if min(first.size, second.size) == 0:
        return None
    return compare_midranks(midranks(np.concatenate((first, second))), first.size, alternative)


def compare_midranks(pooled: Ranks, m: int, alternative: Alternative = "two-sided") -> TestOutcome:
    """Return the same from the midranks of both samples, of which the first ``m`` are the first sample's."""
    n = pooled.ranks.size - m
    u = float(pooled.ranks[:m].sum()) - m * (m + 1) / 2
    if not pooled.tied and m * n <= MOST_EXACT:
        tails = u_tails(m, n)
        return TestOutcome(u, _chosen(tails[round(m * n - u)], tails[round(u)], alternative), "exact")
    if pooled.tied and m + n <= MOST_TIED:
        return TestOutcome(u, _tied_p(pooled.ranks, m, alternative), "exact-ties")
    return TestOutcome(u, _normal_p(u, m, n, pooled.tie_term, alternative), "normal")


@lru_cache(maxsize=256)
def u_tails(m: int, n: int) -> npt.NDArray[np.float64]:
    """P(U >= u) for u = 0 to m n, without ties; P(U <= u) is that of m n - u.

    P_mn(u) = m/(m+n) P_m-1,n(u - n) + n/(m+n) P_m,n-1(u): Mann and Whitney 1947, DOI 10.1214/aoms/1177730491.
    """
    if m > n:
        return u_tails(n, m)
    row = [np.ones(1) for _ in range(n + 1)]
    for i in range(1, m + 1):
        new = [np.ones(1)]
        for j in range(1, n + 1):
            counts_here = np.zeros(i * j + 1)
            counts_here[j:] += i / (i + j) * row[j]
            counts_here[: i * (j - 1) + 1] += j / (i + j) * new[j - 1]
            new.append(counts_here)
        row = new
    tails = np.minimum(1.0, np.cumsum(row[n][::-1])[::-1])
    tails.flags.writeable = False
    return tails


def _chosen(less: float, greater: float, alternative: Alternative) -> float:
    if alternative == "two-sided":
        return min(1.0, 2 * min(float(less), float(greater)))
    return float(less if alternative == "less" else greater)


def _tied_p(ranks: Floats, m: int, alternative: Alternative) -> float:
    """All ways to choose the ranks of the first sample, counted by their sum (Streitberg, Roehmel 1986)."""
    doubled = np.rint(2 * ranks).astype(np.intp)
    ways = np.zeros((m + 1, int(doubled.sum()) + 1))
    ways[0, 0] = 1
    for rank in doubled:
        ways[1:, rank:] += ways[:-1, : ways.shape[1] - rank].copy()
    observed, total = int(doubled[:m].sum()), math.comb(ranks.size, m)
    less, greater = ways[m, : observed + 1].sum() / total, ways[m, observed:].sum() / total
    return _chosen(less, greater, alternative)


def _normal_p(u: float, m: int, n: int, tie_term: float, alternative: Alternative) -> float:
    both = m + n
    variance = m * n / 12 * (both + 1 - tie_term / (both * (both - 1)))
    if variance <= 0:
        return 1.0
    greater = normal_cdf(-(u - m * n / 2 - 0.5) / math.sqrt(variance))
    less = normal_cdf((u - m * n / 2 + 0.5) / math.sqrt(variance))
    return _chosen(less, greater, alternative)
