"""``rule``: functions do not grow faster than others together."""

from __future__ import annotations

from collections.abc import Mapping

from steelyard.claims.draft import Draft
from steelyard.claims.evidence import RuleEvidence
from steelyard.claims.observed import Observed, has
from steelyard.claims.verdict import Instance
from steelyard.errors import UsageError
from steelyard.growth import Rule as Parsed
from steelyard.growth import parse_rule
from steelyard.scaling import NotModelled, Question, ScalingModel, Series, model_all
from steelyard.scaling.rules import judge
from steelyard.spec.claims.claim import Rule
from steelyard.units import Scalar


def judge_rule(claim: Rule, observed: Observed) -> Draft:
    """By the probability that the leading terms keep the rule, for every combination of the other labels.

    Raises
    ------
    UsageError
        Nothing was measured under a name of the rule.
    """
    metric = observed.metric(claim.metric)
    parsed = parse_rule(claim.rule)
    groups: dict[tuple[tuple[str, Scalar], ...], dict[str, Series]] = {}
    for one in observed.series(metric, (claim.parameter,) if claim.parameter else ()):
        if claim.over in one.labels and has(one.labels, claim.where):
            rest = tuple((k, v) for k, v in one.labels.items() if k != claim.over)
            groups.setdefault(rest, {})[str(one.labels[claim.over])] = one
    if not groups:
        raise UsageError(
            f"rule = {claim.rule!r}: nothing was measured over {claim.over}",
            hint=f"name a factor or label of {metric} with several levels",
        )
    question = Question(parameter=claim.parameter, every_lead=True)
    return Draft(
        settled=tuple(
            _instance(dict(rest), parsed, metric, functions, question) for rest, functions in groups.items()
        )
    )


def _instance(
    stratum: Mapping[str, Scalar],
    rule: Parsed,
    metric: str,
    functions: Mapping[str, Series],
    question: Question,
) -> Instance:
    named = dict.fromkeys((*rule.left, *rule.right))
    missing = [name for name in named if name not in functions]
    if missing:
        return _open(stratum, metric, f"{missing[0]} was not measured")
    if any(functions[name].censored for name in named):
        return _open(stratum, metric, "failures")
    models: dict[str, ScalingModel] = {}
    answers = model_all([functions[name] for name in named], question)
    for name, answer in zip(named, answers, strict=True):
        if isinstance(answer, NotModelled):
            return _open(stratum, metric, f"{name}: {answer.reason}")
        if len(answer.parameters) > 1:
            return _open(stratum, metric, "a rule is judged over one parameter; name it: parameter = …")
        models[name] = answer
    scales = [point.at[0] for name in named for point in functions[name].points]
    found = judge(rule, models, min(scales), max(scales))
    return Instance(stratum, found.verdict, RuleEvidence(metric, found))


def _open(stratum: Mapping[str, Scalar], metric: str, reason: str) -> Instance:
    return Instance(stratum, "not_resolved", RuleEvidence(metric, None, reason))
