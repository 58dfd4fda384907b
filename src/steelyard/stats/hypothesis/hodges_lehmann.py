"""Hodges and Lehmann's shift of two independent samples, with the interval that the rank sum test gives."""

from __future__ import annotations

import math

import numpy as np

from steelyard.core.arrays import Floats
from steelyard.core.special import normal_quantile
from steelyard.results.hypothesis import Shift
from steelyard.results.interval import Interval
from steelyard.stats.hypothesis.mann_whitney import MOST_EXACT, u_tails
from steelyard.stats.hypothesis.pairwise import differences


def shift(first: Floats, second: Floats, alpha: float = 0.05) -> Shift | None:
    """Estimate the shift between two sorted samples; ``None`` where one is empty.

    The interval is right if only the place differs.

    Hodges and Lehmann 1963, DOI 10.1214/aoms/1177704172.
    """
    m, n = first.size, second.size
    if min(m, n) == 0:
        return None
    every, count = differences(first, second), m * n
    middle = [(count + 1) // 2, count // 2 + 1]
    cut = rank_sum_cut(m, n, alpha)
    ends = [cut, count + 1 - cut] if cut else []
    values = every.kth([*middle, *ends])
    value = values[0] / 2 + values[1] / 2
    return Shift(value, Interval(values[2], values[3]) if ends else None)


def rank_sum_cut(m: int, n: int, alpha: float) -> int:
    """Return the largest c with P(U <= c - 1) <= alpha / 2.

    The c-th smallest and the c-th largest difference bound the interval. It is 0 where even U = 0 is not that
    rare.
    """
    if m * n <= MOST_EXACT:
        # P(U <= u) for u = 0, 1, …
        lower = u_tails(m, n)[::-1]
        return int(np.searchsorted(lower, alpha / 2 * (1 + 1e-12), side="right"))
    cut = m * n / 2 + normal_quantile(alpha / 2) * math.sqrt(m * n * (m + n + 1) / 12)
    # The half is the test's correction for continuity.
    return max(0, math.floor(cut + 0.5))
