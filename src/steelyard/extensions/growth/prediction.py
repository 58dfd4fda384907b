"""Limits at scales that were not measured: the value that a model predicts, and where it passes a bound."""

from __future__ import annotations

from collections.abc import Mapping

from steelyard.claims.evidence import BreaksEvidence
from steelyard.core.series import Series
from steelyard.extensions.growth.evidence import PredictedEvidence
from steelyard.extensions.growth.scaling.limit import Breaks, breaks
from steelyard.extensions.growth.scaling.model import NotModelled
from steelyard.extensions.growth.scaling.modelling import model
from steelyard.extensions.growth.scaling.question import Question
from steelyard.results.interval import Interval


def predict(
    metric: str, series: Series, scale: Mapping[str, float], *, reason: str | None
) -> tuple[Interval | None, PredictedEvidence]:
    """Predict a metric at a scale, with its 95 % interval; ``None`` where there is none.

    Parameters
    ----------
    reason : str or None
        Why the prediction decides nothing.
    """
    answer = model(series, Question(targets=(dict(scale),)))
    if isinstance(answer, NotModelled):
        return None, PredictedEvidence(metric, series.unit, scale, None, None, None, 0, answer.reason)
    (prediction,) = answer.predictions
    low, high = prediction.low, prediction.high
    interval = None if low is None or high is None else Interval(low, high)
    evidence = PredictedEvidence(
        metric,
        series.unit,
        scale,
        prediction.value,
        interval,
        answer,
        answer.points,
        reason=reason,
    )
    return interval, evidence


def find_crossing(series: Series, bound: float, parameter: str) -> BreaksEvidence | None:
    """Find the scale from which the model of a function passes an upper bound; ``None`` without a model."""
    answer = breaks(series, bound, Question(parameter=parameter))
    if not isinstance(answer, Breaks):
        return None
    largest = max(point.at[0] for point in series.points)
    return BreaksEvidence(
        series.name,
        parameter,
        answer.at,
        answer.earliest,
        answer.latest,
        largest,
        answer.above_until,
        answer.warnings,
    )
