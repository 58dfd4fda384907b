"""Both sides of a rule at one point that was measured: samples in the same blocks, or series without any."""

from __future__ import annotations

import math
from array import array
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final, NoReturn

import msgspec
from msgspec.structs import replace

from steelyard.claims.draft import Undecided
from steelyard.claims.evidence import Unit
from steelyard.claims.observed import Observed
from steelyard.claims.ratio import comparison_of, explain_open, unit_of
from steelyard.claims.verdict import Instance
from steelyard.core.errors import UsageError
from steelyard.core.sample import Failures, Sample, Treatment
from steelyard.core.series import Series
from steelyard.core.units import Scalar
from steelyard.extensions.growth.algebra import GrowthRule as Parsed
from steelyard.extensions.growth.evidence import RulePointEvidence
from steelyard.extensions.growth.rule_claim import Rule
from steelyard.extensions.growth.scaling.provenance import CROWDED, describe_missing
from steelyard.extensions.growth.scaling.ratio_of_sums import ratio_of_sums, uncertain_points
from steelyard.results.comparison import Distribution, Speedup
from steelyard.results.interval import Interval
from steelyard.stats.compare.comparison import admissible, judge_beside
from steelyard.stats.compare.judgement import TYPICAL, Judgement, judge_at_most

ALPHA: Final = 0.05
"""Level before that of the family is known."""
ONE_VALUE: Final = "one value a point and fewer than three points: its uncertainty is unknown"
_METHODS: Final[Mapping[str, str]] = {
    "launches": "unpaired-ratio-of-means",
    "roughness": "roughness-log-ratio-t",
}


class Side(msgspec.Struct, frozen=True):
    """One side of a rule at one point: the samples whose values are added up."""

    names: tuple[str, ...]
    samples: tuple[Sample, ...]

    @property
    def text(self) -> str:
        """``reduce + bcast``."""
        return " + ".join(self.names)

    @property
    def repeats(self) -> bool:
        """Whether a simulator gave every sample the same value each time."""
        return all(
            sample.provenance == "simulated" and len(set(sample.values)) == 1 for sample in self.samples
        )

    def add_up(self, over: str, place: int) -> Sample:
        """Add the values up, block by block; number ``place`` of two treatments that differ in ``over``."""
        together = [_group_by_visit(sample) for sample in self.samples]
        visits = [visit for visit in together[0] if all(visit in values for values in together)]
        late = [any(values[visit][1] for values in together) for visit in visits]
        return Sample(
            metric=replace(self.samples[0].metric, better="lower"),
            treatment=Treatment(place, self.text, {over: f"{place}: {self.text}"}),
            values=array("d", [sum(values[visit][0] for values in together) for visit in visits]),
            blocks=array("q", [visit[0] for visit in visits]),
            passes=array("q", [visit[1] for visit in visits]),
            contexts=array("q", [visit[2] for visit in visits]),
            trials=array("q", [together[0][visit][2] for visit in visits]),
            failures=_make_failures(self.samples),
            censored=array("b", late if any(late) else ()),
            provenance=self.samples[0].provenance,
        )


Visit = tuple[int, int, int, int]
"""Block, pass, context, and number of the launch among those."""


def _group_by_visit(sample: Sample) -> dict[Visit, tuple[float, bool, int]]:
    """Value, whether it is only a lower bound, and trial of each visit."""
    launches: dict[tuple[int, int, int], int] = defaultdict(int)
    values = {}
    for i, value in enumerate(sample.values):
        place = (sample.blocks[i], sample.passes[i], sample.contexts[i])
        late = bool(sample.censored and sample.censored[i])
        values[*place, launches[place]] = (value, late, sample.trials[i])
        launches[place] += 1
    return values


def _make_failures(samples: Sequence[Sample]) -> Failures:
    """Count failures of launches that the samples have in common only once."""
    distinct = {sample.treatment.id: sample.failures for sample in samples}.values()
    return Failures(
        sum(failures.attempted for failures in distinct),
        sum(failures.failed for failures in distinct),
        sum(failures.timed_out for failures in distinct),
    )


def judge_samples(
    stratum: Mapping[str, Scalar], rule: Parsed, sides: Mapping[str, Sample], claim: Rule, observed: Observed
) -> Undecided:
    """Test the left side against the right in the same blocks; as it is where values repeat to the bit."""
    left_side, right = (
        Side(names, tuple(sides[name] for name in names)) for names in (rule.left_side, rule.right)
    )
    old, new = left_side.add_up(claim.over, 1), right.add_up(claim.over, 2)
    blank = _make_blank(old.metric.name, rule, claim.tolerance, "block")
    if not old.values or not new.values:
        return _open(stratum, replace(blank, reason="no block has all of its functions"))
    failed = sum(side.failures.failed + side.failures.timed_out for side in (old, new))
    if left_side.repeats and right.repeats and not failed and 0 < min((*old.values, *new.values)) < math.inf:
        return _make_exact(stratum, replace(blank, ratio=old.values[0] / new.values[0], n=len(old)))
    compared = comparison_of(old, new, observed, at_bound=claim.tolerance > 0)
    declared = observed.declared(old.metric.name)
    judgement = judge_beside(partial(judge_at_most, by=1 + claim.tolerance), compared, declared)
    if judgement.by == "typical" and judgement.outcome == "fails" and compared.beside is not None:
        return _fail_typically(
            stratum, replace(blank, by=unit_of(compared)), compared.beside.ratio, judgement
        )
    allowed = admissible(compared.flags, declared)
    reason = CROWDED if "crowded" in compared.flags else explain_open(compared, allowed=allowed)
    evidence = replace(blank, reason=reason)
    ratio = compared.speedup
    if not isinstance(ratio, Speedup):
        return _open(stratum, evidence)
    evidence = replace(evidence, ratio=ratio.value, method=ratio.method, n=ratio.n, by=unit_of(compared))
    if not allowed:
        return _open(stratum, evidence)
    return _test(stratum, ratio.distribution, evidence)


