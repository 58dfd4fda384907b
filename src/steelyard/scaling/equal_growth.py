"""Whether both sides of a rule may grow alike, with other constants: left = a + b right, within noise.

Two posteriors, each sure of its own formula, may tell apart sides that differ in a constant alone. A straight
line needs no formula: where the left side is one over the right side, no data say that it grows faster. Both
sides have noise, so that squares are weighted by that of the left side and of b times the right one
("effective variance": Orear 1982, DOI 10.1119/1.12972).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from steelyard.arrays import Floats
from steelyard.growth import Rule
from steelyard.scaling.doubts import MISFIT
from steelyard.scaling.steady_ratio import FLOOR, sides_of
from steelyard.series import Series
from steelyard.special import f_sf

ROUNDS: Final = 20
"""Of weights that follow from the slope before; it settles after a few."""


def may_grow_alike(rule: Rule, functions: Mapping[str, Series]) -> bool:
    """Whether no straight line with a positive slope is refused by more than noise, at a p of ``MISFIT``."""
    sides = sides_of(rule, functions)
    left_over = len(sides.scales) - 2
    if left_over < 1 or sides.freedom < 1:
        return False
    slope, squares = _fit(sides.left, sides.right, _settle(sides.u_left), _settle(sides.u_right))
    return slope > 0 and f_sf(left_over, sides.freedom, squares / left_over) > MISFIT


def _settle(relative: Floats) -> Floats:
    """Raise uncertainties to their median: a few launches that agree by chance know no point better."""
    return np.maximum(np.maximum(relative, np.median(relative)), FLOOR)


def _fit(left: Floats, right: Floats, u_left: Floats, u_right: Floats) -> tuple[float, float]:
    """Return the slope of left over right, and the sum of weighted squares of the misses."""
    basis = np.stack([np.ones(len(right)), right], axis=1)
    slope, squares = 0.0, 0.0
    for _ in range(ROUNDS):
        weight = 1 / np.hypot(left * u_left, slope * right * u_right)
        (start, slope), *_ = np.linalg.lstsq(basis * weight[:, None], left * weight, rcond=None)
        squares = float((((left - start - slope * right) * weight) ** 2).sum())
    return float(slope), squares
