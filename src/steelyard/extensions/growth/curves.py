"""From a record to curves: growth with its one numeric factor, and predictions along the whole of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from steelyard.core.series import Series
from steelyard.core.units import Scalar, is_number
from steelyard.extensions.growth.results import Curve
from steelyard.extensions.growth.scales_claim import Scales
from steelyard.extensions.growth.scales_judging import expectation_of
from steelyard.extensions.growth.scaling import Question, ScalingModel, model_all
from steelyard.lab.answer.series_of_record import series_of_record
from steelyard.store import Reading

LEAST: Final = 4
"""Points from which on growth is worth a model."""
STEPS: Final = 32
"""Places of a curve."""


def read_curves(record: Reading, metric: str) -> tuple[Curve, ...] | None:
    """Model the metric over the only numeric factor or label with enough levels; ``None`` without one.

    Expectations are those of the record's claims about this metric.
    """
    claims = [
        claim for claim in record.experiment.claims if isinstance(claim, Scales) and claim.scales == metric
    ]
    parameter = _get_parameter(record, metric, claims[0].parameter if claims else None)
    if parameter is None:
        return None
    series = [
        function
        for function in series_of_record(record, (parameter,), (metric,))
        if len(function.points) >= LEAST and function.points[0].at[0] >= 1
    ]
    if not series:
        return None
    scaleses = [scales for scales in claims if scales.parameter in (None, parameter)]
    expected = {
        f"{function.name} {function.metric}": stated
        for claim in scaleses
        for function in series
        if (stated := expectation_of(claim)) is not None
        and all(function.labels.get(name, level) == level for name, level in claim.where.items())
    }
    low, high = min(s.points[0].at[0] for s in series), max(s.points[-1].at[0] for s in series)
    targets: list[Mapping[str, float]] = [
        {parameter: low * (high / low) ** (i / (STEPS - 1))} for i in range(STEPS)
    ]
    along = scaleses[0].along if scaleses else {}
    question = Question(expectations=expected, parameter=parameter, along=along, targets=tuple(targets))
    result = model_all(series, question)
    curves = (Curve(s, m) for s, m in zip(series, result, strict=True) if isinstance(m, ScalingModel))
    return tuple(curves) or None


def model_curves(
    series: Sequence[Series], models: Sequence[ScalingModel], question: Question, drawable: int
) -> list[tuple[Series, ScalingModel, ScalingModel | None]]:
    """Models of functions of one parameter, each with the model by the published method.

    The first ``drawable`` have predictions along the whole of the series; the others are as they were passed,
    and without a model by the published method.
    """
    by_key = {_identify(function): function for function in series}
    curves: list[tuple[Series, ScalingModel, ScalingModel | None]] = []
    for model in models:
        function = by_key[_identify(model)]
        if len(function.parameters) != 1:
            continue
        if len(curves) >= drawable:
            curves.append((function, model, None))
            continue
        along = replace(question, targets=_place_targets(function))
        (answer,) = model_all([function], along)
        published = None
        if question.method != "seed001":
            (published,) = model_all([function], replace(along, method="seed001", space="wide"))
        curves.append(
            (
                function,
                answer if isinstance(answer, ScalingModel) else model,
                published if isinstance(published, ScalingModel) else None,
            )
        )
    return curves


def _identify(function: Series | ScalingModel) -> tuple[str, str, tuple[tuple[str, Scalar], ...]]:
    """Functions of one name and metric differ in their labels."""
    return function.name, function.metric, tuple(sorted(function.labels.items()))


def _place_targets(series: Series) -> tuple[Mapping[str, float], ...]:
    """Places along a series; its points alone where they begin below 1, at which logarithms are negative."""
    (parameter,) = series.parameters
    low, high = series.points[0].at[0], series.points[-1].at[0]
    if low < 1:
        return tuple({parameter: point.at[0]} for point in series.points)
    return tuple({parameter: low * (high / low) ** (i / (STEPS - 1))} for i in range(STEPS))


def _get_parameter(record: Reading, metric: str, named: str | None) -> str | None:
    """Return the parameter that a claim names, or the only factor or label with as many numeric levels."""
    if named is not None:
        return named
    labels = record.labels_of(metric)
    swept = [
        name
        for places in ([treatment.levels for treatment in record.treatments], labels)
        for name in (places[0] if places else ())
        if all(is_number(place.get(name, "")) for place in places)
        and len({place[name] for place in places}) >= LEAST
    ]
    return swept[0] if len(swept) == 1 else None
