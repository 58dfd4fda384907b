"""Hold-outs: whether a model predicts the last points of the data that it is made of.

The last points are held out one after the other; each is predicted from all before it. Beside the model stand
what everybody can fit by hand (a + b/p, a power law), and Extra-P, where it is installed.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from statistics import median
from typing import Final

import msgspec
import numpy as np
from msgspec.structs import replace

from steelyard.core.series import Point, Series
from steelyard.extensions.growth.scaling.model import NotModelled
from steelyard.extensions.growth.scaling.modelling import model
from steelyard.extensions.growth.scaling.question import Question
from steelyard.extensions.growth.scaling.rates import is_modelled_as_time, reciprocal
from steelyard.extensions.growth.scaling.strong import amdahl, power_law

MOST: Final = 3
"""Points that are held out."""
LEAST: Final = 4
"""Points that a model is made of, at least."""
COVERAGE: Final = 2.0
"""Standard uncertainties of a measured point by which it may lie outside of an interval."""


class HeldPoint(msgspec.Struct, frozen=True):
    """A point that was held out, and what predicts it from those before.

    Attributes
    ----------
    at : float
        The scale.
    measured : float
        The mean of what was measured there.
    value, low, high : float
        By the model, with its 95 % interval.
    is_held : bool
        Whether the interval holds what was measured, within its uncertainty.
    amdahl, power : float
        By a + b/p and by a power law.
    extra_p : float or None
        By Extra-P; ``None`` where it is not installed.
    """

    at: float
    measured: float
    value: float
    low: float
    high: float
    is_held: bool
    amdahl: float
    power: float
    extra_p: float | None = None


class Holdout(msgspec.Struct, frozen=True):
    """Hold-outs of one function.

    Attributes
    ----------
    points : tuple of HeldPoint
        In the order of their scales; empty where nothing could be held out.
    reason : str
        Why there are none.
    """

    name: str
    metric: str
    unit: str
    parameter: str
    points: tuple[HeldPoint, ...]
    reason: str = ""

    @property
    def passed(self) -> bool:
        """Whether every interval holds; not where nothing was held out."""
        return bool(self.points) and all(point.is_held for point in self.points)

    @property
    def error(self) -> float | None:
        """Median relative error of the model; ``None`` where nothing was held out."""
        return self.error_of("value")

    def error_of(self, method: str) -> float | None:
        """Return the median relative error by one method; ``None`` where it predicted nothing."""
        predicted = [(getattr(point, method), point.measured) for point in self.points]
        errors = [abs(value / truth - 1) for value, truth in predicted if value is not None and truth]
        return median(errors) if errors else None


def hold_out(series: Series, question: Question | None = None) -> Holdout:
    """Hold out the last points of a function of one parameter."""
    plain = replace(question or Question(), expectations={}, scale={}, threads=1)
    empty = Holdout(series.name, series.metric, series.unit, ", ".join(series.parameters), ())
    if len(series.parameters) != 1:
        return replace(empty, reason="several parameters: name one with --parameter")
    if plain.method == "seed001":
        return replace(empty, reason="the method seed001 has no intervals")
    count = min(MOST, len(series.points) - LEAST)
    if count < 1:
        return replace(empty, reason=f"{len(series.points)} points; {LEAST + 1} are needed to hold one out")
    points = []
    for place in range(len(series.points) - count, len(series.points)):
        held = _predict(series, place, plain)
        if isinstance(held, str):
            return replace(empty, reason=held)
        points.append(held)
    return replace(empty, points=tuple(points))


def _predict(series: Series, place: int, question: Question) -> HeldPoint | str:
    """Predict the point at ``place`` from all before it; a text says why not."""
    before, target = replace(series, points=series.points[:place]), series.points[place]
    (scale,) = target.at
    answer = model(before, replace(question, targets=({series.parameters[0]: scale},)))
    if isinstance(answer, NotModelled):
        return answer.reason
    (prediction,) = answer.predictions
    low, high = prediction.low or 0.0, math.inf if prediction.high is None else prediction.high
    measured, u = _mean(target), _uncertainty(target)
    return HeldPoint(
        scale,
        measured,
        prediction.value,
        low,
        high,
        low - COVERAGE * u <= measured <= high + COVERAGE * u,
        _compute_law(before, scale, amdahl),
        _compute_law(before, scale, power_law),
        _ask_extra_p(before, scale),
    )


def _mean(point: Point) -> float:
    return sum(point.values) / len(point.values)


def _uncertainty(point: Point) -> float:
    """Return the standard uncertainty of the mean; 0 where nothing tells it."""
    if point.u is not None:
        return point.u
    count = len(point.values)
    return float(np.std(point.values, ddof=1)) / math.sqrt(count) if count > 1 else 0.0


Fit = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]


def _compute_law(series: Series, scale: float, fit: Fit) -> float:
    """Return a value by the law of a textbook; of a rate by the time of a unit of work."""
    times = reciprocal(series) if is_modelled_as_time(series) else series
    if isinstance(times, NotModelled):
        return math.nan
    x = np.array([point.at[0] for point in times.points])
    y = np.array([[max(_mean(point), 1e-300) for point in times.points]])
    value = float(fit(x, y, np.array([scale]))[0, 0])
    return 1 / value if times is not series and value > 0 else value


def _ask_extra_p(series: Series, scale: float) -> float | None:
    """Return a value by Extra-P, of the means; ``None`` where it is not installed, or refuses the data."""
    if find_spec("extrap") is None:
        return None
    from extrap.entities.coordinate import Coordinate
    from extrap.entities.measurement import Measurement
    from extrap.modelers.single_parameter.basic import SingleParameterModeler

    rows = [Measurement(Coordinate(point.at[0]), None, None, list(point.values)) for point in series.points]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # below five points, which the errors show
            answer = SingleParameterModeler().create_model(rows)
        return float(answer.hypothesis.function.evaluate(scale))
    except Exception:  # noqa: BLE001 -- another program's, of which nothing is known
        return None


def describe_miss(holdout: Holdout) -> str:
    """Say which point the model misses, or why none was held out."""
    missed: Sequence[HeldPoint] = [point for point in holdout.points if not point.is_held]
    if not missed:
        return holdout.reason
    point = missed[-1]
    return (
        f"{holdout.parameter} = {point.at:g} was measured as {point.measured:.4g}, and predicted from the"
        f" points before as {point.value:.4g} [{point.low:.4g}, {point.high:.4g}]"
    )
