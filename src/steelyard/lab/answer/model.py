"""Series to models, rules and causes: what ``steelyard model`` shows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import msgspec
from msgspec.structs import replace

from steelyard.errors import UsageError
from steelyard.growth import Rule, parse_rule
from steelyard.scaling import NotModelled, Question, ScalingModel, model_all
from steelyard.scaling.litmus import Cause, cause
from steelyard.scaling.modelling import most_probable
from steelyard.scaling.rules import RuleAnswer, judge
from steelyard.series import Series


class ModelRequest(msgspec.Struct, frozen=True):
    """Series, and what is asked of them.

    Attributes
    ----------
    rules : sequence of str
        Relations between functions: ``allreduce <= reduce + bcast``.
    litmus : str or None
        The function that tells the machine's fault from that of the others.
    """

    series: Sequence[Series]
    question: Question
    rules: Sequence[str] = ()
    litmus: str | None = None


class Modelled(msgspec.Struct, frozen=True):
    """Models, rules and causes that were found.

    Attributes
    ----------
    models, failed : in the order of the series
    rules : tuple of RuleAnswer
        For each metric, the rules in the order given; not resolved over a function of which no rank is
        stated.
    causes : tuple of (Cause or None)
        One per model: what causes a rank of none, where a litmus test was named.
    """

    models: tuple[ScalingModel, ...]
    failed: tuple[NotModelled, ...]
    rules: tuple[RuleAnswer, ...]
    causes: tuple[Cause | None, ...]


def _refuse_several(rule: Rule, models: Mapping[str, ScalingModel]) -> None:
    for name in (*rule.left, *rule.right):
        if name in models and len(models[name].parameters) > 1:
            names = ", ".join(models[name].parameters)
            raise UsageError(
                f"rule {rule.text!r}: {name} has the parameters {names}, and a rule is judged over one",
                hint=f"--parameter {models[name].parameters[0]}, and --by for the rest",
            )


def model_series(request: ModelRequest, progress: Callable[[int, int], None] | None = None) -> Modelled:
    """Model every series, judge rules between them, and blame with the help of a litmus test.

    Raises
    ------
    UsageError
        The question, a rule or the name of the litmus test is wrong.
    """
    series, litmus = request.series, request.litmus
    parsed = [parse_rule(text) for text in request.rules]
    named = frozenset(name for rule in parsed for name in (*rule.left, *rule.right))
    answers = model_all(series, replace(request.question, every_lead=named), progress)
    whole = [a for a in answers if isinstance(a, ScalingModel)]
    models = tuple(most_probable(m) if m.name in named else m for m in whole)
    tests = {m.metric: m for m in models if m.name == litmus}
    if litmus is not None and not tests:
        names = ", ".join(sorted({m.name for m in models})[:8])
        raise UsageError(
            f"the litmus test {litmus!r} is not among the functions",
            hint=f"name one of the functions: {names}",
        )
    judged = []
    metrics = dict.fromkeys(m.metric for m in models)
    for metric in metrics if parsed else ():
        own = {m.name: m for m in whole if m.metric == metric}
        scales = [point.at[0] for one in series if one.metric == metric for point in one.points]
        open_ = {one.name for one in series if one.metric == metric and (one.incomplete or one.crowded)}
        for rule in parsed:
            _refuse_several(rule, own)
            found = judge(rule, own, min(scales), max(scales))
            withheld = open_.intersection((*rule.left, *rule.right))
            judged.append(replace(found, verdict="not_resolved") if withheld else found)
    causes = tuple(
        cause(m, tests[m.metric]) if m.metric in tests and m.name != litmus else None for m in models
    )
    return Modelled(models, tuple(a for a in answers if isinstance(a, NotModelled)), tuple(judged), causes)
