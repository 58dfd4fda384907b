"""Instances crossed with blocks or contexts.

What each adds to the variance of the mean log ratio is a random effect of its own.
"""

from __future__ import annotations

import math

import msgspec
import numpy as np
import numpy.typing as npt

from steelyard.core.arrays import Floats
from steelyard.core.sample import Sample


class Crossed(msgspec.Struct, frozen=True):
    """Mean squares of log ratios d_iu, one for each instance i and unit u: d = mean + a_i + b_u + e_iu.

    Attributes
    ----------
    instances, units : int
        Units are blocks, or contexts where these return.
    of_instances, of_units, of_rest : float
        With I - 1, U - 1 and (I - 1)(U - 1) degrees of freedom.
    """

    instances: int
    units: int
    of_instances: float
    of_units: float
    of_rest: float

    @property
    def added(self) -> float:
        """Variance of the mean that units add to the one seen between instances, (MS_U - MS_E) / (I U).

        It is not below 0.
        """
        return max(0.0, self.of_units - self.of_rest) / (self.instances * self.units)

    @property
    def nu(self) -> float:
        """Degrees of freedom of MS_I + MS_U - MS_E (Satterthwaite 1946, DOI 10.2307/3002019).

        The rest is counted as known, which leaves fewer.
        """
        value, rest = self.of_instances, max(0.0, self.of_units - self.of_rest)
        squares = value**2 / (self.instances - 1) + rest**2 / (self.units - 1)
        return (value + rest) ** 2 / squares if squares else self.instances - 1.0

    @property
    def share_left(self) -> float:
        """The share of the standard error that more blocks leave.

        Instances, and contexts if they are units, are those that there are.
        """
        return math.sqrt(max(0.0, 1 - self.of_rest / self.of_instances)) if self.of_instances else 0.0


def cross_instances(baseline: Sample, treatment: Sample) -> Crossed | None:
    """Cross instances with units; ``None`` where a combination is missing, or one of both is single."""
    tables = [_compute_table(sample) for sample in (baseline, treatment)]
    if tables[0] is None or tables[1] is None or tables[0].shape != tables[1].shape:
        return None
    d = tables[0] - tables[1]
    if min(d.shape) < 2 or not np.isfinite(d).all():
        return None
    instances, units = d.shape
    mean, rows, columns = d.mean(), d.mean(axis=1), d.mean(axis=0)
    rest = d - rows[:, np.newaxis] - columns + mean
    return Crossed(
        instances,
        units,
        units * float(rows.var(ddof=1)),
        instances * float(columns.var(ddof=1)),
        float((rest**2).sum()) / ((instances - 1) * (units - 1)),
    )


def _compute_table(sample: Sample) -> Floats | None:
    """Mean logarithms, instances by units; ``None`` where one is missing."""
    if sample.instances is None:
        return None
    values = np.asarray(sample.values, dtype=np.float64)
    if values.size == 0 or not (values > 0).all():
        return None
    contexts = np.asarray(sample.contexts, dtype=np.int64)
    blocks = np.asarray(sample.blocks, dtype=np.int64)
    of_units = contexts if contexts.all() and np.unique(contexts).size < np.unique(blocks).size else blocks
    row = _find_places(np.asarray(sample.instances.ids, dtype=np.int64))
    column = _find_places(of_units)
    shape = int(row.max()) + 1, int(column.max()) + 1
    cell = row * shape[1] + column
    count = np.bincount(cell, minlength=shape[0] * shape[1])
    if not count.all():
        return None
    return np.asarray((np.bincount(cell, np.log(values)) / count).reshape(shape), dtype=np.float64)


def _find_places(ids: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    return np.asarray(np.unique(ids, return_inverse=True)[1], dtype=np.int64)
