"""P(X < Y) + P(X = Y) / 2: how often a value of the second sample is the larger one.

Brunner and Munzel's test that this is 1/2, and an interval that stays between 0 and 1.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from functools import lru_cache
from itertools import combinations
from typing import Final, Literal

import msgspec
import numpy as np
import numpy.typing as npt

from steelyard.core.arrays import Floats
from steelyard.core.special import normal_quantile
from steelyard.results.hypothesis import Alternative, TestOutcome
from steelyard.results.interval import Interval
from steelyard.stats.hypothesis.midranks import midranks
from steelyard.stats.hypothesis.t_tests import t_p


class Superiority(msgspec.Struct, frozen=True):
    """An estimated P(X < Y) + P(X = Y) / 2 of two independent samples.

    Attributes
    ----------
    se, nu : float
        Of Brunner and Munzel; both 0 where a sample is wholly above the other, so that no t exists.
    m, n : int
        Sizes of the samples.
    """

    value: float
    se: float
    nu: float
    m: int
    n: int

    @property
    def separated(self) -> bool:
        """Whether the placements do not vary: one sample is wholly above the other, or all are equal."""
        return self.se == 0

    def test(self, alternative: Alternative = "two-sided") -> TestOutcome | None:
        """Test by Brunner and Munzel's t against 1/2; ``None`` where there is none.

        Brunner and Munzel 2000, DOI 10.1002/(SICI)1521-4036(200001)42:1<17::AID-BIMJ17>3.0.CO;2-U.
        """
        if self.separated:
            return None
        t = (self.value - 0.5) / self.se
        # Y larger than X is "X less".
        return TestOutcome(t, t_p(-t, self.nu, alternative), "t", self.nu)

    def interval(self, alpha: float = 0.05) -> Interval:
        """Newcombe's score interval.

        Against t on the scale of log(P / (1 - P)), 10 values each: covers the truth in 92 to 97 % of cases
        instead of 97 to 99 %, is a fifth narrower, and exists where the samples do not overlap.
        """
        return newcombe(self.value, self.m, self.n, alpha)


def superiority(first: Floats, second: Floats) -> Superiority | None:
    """Estimate superiority; ``None`` with fewer than two values in a sample.

    With placements P_i = share of the other sample below value i (equal ones half): se^2 = s^2_P,x / m +
    s^2_P,y / n, degrees of freedom by Satterthwaite.
    """
    if min(first.size, second.size) < 2:
        return None
    return compare_ranks(midranks(np.concatenate((first, second))).ranks, first, second)


def compare_ranks(pooled: Floats, first: Floats, second: Floats) -> Superiority:
    """Return the same, where the midranks of both together are known."""
    m, n = first.size, second.size
    below_first = (pooled[:m] - midranks(first).ranks) / n
    below_second = (pooled[m:] - midranks(second).ranks) / m
    value = float(below_second.mean())
    a, b = float(below_first.var(ddof=1)) / m, float(below_second.var(ddof=1)) / n
    # What rounding leaves of a variance that is 0; the smallest other one is far larger.
    if a + b < 1e-20:
        return Superiority(min(1.0, max(0.0, value)), 0.0, 0.0, m, n)
    nu = (a + b) ** 2 / (a**2 / (m - 1) + b**2 / (n - 1))
    return Superiority(value, math.sqrt(a + b), nu, m, n)


def newcombe(value: float, m: int, n: int, alpha: float = 0.05) -> Interval:
    """Return the values that differ from the estimate by at most z standard errors.

    The standard errors are taken at the value itself.

    Method 5 of Newcombe 2006, DOI 10.1002/sim.2324: var = P(1-P) [1 + h (1-P)/(2-P) + h P/(1+P)] / (m n), h =
    (m + n) / 2 - 1. It has a bound where one sample is wholly above the other.
    """
    z = -normal_quantile(alpha / 2)

    def beyond(p: float) -> bool:
        h = (m + n) / 2 - 1
        variance = p * (1 - p) * (1 + h * (1 - p) / (2 - p) + h * p / (1 + p)) / (m * n)
        return (value - p) ** 2 > z**2 * variance

    return Interval(_edge(0.0, value, beyond), _edge(1.0, value, beyond))


def _edge(outside: float, inside: float, beyond: Callable[[float], bool]) -> float:
    """End of the interval between two points; ``outside`` itself where nothing is beyond."""
    if outside == inside or not beyond(outside + (inside - outside) * 1e-15):
        return outside
    for _ in range(60):
        middle = (outside + inside) / 2
        if beyond(middle):
            outside = middle
        else:
            inside = middle
    return inside


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


def relabel(first: Floats, second: Floats) -> Relabelled | None:
    """Test by relabelling.

    ``None`` with fewer than two values in a sample, and beyond 200 values unless nothing overlaps.
    """
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
    observed = abs(float(_compute_statistics(ascending, (order < m)[None, :], m)[0]))
    # Without ties, all samples of these sizes share one distribution.
    null = _arrange(ascending, m) if ranks.tied else _drop_ties(m, n)
    extreme = null.size - int(np.searchsorted(null, observed * (1 - _ROUNDING), side="left"))
    if ways <= MOST_ENUMERATED:
        return Relabelled(extreme / ways, "enumerated", ways)
    return Relabelled((extreme + 1) / (DRAWN + 1), "drawn", DRAWN + 1)


@lru_cache(maxsize=64)
def _drop_ties(m: int, n: int) -> Floats:
    ties = _arrange(np.arange(1.0, m + n + 1), m)
    ties.flags.writeable = False
    return ties


def _arrange(ascending: Floats, m: int) -> Floats:
    """|t| of every arrangement of labels, or of those drawn, sorted."""
    size = ascending.size
    ways = math.comb(size, m)
    if ways <= MOST_ENUMERATED:
        labels = np.zeros((ways, size), dtype=bool)
        chosen = np.fromiter(
            (i for combination in combinations(range(size), m) for i in combination), np.intp, ways * m
        )
        labels[np.repeat(np.arange(ways), m), chosen] = True
    else:
        rng = np.random.default_rng(_SEED)
        labels = rng.permuted(np.broadcast_to(np.arange(size) < m, (DRAWN, size)), axis=1)
    return np.sort(np.abs(_compute_statistics(ascending, labels, m)))


def _compute_statistics(ascending: Floats, labels: npt.NDArray[np.bool_], m: int) -> npt.NDArray[np.float64]:
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
