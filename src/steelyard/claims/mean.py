"""``Mean``: the mean of one treatment over what is independent, with an interval and a test of a bound."""

from __future__ import annotations

import math

import msgspec
import numpy as np
import numpy.typing as npt

from steelyard.answers.interval import Interval
from steelyard.answers.undefined import Undefined
from steelyard.arrays import Floats
from steelyard.claims.evidence import Unit
from steelyard.sample import Sample
from steelyard.stats.distributions.quantile import Quantile
from steelyard.stats.distributions.student import t_quantile, two_sided_p


class Mean(msgspec.Struct, frozen=True):
    """An arithmetic mean, in the metric's unit.

    Attributes
    ----------
    s : float
        Standard deviation of the units; 0 where all are equal.
    n, by : units
    positive : bool
        No unit is below 0, as of a time or a size, so that no interval reaches below either.
    """

    value: float
    s: float
    n: int
    by: Unit
    positive: bool = False

    @property
    def u(self) -> float:
        """The standard uncertainty of the mean, s / sqrt(n)."""
        return self.s / math.sqrt(self.n)

    def interval(self, alpha: float = 0.05) -> Interval | None:
        """Mean -+ t u. Of equal values: the value itself, where so many equal ones are that rare by chance
        (sign test, 2^(1-n)); ``None`` where they are too few.
        """
        if self.s == 0:
            return Interval(self.value, self.value) if 2.0 ** (1 - self.n) <= alpha else None
        half = t_quantile(self.n - 1, alpha) * self.u
        low = self.value - half
        return Interval(max(low, 0.0) if self.positive else low, self.value + half)

    def p_of(self, bound: float) -> float:
        """Two-sided p of the hypothesis that the mean is ``bound``; at most alpha exactly when the interval
        at that level excludes it.
        """
        if self.s == 0:
            return 1.0 if self.value == bound else 2.0 ** (1 - self.n)
        return two_sided_p((self.value - bound) / self.u, self.n - 1)


def mean_of(sample: Sample, *, sequential: bool = False) -> Mean | Undefined:
    """The mean over contexts where they return, over blocks where not, over launches where the order was
    sequential.
    """
    values = np.asarray(sample.values, dtype=np.float64)
    if not values.size:
        return Undefined("no_values")
    if not np.isfinite(values).all():
        return Undefined("not_finite")
    by: Unit = "repetition" if sample.provenance == "one_process" else "launch"
    if not sequential:
        blocks = np.asarray(sample.blocks, dtype=np.int64)
        contexts = np.asarray(sample.contexts, dtype=np.int64)
        values, first = _grouped(values, blocks)
        by = "block"
        at = contexts[first]
        if at.all() and np.unique(at).size < at.size:
            values, _ = _grouped(values, at)
            by = "context"
    if values.size == 1 and sample.provenance == "simulated":
        return Mean(float(values[0]), 0.0, 1, by)
    if values.size < 2:
        return Undefined("one_context" if by == "context" else "one_block" if by == "block" else "one_value")
    # The mean of equal values is that value, and rounding gives it no spread.
    if np.ptp(values) == 0:
        return Mean(float(values[0]), 0.0, values.size, by)
    positive = bool((values >= 0).all())
    return Mean(float(values.mean()), float(values.std(ddof=1)), values.size, by, positive)


class Tail(Quantile, frozen=True, eq=False):
    """A quantile as the evidence of a limit; order statistics bound it, and no standard uncertainty."""

    by: Unit = "launch"
    u: None = None

    @property
    def s(self) -> float:
        """Standard deviation of the values; 0 where all are equal."""
        return float(self.ascending.std(ddof=1)) if np.ptp(self.ascending) > 0 else 0.0


def tail_of(sample: Sample, of: float, *, sequential: bool = False) -> Tail | Undefined:
    """A quantile of one treatment's launches; of the means of blocks where these have several."""
    values = np.asarray(sample.values, dtype=np.float64)
    if not values.size:
        return Undefined("no_values")
    if not np.isfinite(values).all():
        return Undefined("not_finite")
    several = not sequential and np.unique(np.asarray(sample.blocks)).size < values.size
    if several:
        values, _ = _grouped(values, np.asarray(sample.blocks, dtype=np.int64))
    return Tail(np.sort(values), of, "block" if several else "launch")


def _grouped(values: Floats, ids: npt.NDArray[np.int64]) -> tuple[Floats, npt.NDArray[np.intp]]:
    """The mean of each group, and where it starts."""
    _, first, place, count = np.unique(ids, return_index=True, return_inverse=True, return_counts=True)
    means = np.bincount(place, values) / count
    # A sum of equal values misses them by rounding, which would carry them over a bound that they keep.
    low, high = np.full(count.size, np.inf), np.full(count.size, -np.inf)
    np.minimum.at(low, place, values)
    np.maximum.at(high, place, values)
    return np.clip(means, low, high), first
