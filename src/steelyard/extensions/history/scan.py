"""The scan for steps: every split of every interval of a fixed family, at O(T log T) of them.

The intervals are seeded (Kovacs, Buehlmann, Li and Munk 2023, DOI 10.1093/biomet/asac052): of each length 4,
8, 16, … and T, every quarter length. Of those that show a step, the narrowest locates it (Baranowski, Chen
and Fryzlewicz 2019, DOI 10.1111/rssb.12322), so that an interval with two steps, one up and one down, decides
nothing while there are others with one.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import msgspec
import numpy as np

from steelyard.core.arrays import Floats, Ints
from steelyard.extensions.history.noise import LEAST_SIDE


class Intervals(msgspec.Struct, frozen=True):
    """All intervals of one length.

    Attributes
    ----------
    starts : array of int, shape (k,)
        First record of each.
    splits : array of int, shape (k, m)
        First record behind each split of each interval.
    """

    length: int
    starts: Ints
    splits: Ints


@lru_cache(maxsize=256)
def make_intervals(n: int) -> tuple[Intervals, ...]:
    """Return the family for a series of ``n`` records, shortest first."""
    lengths = [*_double(2 * LEAST_SIDE, n), n]
    family = []
    for length in lengths:
        starts = np.unique([*range(0, n - length + 1, max(1, length // 4)), n - length])
        inside = np.arange(LEAST_SIDE, length - LEAST_SIDE + 1)
        family.append(Intervals(length, starts, starts[:, np.newaxis] + inside))
    return tuple(family)


def _double(first: int, below: int) -> Iterator[int]:
    while first < below:
        yield first
        first *= 2


class Sums(msgspec.Struct, frozen=True):
    """Running sums of weights and weighted values, with a zero in front."""

    weights: Floats
    values: Floats

    @classmethod
    def make(cls, series: Floats, weights: Floats) -> Sums:
        """Add up one series, or each row of several that share their weights."""
        zero = np.zeros((*series.shape[:-1], 1))
        return cls(
            np.concatenate([[0.0], np.cumsum(weights)]),
            np.concatenate([zero, np.cumsum(series * weights, axis=-1)], axis=-1),
        )

    def steps(self, start: Ints, splits: Ints, end: Ints) -> Floats:
        """Mean behind a split less mean before it, over its standard error for noise of variance 1."""
        before, after = self.weights[splits] - self.weights[start], self.weights[end] - self.weights[splits]
        before_mean = (self.values[..., splits] - self.values[..., start]) / before
        right = (self.values[..., end] - self.values[..., splits]) / after
        steps: Floats = (right - before_mean) * np.sqrt(before * after / (before + after))
        return steps


def largest(series: Floats) -> Floats:
    """Return the largest absolute step of each row, in units of the noise's standard deviation times 1."""
    sums = Sums.make(series, np.ones(series.shape[-1]))
    best = np.zeros(series.shape[:-1])
    for intervals in make_intervals(series.shape[-1]):
        start = intervals.starts[:, np.newaxis]
        sizes = np.abs(sums.steps(start, intervals.splits, start + intervals.length))
        best = np.maximum(best, sizes.max(axis=(-2, -1)))
    return best


class Scan(msgspec.Struct, frozen=True):
    """The largest step of every interval of one series, narrowest intervals first.

    Attributes
    ----------
    starts, ends : array of int
        Of the intervals.
    splits : array of int
        First record behind the largest step.
    sizes : array
        Its absolute value, over its standard error.
    """

    starts: Ints
    ends: Ints
    splits: Ints
    sizes: Floats

    @classmethod
    def make(cls, sums: Sums) -> Scan:
        """Scan one series."""
        parts = []
        for intervals in make_intervals(sums.weights.size - 1):
            start = intervals.starts[:, np.newaxis]
            magnitudes = np.abs(sums.steps(start, intervals.splits, start + intervals.length))
            best = magnitudes.argmax(axis=1)
            rows = np.arange(best.size)
            parts.append(
                (
                    intervals.starts,
                    intervals.starts + intervals.length,
                    intervals.splits[rows, best],
                    magnitudes[rows, best],
                )
            )
        starts, ends, splits, sizes = (np.concatenate(column) for column in zip(*parts, strict=True))
        return cls(starts, ends, splits, sizes)

    def narrowest_over(self, threshold: float) -> list[int]:
        """Return splits of the narrowest intervals with a larger step, none of which contains another."""
        remaining = np.flatnonzero(self.sizes > threshold)
        numbers: list[int] = []
        while remaining.size:
            lengths = self.ends[remaining] - self.starts[remaining]
            narrow = remaining[lengths == lengths.min()]
            split = int(self.splits[narrow[self.sizes[narrow].argmax()]])
            numbers.append(split)
            remaining = remaining[(self.starts[remaining] >= split) | (self.ends[remaining] <= split)]
        return sorted(numbers)
