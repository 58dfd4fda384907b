"""A second tier: the growth that is expected, steeper from some scale on.

A fat tree whose second tier has slower links, or a cache that is left, makes a time that is straight in the
expected growth on both sides of a change. Where the change lies between two points, no three last points are
on one line, and the nearest formula is a power. So the expected growth with one such change is fitted, its
place free, and the formula must not miss more than it does.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Final

import numpy as np

from steelyard.core.arrays import Floats
from steelyard.extensions.growth.algebra import CONSTANT, Growth
from steelyard.extensions.growth.scaling.model import ModelWarning, ScalingModel
from steelyard.extensions.growth.scaling.points import Points

PLACES: Final = 8
"""Places of the change that are tried between two points."""
COEFFICIENTS: Final = 4
"""Of a tier: a constant, both slopes, the place of the change."""
MISSED_MORE: Final = 1.0
"""Square, in standard uncertainties, by which a formula may miss the points more than a tier does."""


def describe_tier(model: ScalingModel, growth: Growth, parameter: str, points: Points) -> ModelWarning | None:
    """Return a word on a second tier that meets the points better than the formula; ``None`` without one."""
    if growth <= CONSTANT or len(points.scales) < COEFFICIENTS:
        return None
    values, u2 = np.asarray(points.values), np.maximum(np.asarray(points.u2), 1e-300)
    by_formula = np.array([model.at(scale) for scale in points.scales])
    missed = float(((values - by_formula) ** 2 / u2).sum())
    missed_by_tier, change = fit_tier(growth, points.scales, values, u2)
    free = len(values) - COEFFICIENTS
    # Without repetitions, what the tier misses is what is known of the noise.
    unit = 1.0 if points.freedom > 0 else missed_by_tier / max(free, 1)
    if missed - missed_by_tier <= MISSED_MORE * unit:
        return None
    words = (
        f"{growth.big_o(parameter)} with a second, steeper tier from {parameter} = {change:.3g} meets the"
        " points better: three points beyond tell"
    )
    return ModelWarning("misfit", words)


def fit_tier(growth: Growth, scales: Sequence[float], values: Floats, u2: Floats) -> tuple[float, float]:
    """Fit c + a E + b (E - E(s)) beyond s, with a and b from 0 up, by weighted least squares.

    Returns
    -------
    tuple of float
        The weighted sum of squares that is missed, infinite where no such tier fits, and s.
    """
    weight = 1 / np.sqrt(u2)
    expected = np.array([growth.at(scale) if scale > 1 or not growth.log else 0.0 for scale in scales])
    best = (float("inf"), scales[-1])
    for first, second in itertools.pairwise(scales[1:]):
        for change in np.geomspace(first, second, PLACES, endpoint=False).tolist():
            steeper = np.maximum(expected - growth.at(change), 0.0)
            basis = np.stack([np.ones(len(scales)), expected, steeper], axis=1)
            size = np.abs(basis).max(axis=0)
            scaled = basis / size * weight[:, None]
            coefficient, *_ = np.linalg.lstsq(scaled, values * weight, rcond=1e-12)
            if coefficient[1] >= 0 and coefficient[2] >= 0:
                missed = float(((values * weight - scaled @ coefficient) ** 2).sum())
                best = min(best, (missed, change))
    return best
