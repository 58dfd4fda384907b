"""The inverse answer: the smallest scale at which a limit breaks, with its interval."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Final

import msgspec
import numpy as np
from msgspec.structs import replace

from steelyard.core.arrays import Floats
from steelyard.core.series import Series
from steelyard.extensions.growth.scaling.checks import LARGEST_PARAMETER
from steelyard.extensions.growth.scaling.model import ModelWarning, NotModelled, Prediction
from steelyard.extensions.growth.scaling.modelling import model
from steelyard.extensions.growth.scaling.question import Question
from steelyard.extensions.growth.scaling.warnings import FAR, warn_of_distance

FARTHEST: Final = 2.0**14
"""Times the largest measured scale that is looked at."""
STEPS: Final = 6
"""Scales in each octave; between them the answer is interpolated."""


class Breaks(msgspec.Struct, frozen=True):
    """Where a value passes a limit.

    Attributes
    ----------
    at : float or None
        By the formula, from which on the value exceeds the limit; ``None`` where it does not within
        ``FARTHEST`` times the range.
    earliest, latest : float or None
        Where the upper and the lower end of the 95 % interval pass it; ``None`` where an end never does, and
        by the method of Shudler et al. 2019, which has no interval.
    above_until : float or None
        Where a value that begins above the limit falls to it; ``None`` where it begins within the limit or
        never falls to it.
    warnings : tuple of ModelWarning
        What a reader must know of the model that says so.
    other_parameters : mapping of str to float
        The other parameters, and where they stay: at the largest that was measured.
    """

    limit: float
    parameter: str
    at: float | None
    earliest: float | None
    latest: float | None
    above_until: float | None = None
    warnings: tuple[ModelWarning, ...] = ()
    other_parameters: Mapping[str, float] = {}


def breaks(series: Series, limit: float, question: Question | None = None) -> Breaks | NotModelled:
    """Find where the metric comes to exceed ``limit``.

    The first (or named) parameter grows, others are at their largest.
    """
    full = question or Question()
    at = series.parameters.index(full.parameter) if full.parameter in series.parameters else 0
    name = series.parameters[at]
    measured = sorted({point.at[at] for point in series.points})
    octaves = np.log2(min(measured[-1] * FARTHEST, LARGEST_PARAMETER) / measured[0])
    scales = measured[0] * 2 ** np.linspace(0, octaves, round(octaves * STEPS) + 1)
    scales = np.minimum(scales, LARGEST_PARAMETER)  # which the last may exceed by rounding
    targets = tuple({name: float(scale)} for scale in scales)
    answer = model(series, replace(full, scale={}, targets=targets))
    if isinstance(answer, NotModelled):
        return answer

    def rises(name: str) -> float | None:
        return _compute_rises(scales, _compute_values(answer.predictions, name), limit)

    crosses = rises("value")
    # All scales that were looked at are predictions; only the one that is told can be too far.
    warnings = [warning for warning in answer.warnings if warning.kind != "far"]
    if crosses is not None and crosses > FAR * measured[-1]:
        warnings.append(warn_of_distance(crosses / measured[-1]))
    falls = _compute_falls(scales, _compute_values(answer.predictions, "value"), limit)
    bounded = full.method != "seed001"
    earliest, latest = (rises("high"), rises("low")) if bounded else (None, None)
    other_parameters = {
        text: max(point.at[i] for point in series.points)
        for i, text in enumerate(series.parameters)
        if i != at
    }
    return Breaks(limit, name, crosses, earliest, latest, falls, tuple(warnings), other_parameters)


def _compute_values(predictions: Sequence[Prediction], side: str) -> list[float]:
    return [getattr(prediction, side) for prediction in predictions]


def _compute_falls(scales: Floats, values: Sequence[float], limit: float) -> float | None:
    """Where values that begin above the limit are first within it."""
    within = next((i for i, value in enumerate(values) if value <= limit), 0)
    return _interpolate(scales, values, limit, within) if within else None


def _compute_rises(scales: Floats, values: Sequence[float], limit: float) -> float | None:
    """Where values that are within the limit first exceed it; the first scale where they never are within."""
    start = next((i for i, value in enumerate(values) if value <= limit), None)
    if start is None:
        return float(scales[0])
    above = next((i for i in range(start, len(values)) if values[i] > limit), None)
    return None if above is None else _interpolate(scales, values, limit, above)


def _interpolate(scales: Floats, values: Sequence[float], limit: float, after: int) -> float:
    """Return the scale of the limit, between ``after`` and the scale before it."""
    before = after - 1
    rise = values[after] - values[before]
    part = (limit - values[before]) / rise if math.isfinite(rise) else 0.0
    return float(scales[before] * (scales[after] / scales[before]) ** part)
