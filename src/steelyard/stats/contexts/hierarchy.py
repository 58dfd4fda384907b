"""Repetition on several levels (contexts, launches, iterations), as Kalibera and Jones 2013 do it
(DOI 10.1145/2464157.2464160): variances of the levels, the interval, and how often to repeat each.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from steelyard.stats.interval import Interval
from steelyard.stats.student import t_quantile


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """A balanced hierarchy, its lowest level first.

    Attributes
    ----------
    repetitions : tuple of int
        On each level.
    s2 : tuple of float
        S_i^2: variance of the means of level i within those of the level above, averaged over all higher
        levels.
    t2 : tuple of float
        T_i^2 = S_i^2 - S_{i-1}^2 / r_{i-1}, what level i itself contributes; may come out below 0.
    """

    mean: float
    repetitions: tuple[int, ...]
    s2: tuple[float, ...]
    t2: tuple[float, ...]

    def interval(self, alpha: float = 0.05) -> Interval:
        """Mean -+ t sqrt(S_top^2 / r_top), with r_top - 1 degrees of freedom."""
        top = self.repetitions[-1]
        half = t_quantile(top - 1, alpha) * math.sqrt(self.s2[-1] / top)
        return Interval(self.mean - half, self.mean + half)

    def best(self, costs: Sequence[float]) -> tuple[int, ...]:
        """Repetitions of all levels but the top that make a mean most precise for its cost.

        r_i = ceil sqrt(c_{i+1} / c_i * T_i^2 / T_{i+1}^2), where c_i is what one more repetition on level i
        costs. A level above that contributes nothing is not worth repeating: the level below then takes all
        that it took here.
        """
        if len(costs) != len(self.t2) or min(costs) <= 0:
            raise ValueError(f"{len(self.t2)} levels need as many costs above 0, got {list(costs)}")
        return tuple(
            max(1, math.ceil(math.sqrt(costs[i + 1] / costs[i] * max(0.0, low) / high)))
            if high > 0
            else self.repetitions[i]
            for i, (low, high) in enumerate(zip(self.t2, self.t2[1:], strict=False))
        )


def hierarchy(values: npt.ArrayLike) -> Hierarchy:
    """Values with one axis a level, the top level first: ``values[context][launch][iteration]``."""
    means = np.asarray(values, dtype=np.float64)
    if means.ndim < 1 or min(means.shape) < 2:
        raise ValueError(f"every level needs two repetitions, got {means.shape}")
    s2: list[float] = []
    t2: list[float] = []
    below = 0.0
    for repetitions in reversed(means.shape):
        variance = float(means.var(axis=-1, ddof=1).mean())
        t2.append(variance - below)
        s2.append(variance)
        means, below = means.mean(axis=-1), variance / repetitions
    return Hierarchy(float(means), tuple(reversed(np.shape(values))), tuple(s2), tuple(t2))
