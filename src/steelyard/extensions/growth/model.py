"""Series to models, rules and causes: what ``steelyard model`` shows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import msgspec
from msgspec.structs import replace

from steelyard.claims.draft import Draft
from steelyard.claims.family import decide
from steelyard.claims.verdict import Verdict
from steelyard.core.errors import UsageError
from steelyard.core.series import Series
from steelyard.extensions.growth.algebra import GrowthRule, parse_rule
from steelyard.extensions.growth.rule_claim import TOLERANCE
from steelyard.extensions.growth.rule_claim import Rule as RuleClaim
from steelyard.extensions.growth.rule_judging import judge_growth
from steelyard.extensions.growth.rule_points import ALPHA, judge_series, refuse_no_common_point
from steelyard.extensions.growth.scaling import NotModelled, Question, ScalingModel, model_all
from steelyard.extensions.growth.scaling.litmus import Cause, cause
from steelyard.extensions.growth.scaling.modelling import most_probable
from steelyard.extensions.growth.scaling.rules import refuse_unknown


class ModelRequest(msgspec.Struct, frozen=True):
    """Series, and what is asked of them.

    Attributes
    ----------
    rules : sequence of str
        Relations between functions: ``allreduce <= reduce + bcast``.
    tolerance : float
        Relative excess of the left side that breaks no rule.
    litmus : str or None
        The function that tells the machine's fault from that of the others.
    """

    series: Sequence[Series]
    question: Question
    rules: Sequence[str] = ()
    tolerance: float = TOLERANCE
    litmus: str | None = None


class Modelled(msgspec.Struct, frozen=True):
    """Models, rules and causes that were found.

    Attributes
    ----------
    models, failed : in the order of the series
    rules : tuple of Verdict
        For each metric, the rules in the order given, tested as one family.
    causes : tuple of (Cause or None)
        One per model: what causes a rank of none, where a litmus test was named.
    """

    models: tuple[ScalingModel, ...]
    failed: tuple[NotModelled, ...]
    rules: tuple[Verdict, ...]
    causes: tuple[Cause | None, ...]


def _refuse_several(rule: GrowthRule, functions: Mapping[str, Series]) -> None:
    for name in (*rule.left_side, *rule.right):
        if len(functions[name].parameters) > 1:
            names = ", ".join(functions[name].parameters)
            raise UsageError(
                f"rule {rule.text!r}: {name} has the parameters {names}, and a rule is judged over one",
                hint=f"--parameter {functions[name].parameters[0]}, and --by for the rest",
            )


def _judge_rules(
    request: ModelRequest,
    rules: Sequence[GrowthRule],
    answers: Mapping[tuple[str, str], ScalingModel | NotModelled],
) -> tuple[Verdict, ...]:
    """Judge the rules for each metric that has functions of one.

    Raises
    ------
    UsageError
        A rule names no function, or no point has both of its sides.
    """
    for rule in rules:
        refuse_unknown(rule, [series.name for series in request.series])
    claims, drafts = [], []
    for metric in dict.fromkeys(series.metric for series in request.series) if rules else ():
        functions = {series.name: series for series in request.series if series.metric == metric}
        for rule in rules:
            if not functions.keys() & {*rule.left_side, *rule.right}:
                continue
            if not functions.keys() >= {*rule.left_side, *rule.right}:
                refuse_no_common_point(rule, metric)
            _refuse_several(rule, functions)
            tested, settled = judge_series({}, rule, functions, metric, request.tolerance)
            if not tested:
                refuse_no_common_point(rule, metric)
            models = {name: answers[name, metric] for name in functions}
            settled.append(judge_growth({}, rule, metric, functions, request.question, models))
            drafts.append(Draft(tuple(tested), tuple(settled)))
            claims.append(
                RuleClaim(
                    rule=rule.text,
                    over="function",
                    metric=metric,
                    parameter=request.question.parameter,
                    tolerance=request.tolerance,
                )
            )
    return decide(claims, drafts, ALPHA)


def model_series(request: ModelRequest, progress: Callable[[int, int], None] | None = None) -> Modelled:
    """Model every series, judge rules between them, and blame with the help of a litmus test.

    Raises
    ------
    UsageError
        The question, a rule or the name of the litmus test is wrong.
    """
    series, litmus = request.series, request.litmus
    parsed = [parse_rule(text) for text in request.rules]
    named = frozenset(name for rule in parsed for name in (*rule.left_side, *rule.right))
    answers = model_all(series, replace(request.question, every_lead=named), progress)
    scaling_models = [a for a in answers if isinstance(a, ScalingModel)]
    models = tuple(most_probable(m) if m.name in named else m for m in scaling_models)
    tests = {m.metric: m for m in models if m.name == litmus}
    if litmus is not None and not tests:
        names = ", ".join(sorted({m.name for m in models})[:8])
        raise UsageError(
            f"the litmus test {litmus!r} is not among the functions",
            hint=f"name one of the functions: {names}",
        )
    judged = _judge_rules(request, parsed, {(answer.name, answer.metric): answer for answer in answers})
    causes = tuple(
        cause(m, tests[m.metric]) if m.metric in tests and m.name != litmus else None for m in models
    )
    return Modelled(models, tuple(a for a in answers if isinstance(a, NotModelled)), judged, causes)
