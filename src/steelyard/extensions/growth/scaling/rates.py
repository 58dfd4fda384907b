"""Rates: modelled as the time of a unit of work, which sums of terms describe, and shown as rates.

Throughput with contention and coherence is n / (1 + σ (n - 1) + κ n (n - 1)), the Universal Scalability Law
(N. J. Gunther, Guerrilla Capacity Planning, 2007). No sum of powers has its peak. Its reciprocal is a / n + b
+ c n.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np
from msgspec.structs import replace

from steelyard.core.errors import UsageError
from steelyard.core.rates import is_cost, is_rate
from steelyard.core.series import Point, Series
from steelyard.extensions.growth.algebra import CONSTANT, Growth
from steelyard.extensions.growth.scaling.model import (
    ModelWarning,
    NotModelled,
    Prediction,
    RankAnswer,
    ScalingModel,
    WarningKind,
)
from steelyard.extensions.growth.scaling.question import Expectation, Question

FALLEN: Final = 0.97
"""Share of the first value, below which the last one has fallen."""
FARTHEST: Final = 4.0
"""Times the largest scale up to which a peak is told."""
STEPS: Final = 512
OF_GROWTH: Final[frozenset[WarningKind]] = frozenset(
    {"bounded", "edge", "given_leading_term", "one_point", "hidden", "misfit", "segments", "noise"}
)
"""Warnings whose words are about the formula, which is of the time."""


def is_modelled_as_time(series: Series) -> bool:
    """Whether the values are rates."""
    return series.better == "higher"


def reciprocal(series: Series) -> Series | NotModelled:
    """Return the time of a unit of work in place of a rate; a rate of 0 has none."""
    for point in series.points:
        if any(value == 0 for value in point.values):
            text = ", ".join(f"{n} = {x:g}" for n, x in zip(series.parameters, point.at, strict=True))
            reason = f"a rate of 0 at {text}: a unit of work would take forever"
            return NotModelled(series.name, series.metric, series.labels, reason)
    points = tuple(
        Point(
            point.at,
            tuple(1 / value if value > 0 else value for value in point.values),
            None if point.u is None else point.u / point.values[0] ** 2,
            point.n,
        )
        for point in series.points
    )
    return replace(series, points=points, better="lower")


def question_of_times(question: Question, rates: Sequence[Series]) -> Question:
    """Return the question with what is expected of rates stated of their times.

    Raises
    ------
    UsageError
        An upper bound of a rate that may grow: nobody wants one.
    """
    stated: dict[str, Expectation] = {}
    for series in rates:
        expectation = question.expectation(series.name, series.metric)
        if expectation is None:
            continue
        bound = expectation.at_most or expectation.at_least
        if expectation.at_most and expectation.parameters:
            raise UsageError(
                f"at most {expectation.expect} is stated of {series.metric}, of which higher is better",
                hint=f"bound a rate from below: at least {expectation.expect}",
            )
        inverse = replace(expectation, at_most=bound, at_least=False, inverse=True)
        stated[f"{series.name} {series.metric}"] = inverse
    return replace(question, expectations={**question.expectations, **stated})


def refuse_lower_bounds(question: Question, series: Sequence[Series]) -> None:
    """Refuse lower bounds of what is not known to be a rate.

    Raises
    ------
    UsageError
    """
    for function in series:
        expectation = question.expectation(function.name, function.metric)
        if expectation is not None and expectation.at_least and not is_modelled_as_time(function):
            raise UsageError(
                f"at least {expectation.expect} is stated of {function.metric}, of which lower is better",
                hint='say that it is a rate (--better higher, better = "higher"), or bound it by at most',
            )


def model_of_rate(
    model: ScalingModel | NotModelled, stated: Expectation | None
) -> ScalingModel | NotModelled:
    """Return the model of a rate from that of its time."""
    if isinstance(model, NotModelled):
        return model
    validation = model.validation
    if validation is not None and stated is not None:
        validation = replace(
            validation,
            divergence=CONSTANT / validation.divergence,
            at_most=False,
            at_least=validation.at_most,
        )
    warnings = [
        replace(warning, words=f"of the time (1/{model.metric}): {warning.words}")
        if warning.kind in OF_GROWTH
        else warning
        for warning in model.warnings
    ]
    rate = replace(
        model,
        rate=True,
        lead=_invert(model.lead),
        leading=tuple(_invert(lead) for lead in model.leading) if len(model.leading) == 1 else (),
        alternatives=tuple((_invert(lead), p) for lead, p in model.alternatives),
        priors={_invert(lead): p for lead, p in model.priors.items()},
        validation=validation,
        predictions=tuple(map(_invert_prediction, model.predictions)),
    )
    return replace(rate, warnings=tuple(warnings))


def _invert(lead: tuple[Growth, ...]) -> tuple[Growth, ...]:
    return tuple(CONSTANT / growth for growth in lead)


def _invert_prediction(prediction: Prediction) -> Prediction:
    low, high = prediction.low, prediction.high
    return Prediction(
        prediction.at,
        _invert_value(prediction.value),
        None if high is None else _invert_value(high),
        None if low is None else _invert_value(low),
    )


def _invert_value(value: float) -> float:
    return 1 / value if value > 0 else math.inf


def note_direction(answer: ScalingModel | NotModelled, series: Series) -> ScalingModel | NotModelled:
    """Return the answer with a word on the peak of a rate, or on what falls and may be a rate."""
    if isinstance(answer, NotModelled) or len(series.parameters) > 1:
        return answer
    words = _describe_peak(answer, series) if answer.rate else _describe_fall(answer, series)
    if not words:
        return answer
    kind: WarningKind = "peak" if answer.rate else "direction"
    noted = replace(answer, warnings=(*answer.warnings, ModelWarning(kind, words)))
    validation = answer.validation
    if answer.rate or validation is None or validation.rank == "none":
        return noted
    rank_there: RankAnswer | None = None if validation.rank_at_scale is None else "undecided"
    return replace(noted, validation=replace(validation, rank="undecided", rank_at_scale=rank_there))


def peak(model: ScalingModel, first: float, last: float) -> tuple[float, float] | None:
    """Return the scale at which a rate is highest and the rate there; ``None`` where it is at an end."""
    scales = first * (last / first) ** np.linspace(0, 1, STEPS)
    values = [model.at(float(scale)) for scale in scales]
    best = int(np.argmax(values))
    if best in (0, STEPS - 1) or values[-1] > FALLEN * values[best] or math.isinf(values[best]):
        return None  # infinite where a formula of the time falls to 0: that is no peak
    return float(scales[best]), values[best]


def _describe_peak(model: ScalingModel, series: Series) -> str:
    name, last = series.parameters[0], series.points[-1].at[0]
    if model.segments:
        return ""
    top = peak(model, series.points[0].at[0], FARTHEST * last)
    if top is None:
        return ""
    guess = "" if top[0] <= last else ", beyond what was measured"
    return f"by the formula, highest at {name} = {top[0]:.3g}: {top[1]:.4g}{guess}"


def _describe_fall(model: ScalingModel, series: Series) -> str:
    validation = model.validation
    direction = series.better or ("lower" if is_cost(series.metric, series.unit) else None)
    if direction is not None or validation is None or not validation.at_most:
        return ""
    share = _share_left(model, series)
    if share >= FALLEN:
        return ""
    return (
        f"falls to {100 * share:.0f} %, and it is not known which way {series.metric} is better: say"
        " --better lower or --better higher"
    )


def _share_left(model: ScalingModel, series: Series) -> float:
    """Return the last value over the first, by the formula: noise alone falls in half of all series."""
    first, last = (model.at_measured(*series.points[at].at) for at in (0, -1))
    return last / first if first > 0 else 1.0


def judged_in_doubt(series: Series, model: ScalingModel) -> str | None:
    """Say why an upper bound of what falls and looks like a rate is no verdict; ``None`` where it is one."""
    validation = model.validation
    bounded = validation is not None and validation.at_most and series.better in (None, "lower")
    if not bounded or len(series.parameters) > 1 or not is_rate(series.metric, series.unit):
        return None
    if _share_left(model, series) >= FALLEN:
        return None
    return (
        f"{series.metric} looks like a rate and falls: an upper bound says nothing of it; set better = "
        '"higher" (or "neither")'
    )
