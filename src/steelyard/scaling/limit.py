"""The inverse answer: the smallest scale at which a limit breaks, with its interval."""

from __future__ import annotations

from typing import Final

import msgspec
import numpy as np
from msgspec.structs import replace

from steelyard.scaling.model import ModelWarning, NotModelled, Prediction
from steelyard.scaling.modelling import model
from steelyard.scaling.question import Question
from steelyard.scaling.warnings import FAR, far
from steelyard.series import Series

FARTHEST: Final = 2.0**14
"""Times the largest measured scale that is looked at."""
STEPS: Final = 6
"""Scales in each octave; between them the answer is interpolated."""


class Breaks(msgspec.Struct, frozen=True):
    """Where a value passes a limit.

    Attributes
    ----------
    at : float or None
        By the formula; ``None`` where it does not break within ``FARTHEST`` times the range.
    earliest, latest : float or None
        Where the upper and the lower end of the 95 % interval pass it.
    warnings : tuple of ModelWarning
        What a reader must know of the model that says so.
    """

    limit: float
    parameter: str
    at: float | None
    earliest: float | None
    latest: float | None
    warnings: tuple[ModelWarning, ...] = ()


def breaks(series: Series, limit: float, question: Question | None = None) -> Breaks | NotModelled:
    """Where the metric first exceeds ``limit`` as the first (or named) parameter grows, others at their
    largest.
    """
    asked = question or Question()
    at = series.parameters.index(asked.parameter) if asked.parameter in series.parameters else 0
    name = series.parameters[at]
    measured = sorted({point.at[at] for point in series.points})
    octaves = np.log2(measured[-1] * FARTHEST / measured[0])
    scales = measured[0] * 2 ** np.linspace(0, octaves, round(octaves * STEPS) + 1)
    targets = tuple({name: float(scale)} for scale in scales)
    found = model(series, replace(asked, scale={}, targets=targets))
    if isinstance(found, NotModelled):
        return found

    def crossing(of: str) -> float | None:
        values = [_of(prediction, of) for prediction in found.predictions]
        return _first(scales, values, limit)

    crosses = crossing("value")
    # All scales that were looked at are predictions; only the one that is told can be too far.
    known = [each for each in found.warnings if each.kind != "far"]
    if crosses is not None and crosses > FAR * measured[-1]:
        known.append(far(crosses / measured[-1]))
    return Breaks(limit, name, crosses, crossing("high"), crossing("low"), tuple(known))


def _of(prediction: Prediction, which: str) -> float:
    value = getattr(prediction, which)
    return float(value) if value is not None else prediction.value


def _first(scales: np.ndarray, values: list[float], limit: float) -> float | None:
    for i, value in enumerate(values):
        if value > limit:
            if i == 0 or value <= values[i - 1]:
                return float(scales[i])
            part = (limit - values[i - 1]) / (value - values[i - 1])
            return float(scales[i - 1] * (scales[i] / scales[i - 1]) ** part)
    return None
