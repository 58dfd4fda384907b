"""Intervals beyond the data that hold real codes: the model's own miss of the last point widens them.

A posterior knows the noise and the formulas that were searched. It does not know that codes change their
ways. So the last point is predicted from those before. What is missed there beyond the noise is missed again,
and more the farther away. How much more was learnt on public scaling series
(``benchmarks/scaling/library.toml``), by a Student t of logarithms; the codes that judge it are others.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np
from msgspec.structs import replace

from steelyard.core.arrays import Floats
from steelyard.extensions.growth.scaling.aggregate import Aggregated
from steelyard.extensions.growth.scaling.checks import LEAST_POINTS
from steelyard.extensions.growth.scaling.model import NotModelled, Prediction, ScalingModel

OF_MISS: Final = 2.0
"""Half-width, in logarithms, for each unit missed at the last point and each of its steps beyond."""
OF_INTERVAL: Final = 0.7
WIDEST: Final = 1.0
"""… for each of the posterior's own half-width, up to so much; both are added in squares."""
OF_NOISE: Final = 2.0
"""Standard uncertainties of the last point that are no miss, where repetitions tell them."""
LARGEST: Final = 100.0
"""Half-width, in logarithms, that is reckoned with at most."""


def relative_noise(data: Aggregated) -> Floats:
    """Return the relative standard uncertainty of the last point, (n,), of at most ``LARGEST``.

    0 where no repetitions tell it.
    """
    u = np.sqrt(data.u2[:, -1])
    relative = u / np.maximum(np.abs(data.value[:, -1]), np.maximum(u / LARGEST, 1e-300))
    return np.where(data.freedom > 0, relative, 0.0)


def last_miss(
    before: ScalingModel | NotModelled | None, scales: Sequence[float], values: Sequence[float]
) -> float:
    """Return the logarithm by which ``before`` misses the last point, for each unit of its step.

    Without a model of the points before it is how much the last two slopes differ, in logarithms.
    """
    step = math.log(scales[-1] / scales[-2])
    if len(scales) > LEAST_POINTS and isinstance(before, ScalingModel):
        return _distance(values[-1], before.predictions[0].value) / step
    slopes = [
        math.log(values[at] / values[at - 1]) / math.log(scales[at] / scales[at - 1]) for at in (-1, -2)
    ]
    return abs(slopes[0] - slopes[1])


def _distance(value: float, reference: float) -> float:
    return abs(math.log(value / reference)) if value > 0 and reference > 0 else LARGEST


def allow_misses(model: ScalingModel, miss: float, noise: float, scales: Sequence[float]) -> ScalingModel:
    """Return the model, its intervals beyond the last scale at least as wide as a miss makes them.

    Parameters
    ----------
    miss : float
        As of ``last_miss``.
    noise : float
        Relative standard uncertainty of the last point.
    """
    last = scales[-1]
    allowed = OF_NOISE * noise / math.log(last / scales[-2])
    beyond = math.sqrt(max(miss**2 - allowed**2, 0.0))
    return replace(
        model, predictions=tuple(_widen(prediction, beyond, last) for prediction in model.predictions)
    )


def _widen(prediction: Prediction, beyond: float, last: float) -> Prediction:
    value, low, high = prediction.value, prediction.low, prediction.high
    if prediction.at[0] <= last or low is None or high is None or not 0 < value < math.inf:
        return prediction
    missed = OF_MISS * beyond * math.log(prediction.at[0] / last)
    downwards, upwards = (_half_width(_distance(value, end), missed) for end in (low, high))
    return replace(
        prediction, low=min(low, value * math.exp(-downwards)), high=max(high, value * math.exp(upwards))
    )


def _half_width(posterior: float, missed: float) -> float:
    return min(math.hypot(missed, OF_INTERVAL * min(posterior, WIDEST)), LARGEST)