def judge_series(
    stratum: Mapping[str, Scalar],
    rule: Parsed,
    functions: Mapping[str, Series],
    metric: str,
    tolerance: float,
) -> tuple[list[Undecided], list[Instance]]:
    """Test the left side against the right at each point that all functions have, launches unpaired.

    The rule is open where only some of them were measured.
    """
    names = dict.fromkeys((*rule.left_side, *rule.right))
    parameters = functions[rule.left_side[0]].parameters
    means = {name: uncertain_points(functions[name]) for name in names}
    involved = [functions[name] for name in names]
    incomplete = next((series for series in involved if series.incomplete), None)
    withheld = (
        describe_missing(incomplete)
        if incomplete
        else CROWDED
        if any(side.crowded for side in involved)
        else None
    )
    tested, settled = [], []
    for at in dict.fromkeys(at for name in names for at in means[name]):
        place = {name: int(x) if x.is_integer() else x for name, x in zip(parameters, at, strict=True)}
        point = {**stratum, **place}
        if missing := [name for name in names if at not in means[name]]:
            settled.append(make_unmeasured(point, rule, metric, tolerance, missing))
            continue
        points, right = ([means[name][at] for name in side] for side in (rule.left_side, rule.right))
        blank = _make_blank(metric, rule, tolerance, "launch")
        if withheld or not all(point.mean > 0 for point in (*points, *right)):
            tested.append(_open(point, replace(blank, reason=withheld or "a value is not positive")))
            continue
        sums = ratio_of_sums(points, right)
        evidence = replace(blank, ratio=sums.value, n=sums.n)
        if sums.distribution is not None:
            tested.append(_test(point, sums.distribution, replace(evidence, method=_METHODS[sums.kind])))
        elif sums.kind == "exact":
            tested.append(_make_exact(point, evidence))
        else:
            tested.append(_open(point, replace(evidence, reason=ONE_VALUE)))
    return tested, settled


def make_unmeasured(
    stratum: Mapping[str, Scalar], rule: Parsed, metric: str, tolerance: float, missing: Sequence[str]
) -> Instance:
    """Return a point without a function of either side, where nothing is known of the rule."""
    blank = _make_blank(metric, rule, tolerance, "launch")
    return Instance(stratum, "not_resolved", replace(blank, reason=f"{missing[0]} was not measured"))


def refuse_no_common_point(rule: Parsed, metric: str) -> NoReturn:
    """Raise UsageError: both sides were nowhere measured together."""
    sides = " and ".join(dict.fromkeys((*rule.left_side, *rule.right)))
    raise UsageError(
        f"rule {rule.text!r}: no point has {metric} of {sides}",
        hint="measure all of them at the same points, or leave the rule out",
    )


def _make_blank(metric: str, rule: Parsed, tolerance: float, by: Unit) -> RulePointEvidence:
    return RulePointEvidence(
        metric=metric,
        left_side=" + ".join(rule.left_side),
        right=" + ".join(rule.right),
        ratio=None,
        interval=None,
        tolerance=tolerance,
        level=ALPHA,
        p=None,
        method=None,
        n=0,
        by=by,
    )


def _open(stratum: Mapping[str, Scalar], evidence: RulePointEvidence) -> Undecided:
    return Undecided(stratum, None, 1.0, lambda level: replace(evidence, level=level))


def _make_exact(stratum: Mapping[str, Scalar], evidence: RulePointEvidence) -> Undecided:
    """Judge a ratio that is known without uncertainty."""
    ratio = evidence.ratio or 0.0
    exact = replace(evidence, interval=Interval(ratio, ratio), p=0.0, method="exact")
    return Undecided(
        stratum,
        "fails" if ratio > 1 + evidence.tolerance else "holds",
        0.0,
        lambda level: replace(exact, level=level),
    )


def _fail_typically(
    stratum: Mapping[str, Scalar], blank: RulePointEvidence, typical: Speedup, judgement: Judgement
) -> Undecided:
    """Let a typical run refute what its mean leaves open, with the ratio and the interval of that run."""
    evidence = replace(
        blank, ratio=typical.value, method=typical.method, n=typical.n, p=judgement.p, decided_by="typical"
    )
    return Undecided(
        stratum,
        "fails",
        judgement.p or 0.0,
        lambda level: replace(evidence, interval=typical.interval(TYPICAL * level), level=level),
    )


def _test(
    stratum: Mapping[str, Scalar], distribution: Distribution, rule_point_evidence: RulePointEvidence
) -> Undecided:
    """Hold where the interval lies below 1 + tolerance, fail where it lies above."""
    bound = 1 + rule_point_evidence.tolerance
    p = distribution.p_of(bound)

    def evidence(level: float) -> RulePointEvidence:
        return replace(rule_point_evidence, interval=distribution.interval(level), level=level, p=p)

    return Undecided(stratum, "fails" if (rule_point_evidence.ratio or 0.0) > bound else "holds", p, evidence)
