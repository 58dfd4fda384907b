"""``benchmark.stats`` with the names that pytest-benchmark gives it, for tests that assert on them."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean, median, quantiles, stdev
from typing import Any

import msgspec


class Statistics(msgspec.Struct, frozen=True):
    """Seconds of one call in each pass so far; in the first pass, of one timing after the warm-up.

    Attributes
    ----------
    data : sequence of float
        At least one value.
    """

    data: Sequence[float]

    @property
    def rounds(self) -> int:
        """Number of values."""
        return len(self.data)

    @property
    def total(self) -> float:
        """Sum of the values."""
        return sum(self.data)

    @property
    def min(self) -> float:
        """Least value."""
        return min(self.data)

    @property
    def max(self) -> float:
        """Greatest value."""
        return max(self.data)

    @property
    def mean(self) -> float:
        """Arithmetic mean."""
        return fmean(self.data)

    @property
    def stddev(self) -> float:
        """Sample standard deviation; 0 of one value."""
        return stdev(self.data) if len(self.data) > 1 else 0.0

    @property
    def median(self) -> float:
        """Median."""
        return median(self.data)

    @property
    def q1(self) -> float:
        """Lower quartile, interpolated between the values."""
        return self._compute_quartiles()[0]

    @property
    def q3(self) -> float:
        """Upper quartile, interpolated between the values."""
        return self._compute_quartiles()[2]

    @property
    def iqr(self) -> float:
        """Distance of the quartiles."""
        return self.q3 - self.q1

    @property
    def ops(self) -> float:
        """Calls in a second: 1 / mean."""
        return 1 / self.mean

    def _compute_quartiles(self) -> list[float]:
        return quantiles(self.data, n=4, method="inclusive") if len(self.data) > 1 else [*self.data] * 3


class Metadata(msgspec.Struct, frozen=True):
    """What ``benchmark.stats`` is: ``stats.stats.mean`` and ``stats["mean"]`` are the same number.

    Attributes
    ----------
    stats : Statistics
    iterations : int
        Calls of one value.
    """

    stats: Statistics
    iterations: int

    def __getitem__(self, key: str) -> Any:
        """Return a statistic by its name."""
        place = self if key in self.__struct_fields__ else self.stats
        try:
            return getattr(place, key)
        except AttributeError:
            raise KeyError(key) from None
