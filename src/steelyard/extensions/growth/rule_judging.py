"""``rule``: functions take no more than others together where they were measured, and grow no faster."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from steelyard.claims.draft import Draft
from steelyard.claims.observed import Observed, has, levels_of
from steelyard.claims.verdict import Instance
from steelyard.core.sample import Sample
from steelyard.core.units import Scalar, is_number
from steelyard.extensions.growth.algebra import GrowthRule as Parsed
from steelyard.extensions.growth.algebra import parse_rule
from steelyard.extensions.growth.evidence import RuleEvidence
from steelyard.extensions.growth.rule_claim import Rule
from steelyard.extensions.growth.rule_points import judge_samples, make_unmeasured, refuse_no_common_point
from steelyard.extensions.growth.scaling import NotModelled, Question, ScalingModel, Series, model_all
from steelyard.extensions.growth.scaling.equal_growth import is_equal_growth
from steelyard.extensions.growth.scaling.provenance import CROWDED, describe_missing
from steelyard.extensions.growth.scaling.rules import judge
from steelyard.extensions.growth.scaling.steady_ratio import is_steady

Key = tuple[tuple[str, Scalar], ...]


def judge_rule(claim: Rule, observed: Observed) -> Draft:
    """Test the left side against the right at every point, in the same blocks.

    Then compare their growth, for every combination of the other labels, by the probability that the leading
    terms keep the rule.

    Raises
    ------
    UsageError
        No point has values of both sides.
    """
    metric = observed.metric(claim.metric)
    rule = parse_rule(claim.rule)
    names = {*rule.left_side, *rule.right}
    samples = [
        sample
        for sample in observed.list_compared(metric)
        if str(levels_of(sample).get(claim.over)) in names and has(levels_of(sample), claim.where)
    ]
    described = _get_descriptive_labels(samples, claim)
    points: dict[Key, dict[str, Sample]] = {}
    for sample in samples:
        levels = levels_of(sample)
        point = _drop(levels, {claim.over, *described})
        points.setdefault(point, {})[str(levels[claim.over])] = sample
    tested, settled = [], []
    for point, sides in points.items():
        stratum = dict(point)
        missing = [name for name in (*rule.left_side, *rule.right) if name not in sides]
        if missing:
            settled.append(make_unmeasured(stratum, rule, metric, claim.tolerance, missing))
            continue
        tested.append(judge_samples(stratum, rule, sides, claim, observed))
    if not tested:
        refuse_no_common_point(rule, metric)
    if claim.growth:
        settled += _list_growth(claim, rule, metric, described, observed)
    return Draft(tuple(tested), tuple(settled))


def _drop(levels: Mapping[str, Scalar], names: set[str]) -> Key:
    return tuple((name, level) for name, level in levels.items() if name not in names)


def _get_descriptive_labels(samples: Sequence[Sample], claim: Rule) -> set[str]:
    """Labels that follow from the function, the treatment and the other labels.

    An example is the algorithm that an operation names: such labels tell no points apart. Words are looked at
    before numbers, which may be sizes.
    """
    names = dict.fromkeys(
        name for sample in samples for name in sample.labels if name not in sample.treatment.levels
    )
    described: set[str] = set()

    def numeric(name: str) -> bool:
        return all(is_number(sample.labels.get(name, 0)) for sample in samples)

    for name in sorted(names, key=numeric):
        if name in (claim.over, claim.parameter):
            continue
        rest = [label for label in names if label not in (name, *described)]
        lines: dict[tuple[object, ...], set[Scalar | None]] = {}
        for sample in samples:
            line = (sample.treatment.id, *(sample.labels.get(label) for label in rest))
            lines.setdefault(line, set()).add(sample.labels.get(name))
        if all(len(values) == 1 for values in lines.values()):
            described.add(name)
    return described


def _list_growth(
    claim: Rule, rule: Parsed, metric: str, described: set[str], observed: Observed
) -> Iterator[Instance]:
    """Yield the growth of both sides, in each stratum that has functions of the rule."""
    names = {*rule.left_side, *rule.right}
    groups: dict[Key, dict[str, Series]] = {}
    for series in observed.series(metric, (claim.parameter,) if claim.parameter else ()):
        name = str(series.labels.get(claim.over))
        if name not in names or not has(series.labels, claim.where):
            continue
        functions = groups.setdefault(_drop(series.labels, {claim.over, *described}), {})
        functions[name] = _join(functions[name], series) if name in functions else series
    question = Question(parameter=claim.parameter, every_lead=True)
    for rest, functions in groups.items():
        yield judge_growth(dict(rest), rule, metric, functions, question)


def _join(series: Series, second: Series) -> Series:
    """Pieces of one function that differ in what merely describes it."""
    return replace(
        series,
        points=tuple(sorted((*series.points, *second.points), key=lambda point: point.at)),
        counts=series.counts and second.counts,
        simulated=series.simulated or second.simulated,
        crowded=series.crowded or second.crowded,
        censored=series.censored or second.censored,
        lost=(*series.lost, *second.lost),
        lost_at=(*series.lost_at, *second.lost_at),
    )


def judge_growth(
    stratum: Mapping[str, Scalar],
    rule: Parsed,
    metric: str,
    functions: Mapping[str, Series],
    question: Question,
    answers: Mapping[str, ScalingModel | NotModelled] | None = None,
) -> Instance:
    """Compare the leading terms of both sides; ``answers`` are the models where they have been made."""
    names = dict.fromkeys((*rule.left_side, *rule.right))
    missing = [name for name in names if name not in functions]
    if missing:
        return _open(stratum, metric, f"{missing[0]} was not measured")
    if incomplete := next((functions[name] for name in names if functions[name].incomplete), None):
        return _open(stratum, metric, describe_missing(incomplete))
    if any(functions[name].crowded for name in names):
        return _open(stratum, metric, CROWDED)
    if answers is None:
        answers = dict(zip(names, model_all([functions[name] for name in names], question), strict=True))
    models: dict[str, ScalingModel] = {}
    for name in names:
        answer = answers[name]
        if isinstance(answer, NotModelled):
            return _open(stratum, metric, f"{name}: {answer.reason}")
        if len(answer.parameters) > 1:
            return _open(stratum, metric, "growth is compared over one parameter; name it: parameter = …")
        models[name] = answer
    scales = [point.at[0] for name in names for point in functions[name].points]
    growth = judge(
        rule,
        models,
        min(scales),
        max(scales),
        steady=question.method != "seed001" and is_steady(rule, functions),
        alike=question.method != "seed001" and is_equal_growth(rule, functions),
    )
    return Instance(stratum, growth.verdict, RuleEvidence(metric, growth))


def _open(stratum: Mapping[str, Scalar], metric: str, reason: str) -> Instance:
    return Instance(stratum, "not_resolved", RuleEvidence(metric, None, reason))
