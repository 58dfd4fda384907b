"""Second opinions on a value beyond the data: the simplest fit, and the slope of the end.

A posterior is sure of its formulas, and where truths are outside of them it is sure of something false. Two
answers have other faults. The *simplest fit* is c + a f by least squares, f chosen by leaving one point out:
the method of Extra-P, over the space ``wide``; large values count most there. The *slope of the end* goes on
from the last three points as a power. Where the formula misses points and no switch explains it, the middle
one of the three answers stands; where the formula and the simplest fit both meet the points, a mean of the
two.
"""

from __future__ import annotations

from functools import lru_cache
from statistics import median
from typing import Final

import msgspec
import numpy as np

from steelyard.core.arrays import Floats
from steelyard.extensions.growth.scaling.candidates import Booleans, usable
from steelyard.extensions.growth.scaling.columns import Exponents, TermColumn
from steelyard.extensions.growth.scaling.spaces import wide_space

SHARE: Final = 0.4
"""Of the simplest fit in the mean, in logarithms."""
MEETS: Final = 2.5
"""Mean relative uncertainties of a point by which the simplest fit may miss a point that is left out."""
END: Final = 3
"""Points whose slope goes on."""


class Seconds(msgspec.Struct, frozen=True):
    """Values beyond the data, functions first.

    Attributes
    ----------
    simplest, slope : array (n, targets)
    meets : array (n,) of bool
        Whether the simplest fit meets the points.
    """

    simplest: Floats
    slope: Floats
    meets: Booleans

    def convert(self, row: int, target: int, value: float, *, misfit: bool) -> float:
        """Return the value that stands for ``value``, the posterior's.

        It depends on whether the formula of ``value`` misses points or does not.
        """
        simplest = float(self.simplest[row, target])
        if misfit:
            return median((value, simplest, float(self.slope[row, target])))
        if self.meets[row] and simplest > 0 and value > 0:
            return float(value ** (1 - SHARE) * simplest**SHARE)
        return value


def compare_answers(points: Floats, values: Floats, u2: Floats, targets: Floats) -> Seconds:
    """Compare answers of functions of one parameter.

    Parameters
    ----------
    points : array (m, 1)
        Ascending.
    values, u2 : array (n, m)
        And squares of their standard uncertainties.
    targets : array (targets, 1)
    """
    simplest, miss = _fit_simplest(points, values, targets)
    u = np.sqrt(u2).mean(axis=1) / np.maximum(np.abs(values).mean(axis=1), 1e-300)
    return Seconds(simplest, _slope(points, values, targets), miss <= MEETS * u)


def _slope(points: Floats, values: Floats, targets: Floats) -> Floats:
    """Return what the last points come to by one power, from the last one on."""
    x, y = np.log(points[-END:, 0]), np.log(np.maximum(values[:, -END:], 1e-300))
    centred = x - x.mean()
    slope = y @ centred / (centred @ centred)
    far = np.log(targets[:, 0]) - x[-1]
    with np.errstate(over="ignore"):
        return np.asarray(np.maximum(values[:, -1:], 0.0) * np.exp(slope[:, None] * far))


@lru_cache(maxsize=64)
def _list_columns(grid: bytes) -> tuple[Exponents, Floats]:
    """Those terms that can be told at these points, and their values there (terms, m)."""
    points = np.frombuffer(grid).reshape(-1, 1)
    exponents = Exponents.make([TermColumn((t,)) for t in wide_space().terms if usable(points, (t,))], 1)
    return exponents, exponents.at(points)


def _fit_simplest(points: Floats, values: Floats, targets: Floats) -> tuple[Floats, Floats]:
    """Values by the best term (n, targets), and the mean relative distance of points left out (n,)."""
    exponents, columns = _list_columns(np.ascontiguousarray(points).tobytes())
    size = columns.max(axis=1)
    columns = columns / size[:, None]
    centre, m = columns.mean(axis=1), len(points)
    centred = columns - centre[:, None]
    spread = np.maximum((centred**2).sum(axis=1), 1e-300)
    mean = values.mean(axis=1)
    growth: Floats = np.einsum("nm,tm->nt", values - mean[:, None], centred) / spread
    keeps = 1 - 1 / m - centred**2 / spread[:, None]  # of each point, how much its residual keeps
    left_out = (values[:, None, :] - mean[:, None, None] - growth[:, :, None] * centred) / np.maximum(
        keeps, 1e-9
    )
    miss = _relative(left_out, values[:, None, :])
    miss[growth <= 0] = np.inf
    best = miss.argmin(axis=1)
    rows = np.arange(len(values))
    plain = _relative((values - mean[:, None]) * (m / (m - 1)), values)
    grows = miss[rows, best] < plain
    reach = exponents.at(targets)[best] / size[best][:, None] - centre[best][:, None]
    part = np.where(grows, growth[rows, best], 0.0)[:, None] * reach
    return mean[:, None] + part, np.where(grows, miss[rows, best], plain)


def _relative(distance: Floats, values: Floats) -> Floats:
    """Mean distance, relative to the mean size of the value and of what predicts it."""
    size = (np.abs(values) + np.abs(values - distance)) / 2
    return np.asarray((np.abs(distance) / np.maximum(size, 1e-300)).mean(axis=-1))
