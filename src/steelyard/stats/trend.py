"""``Trend``: whether values drift in one direction over time, by the Mann-Kendall test."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from steelyard.stats.contrast import Floats
from steelyard.stats.student import two_sided_normal_p

ALPHA: Final = 0.01
"""Level of the flag: of the many samples of an experiment without drift, few should be flagged."""
FEWEST: Final = 8
"""Below, the normal approximation of the test is not good enough for a flag at 1 %."""


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
    """Mann-Kendall over values in the order of time; ``None`` with fewer than eight values, or where they do
    not vary.

    S = concordant - discordant pairs, var S = [n(n-1)(2n+5) - sum t(t-1)(2t+5)] / 18 over ties of t values
    (Kendall 1975, Rank Correlation Methods, 4th ed.).
    """
    n = values.size
    if n < FEWEST:
        return None
    _, ranks, ties = np.unique(values, return_inverse=True, return_counts=True)
    if ties.size < 2:
        return None
    pairs = n * (n - 1) / 2
    ties = ties.astype(np.float64)
    untied = pairs - float((ties * (ties - 1)).sum()) / 2
    s = untied - 2 * inversions(ranks)
    variance = (n * (n - 1) * (2 * n + 5) - float((ties * (ties - 1) * (2 * ties + 5)).sum())) / 18
    p = two_sided_normal_p(s / math.sqrt(variance))
    return Trend(s / math.sqrt(pairs * untied), p, p < ALPHA)


def inversions(ranks: np.typing.NDArray[np.intp]) -> int:
    """Pairs i < j with ranks[i] > ranks[j], for ranks from 0; O(n log n), bit by bit from the highest.

    Two ranks are decided at the highest bit where they differ. Kept in stable order of the bits above, a
    group holds those that agree so far; in it, every 1 before a 0 is an inversion.
    """
    total = 0
    remaining = np.asarray(ranks, dtype=np.int64)
    for bit in range(int(remaining.max(initial=0)).bit_length() - 1, -1, -1):
        group = remaining >> (bit + 1)
        ones = (remaining >> bit) & 1
        before = np.cumsum(ones) - ones
        starts = np.flatnonzero(np.diff(group, prepend=-1))
        of_group = np.repeat(before[starts], np.diff(starts, append=remaining.size))
        total += int((before - of_group)[ones == 0].sum())
        remaining = remaining[np.argsort(remaining >> bit, kind="stable")]
    return total
