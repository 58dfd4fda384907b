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

from steelyard.core.arrays import Floats
from steelyard.core.series import Series
from steelyard.core.special import f_sf
from steelyard.extensions.growth.algebra import GrowthRule
from steelyard.extensions.growth.scaling.doubts import MISFIT
from steelyard.extensions.growth.scaling.steady_ratio import FLOOR, add_up_sides

ROUNDS: Final = 20
"""Of weights that follow from the slope before; it settles after a few."""


def is_equal_growth(rule: GrowthRule, functions: Mapping[str, Series]) -> bool:
    """Whether no straight line with a positive slope is refused by more than noise, at a p of ``MISFIT``."""
    sides = add_up_sides(rule, functions)
    left_over = len(sides.scales) - 2
    if left_over < 1 or sides.freedom < 1:
        return False
    slope, squares = _fit(sides.above, sides.below, _settle(sides.u_above), _settle(sides.u_below))
    return slope > 0 and f_sf(left_over, sides.freedom, squares / left_over) > MISFIT


def _settle(relative: Floats) -> Floats:
    """Raise uncertainties to their median: a few launches that agree by chance know no point better."""
    return np.maximum(np.maximum(relative, np.median(relative)), FLOOR)


def _fit(above: Floats, below: Floats, u_above: Floats, u_below: Floats) -> tuple[float, float]:
    """Return the slope of above over below, and the sum of weighted squares of the misses."""
    basis = np.stack([np.ones(len(below)), below], axis=1)
    slope, squares = 0.0, 0.0
    for _ in range(ROUNDS):
        weight = 1 / np.hypot(above * u_above, slope * below * u_below)
        (start, slope), *_ = np.linalg.lstsq(basis * weight[:, None], above * weight, rcond=None)
        squares = float((((above - start - slope * below) * weight) ** 2).sum())
    return float(slope), squares
