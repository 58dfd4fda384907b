"""``RankLocation``: the Hodges-Lehmann location of a ratio, with p and interval of rank and sign tests.

Of blocks: the median of all averages of two log-ratios, by the signed rank test (Wilcoxon 1945, DOI
10.2307/3001968) and by the sign test, each at half of the level. Ranks see more where log-ratios lie
symmetrically; signs ask for no shape, and see most where several runs of one side are far off. Without
blocks: the median of all differences of two launches, by the rank sum test (Mann and Whitney 1947). The
statistics are the numbers of pairs beyond the hypothesis, so that p and interval agree.
"""

from __future__ import annotations

import math
from typing import Final, Literal

import msgspec
import numpy as np

from steelyard.core.arrays import Floats
from steelyard.core.special import binomial_cdf, normal_cdf
from steelyard.results.interval import Interval
from steelyard.results.undefined import LARGEST_LOG
from steelyard.stats.distributions.sign_test import order_of
from steelyard.stats.hypothesis import mann_whitney, wilcoxon
from steelyard.stats.hypothesis.hodges_lehmann import rank_sum_cut
from steelyard.stats.hypothesis.pairwise import Rows, differences, sums

TIED: Final = 1e-12
"""Logarithms that differ by less are equal but for rounding; a pair at the hypothesis speaks for no side."""


class RankLocation(msgspec.Struct, frozen=True, eq=False):
    """Location on the scale of logarithms.

    Attributes
    ----------
    pairs : Rows
        Sums of two log-ratios, or differences of two launches.
    test : {"signed-rank-and-sign", "rank-sum"}
    sizes : tuple of int
        Units, twice where they are paired; launches of both samples.
    log : float
        The location itself.
    factor : float
        By which correlated neighbours widen the distance of each hypothesis from it.
    error : float
        Beyond that: how far stated errors may have moved it.
    """

    pairs: Rows
    test: Literal["signed-rank-and-sign", "rank-sum"]
    sizes: tuple[int, int]
    log: float
    factor: float = 1.0
    error: float = 0.0

    def p_of(self, ratio: float) -> float:
        """Two-sided p of the hypothesis that the location is ``ratio``; pairs at it count for both sides."""
        away = math.log(ratio) - self.log
        away = math.copysign(max(0.0, abs(away) - self.error) / self.factor, away)
        at = self.log + away
        above = self.pairs.count - self._count_up_to(self._scale * at + TIED)
        below = self._count_up_to(self._scale * at - TIED)
        by_ranks = 2 * min(self._tail(above), self._tail(below))
        if self.test == "rank-sum":
            return min(1.0, by_ranks)
        # Those on the side of the location, which are what speaks against the hypothesis.
        units, n = self.pairs.ascending, self.sizes[0]
        beyond = int((units > at + TIED).sum() if at < self.log else (units < at - TIED).sum())
        by_signs = 2 * float(binomial_cdf(n - beyond, n, 0.5))
        return min(1.0, 2 * by_ranks, 2 * by_signs) if away else 1.0

    def interval(self, alpha: float) -> Interval | None:
        """Two-sided at level 1 - ``alpha``; ``None`` where so few units reject nothing."""
        first, second = self.sizes
        if self.test == "rank-sum":
            ends = self._find_ends(rank_sum_cut(first, second, alpha))
        else:
            units, k = self.pairs.ascending, order_of(first, alpha / 2)
            ends = self._find_ends(wilcoxon.signed_rank_cut(first, alpha / 2))
            if k:
                by_signs = min(float(units[k - 1]), self.log), max(float(units[-k]), self.log)
                ends = (max(ends[0], by_signs[0]), min(ends[1], by_signs[1])) if ends else by_signs
        if ends is None:
            return None
        low, high = (self.log + (end - self.log) * self.factor for end in ends)
        low, high = low - self.error, high + self.error
        if max(abs(low), abs(high)) > LARGEST_LOG:
            return None
        return Interval(math.exp(low), math.exp(high))

    def _find_ends(self, cut: int) -> tuple[float, float] | None:
        """Return the pairs of this rank from either end."""
        if cut < 1:
            return None
        low, high = self.pairs.kth([cut, self.pairs.count + 1 - cut])
        return low / self._scale, high / self._scale

    @property
    def _scale(self) -> float:
        return 2.0 if self.test == "signed-rank-and-sign" else 1.0

    def _count_up_to(self, at: float) -> int:
        """Return the number of pairs that do not exceed ``at``."""
        pairs = self.pairs
        until = np.searchsorted(pairs.ascending, at - pairs.shifts, side="right")
        return int(np.maximum(until - pairs.first, 0).sum())

    def _tail(self, beyond: int) -> float:
        """Return the probability of so many pairs on one side, or more."""
        first, second = self.sizes
        if self.test == "signed-rank-and-sign":
            if first <= wilcoxon.MOST_EXACT:
                return float(wilcoxon.rank_tails(first)[beyond])
            variance, correction = first * (first + 1) * (2 * first + 1) / 24, 0.0
        else:
            if first * second <= mann_whitney.MOST_EXACT:
                return float(mann_whitney.u_tails(first, second)[beyond])
            variance, correction = first * second * (first + second + 1) / 12, 0.5
        distance = self.pairs.count / 2 - beyond + correction
        return float(normal_cdf(distance / math.sqrt(variance)))


def locate_paired(logs: Floats) -> RankLocation | None:
    """Locate finite log-ratios of blocks; ``None`` of none."""
    return _locate(sums(np.sort(logs)), "signed-rank-and-sign", (logs.size, logs.size)) if logs.size else None


def locate_unpaired(old: Floats, new: Floats) -> RankLocation | None:
    """Locate ``new`` against ``old``, finite logarithms of launches; ``None`` where one has none."""
    if not min(old.size, new.size):
        return None
    return _locate(differences(np.sort(old), np.sort(new)), "rank-sum", (old.size, new.size))


def _locate(
    pairs: Rows, test: Literal["signed-rank-and-sign", "rank-sum"], sizes: tuple[int, int]
) -> RankLocation:
    low, high = pairs.kth([(pairs.count + 1) // 2, pairs.count // 2 + 1])
    return RankLocation(pairs, test, sizes, (low + high) / (4 if test == "signed-rank-and-sign" else 2))
