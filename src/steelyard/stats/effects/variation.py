"""Allocation of variation: the share of each effect in the sum of squares.

It is given as Jain's percentage of variation and as omega squared.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from steelyard.core.arrays import Floats
from steelyard.stats.effects.cells import Cells


class Variation(msgspec.Struct, frozen=True):
    """Sums of squares of logarithms. In blocks, differences between whole blocks are excluded.

    Attributes
    ----------
    total : float
        About the mean of each block; without blocks, about the mean of all.
    between : float
        Between the means of the treatments.
    error : float or None
        Mean square of what is left; ``None`` where nothing is replicated.
    replicates : float
        Units, or the harmonic mean of launches.
    """

    total: float
    between: float
    error: float | None
    replicates: float

    @property
    def rest(self) -> float:
        """Share of the total that no treatment explains, between 0 and 1."""
        return max(0.0, 1 - self.between / self.total) if self.total > 0 else 0.0

    def share(self, squares: float) -> float:
        """Fraction of the total (Jain 1991, section 17.4; biased upwards, since chance is part of it)."""
        return min(1.0, squares / self.total) if self.total > 0 else 0.0

    def omega2(self, squares: float, df: int) -> float | None:
        """(SS - df MSE) / (SST + MSE), which chance alone leaves at 0 in the mean; ``None`` without error."""
        if self.error is None or self.total <= 0:
            return None
        return (squares - df * self.error) / (self.total + self.error)


def variation(cells: Cells) -> Variation:
    """Return the decomposition for these cells."""
    means = np.array([float(x.mean()) for x in cells.logs])
    count = len(cells.logs)
    if cells.paired:
        table = cells.table
        n = table.shape[0]
        centred = table - table.mean(axis=1, keepdims=True)
        total = float((centred**2).sum())
        between = n * float(((means - means.mean()) ** 2).sum())
        df = (n - 1) * (count - 1)
    else:
        sizes = [x.size for x in cells.logs]
        n = count / sum(1 / size for size in sizes)
        within = float(sum(((x - x.mean()) ** 2).sum() for x in cells.logs))
        between = n * float(((means - means.mean()) ** 2).sum())
        total = between + within
        df = sum(sizes) - count
    error = max(0.0, total - between) / df if df else None
    return Variation(total, between, error, float(n))


def squares_of(means: Floats | Sequence[float], replicates: float) -> float:
    """Return the sum of squares of orthonormal contrasts of the means."""
    values = np.asarray(means, dtype=np.float64)
    return replicates * float(values @ values)
