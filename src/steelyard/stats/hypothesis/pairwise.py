"""Order statistics of all sums or differences of two values, without making them all.

Rows are the values of one sample, shifted; each row is ascending. A bracket of values is a range of every
row, found by binary search. Pivots are quantiles of a random draw from the bracket, three standard errors on
either side of what is looked for, so that a bracket of 10^8 shrinks below 10^6 in two or three rounds; then
it is written out (after Floyd and Rivest 1975, DOI 10.1145/360680.360691, and Monahan 1984, DOI
10.1145/1271.319414).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec
import numpy as np
import numpy.typing as npt

from steelyard.core.arrays import Floats

WRITTEN_OUT: Final = 1_000_000
"""Up to this many pairwise values are computed and partitioned, in 10 ms."""
_DRAWN: Final = 4096

Places = npt.NDArray[np.int64]


class Rows(msgspec.Struct, frozen=True, eq=False):
    """Values ``shifts[i] + ascending[j]`` for j >= ``first[i]``."""

    shifts: Floats
    ascending: Floats
    first: Places

    @property
    def count(self) -> int:
        """Number of pairwise values."""
        return int((self.ascending.size - self.first).sum())

    def kth(self, ranks: Sequence[int]) -> list[float]:
        """Return the values of these ranks, from 1."""
        if self.count <= WRITTEN_OUT:
            every = self._write_block(self.first, np.full(self.first.size, self.ascending.size))
            places = [k - 1 for k in ranks]
            every.partition(sorted(set(places)))
            return [float(every[place]) for place in places]
        return [self._select(k) for k in ranks]

    def _select(self, k: int) -> float:
        rng = np.random.default_rng(1)
        low, high = self.first, np.full(self.first.size, self.ascending.size, dtype=np.int64)
        while True:
            below, size = int((low - self.first).sum()), int((high - low).sum())
            if size <= WRITTEN_OUT:
                every = self._write_block(low, high)
                every.partition(k - below - 1)
                return float(every[k - below - 1])
            drawn = np.sort(self._draw(rng, low, high))
            share = (k - below) / size
            slack = 3 * np.sqrt(_DRAWN * share * (1 - share)) + 1
            least = drawn[max(0, int(share * _DRAWN - slack))]
            most = drawn[min(_DRAWN - 1, int(share * _DRAWN + slack))]
            narrowed = self._narrow(k, low, high, least, most)
            if (
                int((narrowed[1] - narrowed[0]).sum()) == size
            ):  # equal values fill the bracket: one pivot parts them
                least = most = drawn[min(_DRAWN - 1, int(share * _DRAWN))]
                narrowed = self._narrow(k, low, high, least, most)
                if int((narrowed[1] - narrowed[0]).sum()) == size:  # rounding hides what is left
                    return float(least)
            if least == most and narrowed[0] is not low and narrowed[1] is not high:
                return float(least)
            low, high = narrowed

    def _narrow(self, k: int, low: Places, high: Places, least: float, most: float) -> tuple[Places, Places]:
        """Return the part of the bracket that holds rank k.

        It lies below both pivots, above them, or from one to the other.
        """
        from_ = np.clip(np.searchsorted(self.ascending, least - self.shifts, side="left"), low, high)
        to = np.clip(np.searchsorted(self.ascending, most - self.shifts, side="right"), low, high)
        if k <= int((from_ - self.first).sum()):
            return low, from_
        return (to, high) if k > int((to - self.first).sum()) else (from_, to)

    def _draw(self, rng: np.random.Generator, low: Places, high: Places) -> Floats:
        upto = np.cumsum(high - low)
        flat = rng.integers(0, upto[-1], _DRAWN)
        row = np.searchsorted(upto, flat, side="right")
        column = high[row] - (upto[row] - flat)
        drawn: Floats = self.shifts[row] + self.ascending[column]
        return drawn

    def _write_block(self, low: Places, high: Places) -> Floats:
        lengths = high - low
        row = np.repeat(np.arange(low.size), lengths)
        starts = np.repeat(low - (np.cumsum(lengths) - lengths), lengths)
        written: Floats = self.shifts[row] + self.ascending[np.arange(row.size) + starts]
        return written


def differences(first: Floats, second: Floats) -> Rows:
    """All ``second[j] - first[i]``; ``second`` must be sorted."""
    return Rows(-first, second, np.zeros(first.size, dtype=np.int64))


def sums(ascending: Floats) -> Rows:
    """All ``ascending[i] + ascending[j]`` with i <= j."""
    return Rows(ascending, ascending, np.arange(ascending.size, dtype=np.int64))
