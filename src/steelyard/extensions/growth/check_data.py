"""Verdicts on the growth of data from other sources."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from steelyard.claims.verdict import Checked, Instance, Verdict, combine, name_unjudged
from steelyard.core.errors import UsageError
from steelyard.extensions.growth.model import ModelRequest, model_series
from steelyard.extensions.growth.rule_points import ALPHA
from steelyard.extensions.growth.scales_claim import Scales
from steelyard.extensions.growth.scales_judging import settle
from steelyard.extensions.growth.scaling import Expectation, NotModelled, Question, ScalingModel, model_all


def check_data(
    name: str, request: ModelRequest, progress: Callable[[int, int], None] | None = None
) -> Checked:
    """Judge a claim for each function and metric of which something is expected; then rules.

    Raises
    ------
    UsageError
        Nothing is expected of any function, or the question is wrong.
    """
    question, rules = request.question, request.rules
    if not question.expectations and not rules:
        raise UsageError(
            f"{name}: no expectations to check",
            hint="--at-most 'O(n log n)', --expect 'O(log p)', --expectations FILE, or --rule 'a <= b + c'",
        )
    result = model_series(request, progress)
    every: list[ScalingModel | NotModelled] = [*result.models, *result.failed]
    answers = {(model.name, model.metric): model for model in every}
    tests = {model.metric: model for model in result.models if model.name == request.litmus}
    verdicts = []
    for series in request.series:
        stated = question.expectation(series.name, series.metric)
        if stated is None or series.name == request.litmus:
            continue
        stratum = series.labels or ({"function": series.name} if series.name else {})
        claim = _make_claim(series.metric, stated, question, series.name or None)
        instances = []
        named_parameters = [name for name in series.parameters if name in stated.parameters]
        several = len(named_parameters) > 1
        for parameter in named_parameters if several else (question.parameter,):
            answer, about = answers[series.name, series.metric], stratum
            if several:
                # That in the first has been modelled.
                if parameter != (question.parameter or series.parameters[0]):
                    (answer,) = model_all([series], replace(question, parameter=parameter))
                about = {**stratum, "parameter": parameter or ""}
            test = tests.get(series.metric)
            instances.append(name_unjudged(Instance(about, *settle(series, answer, test))))
        outcome = combine(instance.outcome for instance in instances)
        verdicts.append(Verdict(claim, outcome, tuple(instances)))
    return Checked(experiment=name, record=None, alpha=ALPHA, verdicts=(*verdicts, *result.rules))


def _make_claim(metric: str, stated: Expectation, question: Question, name: str | None) -> Scales:
    return Scales(
        name=name,
        scales=metric,
        parameter=question.parameter,
        at_most=stated.expect if stated.at_most else None,
        at_least=stated.expect if stated.at_least else None,
        expect=None if stated.at_most or stated.at_least else stated.expect,
        deviation=stated.deviation,
        along=question.along,
        at=question.scale,
    )
