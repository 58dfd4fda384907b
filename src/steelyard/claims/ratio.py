"""``faster``, ``slower``, ``not_slower``, ``equivalent``: two treatments, in every stratum."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

import msgspec
from msgspec.structs import replace

from steelyard.claims.draft import Draft, Undecided
from steelyard.claims.evidence import RatioEvidence, TypicalEvidence, Unit
from steelyard.claims.observed import Observed, has, strata
from steelyard.core.sample import Sample
from steelyard.core.units import Scalar
from steelyard.results.comparison import Comparison, Speedup
from steelyard.results.flags import WITHHOLDING
from steelyard.results.undefined import Reason, Undefined
from steelyard.spec.claims.ratio import Equivalent, Faster, NotSlower, Slower
from steelyard.stats.compare.comparison import admissible, intervals, judge_beside
from steelyard.stats.compare.judgement import (
    TYPICAL,
    Judgement,
    judge_at_least,
    judge_at_most,
    judge_within,
    share_of_level,
)
from steelyard.stats.compare.speedup import resolvable

Levels = Mapping[str, Scalar]


class Statement(msgspec.Struct, frozen=True):
    """What a claim says of a ratio.

    Attributes
    ----------
    judge : callable
    inverse : bool
        Of the ratio the other way round.
    margin : float or None
        Within which both are claimed to be equal.
    at_bound : bool
        Whether a ratio other than 1 is claimed.
    """

    judge: Callable[[Speedup | Undefined], Judgement]
    inverse: bool = False
    margin: float | None = None
    at_bound: bool = True


def equal_within(margin: float) -> Statement:
    """Judge whether the interval lies inside 1 - ``margin`` to 1 + ``margin``; outside, the claim fails."""
    return Statement(lambda ratio: judge_within(ratio, margin), margin=margin)


def judge_faster(claim: Faster, observed: Observed) -> Draft:
    """Judge whether the interval of the speedup lies above ``by``; below, the claim fails."""
    statement = Statement(lambda ratio: judge_at_least(ratio, claim.by), at_bound=claim.by != 1)
    return _draft(claim, claim.faster, claim.than, observed, statement)


def judge_slower(claim: Slower, observed: Observed) -> Draft:
    """Judge ``b`` faster than ``a``, which is ``a`` slower than ``b``, and show the slowdown of ``a``."""
    statement = Statement(lambda ratio: judge_at_least(ratio, claim.by), inverse=True, at_bound=claim.by != 1)
    return _draft(claim, claim.slower, claim.than, observed, statement)


def judge_not_slower(claim: NotSlower, observed: Observed) -> Draft:
    """Judge whether the interval of the slowdown lies below 1 + ``by``; above, the claim fails."""
    statement = Statement(lambda ratio: judge_at_most(ratio, 1 + claim.by), inverse=True)
    return _draft(claim, claim.not_slower, claim.than, observed, statement)


def judge_equivalent(claim: Equivalent, observed: Observed) -> Draft:
    """Judge as ``equal_within`` does."""
    return _draft(claim, claim.equivalent, claim.to, observed, equal_within(claim.within))


def _draft(
    claim: Faster | Slower | NotSlower | Equivalent,
    new: Levels,
    old: Levels,
    observed: Observed,
    statement: Statement,
) -> Draft:
    metric = observed.metric(claim.metric)
    return Draft(tuple(tested_pairs(metric, new, old, claim.strata, claim.where, observed, statement)))


def tested_pairs(
    metric: str,
    new: Levels,
    old: Levels,
    within_levels_of: Sequence[str],
    levels: Levels,
    observed: Observed,
    statement: Statement,
) -> list[Undecided]:
    """Two treatments in every stratum that has both."""
    tested = []
    samples = observed.list_compared(metric)
    for stratum, members in strata(samples, within_levels_of, levels):
        treatment = next((m for m in members if has(m.treatment.levels, new)), None)
        baseline = next((m for m in members if has(m.treatment.levels, old)), None)
        if treatment is not None and baseline is not None and treatment is not baseline:
            tested.append(tested_pair(stratum, treatment, baseline, observed, statement))
    return tested


def tested_pair(
    stratum: Levels, treatment: Sample, baseline: Sample, observed: Observed, statement: Statement
) -> Undecided:
    """One treatment against another, in one stratum."""
    old, new = (treatment, baseline) if statement.inverse else (baseline, treatment)
    compared = comparison_of(old, new, observed, statement.margin, at_bound=statement.at_bound)
    ratio = compared.speedup
    declared = observed.declared(compared.metric.name)
    judgement = judge_beside(statement.judge, compared, declared)
    by_typical = judgement.by == "typical"
    allowed = admissible(compared.flags, declared)
    is_judged = judgement.p is not None and (allowed or by_typical)

    def evidence(level: float) -> RatioEvidence:
        is_decided = is_judged and judgement.p is not None and judgement.p <= level
        speedup = ratio if isinstance(ratio, Speedup) else None
        return RatioEvidence(
            metric=treatment.metric,
            treatment=treatment.treatment.label,
            baseline=baseline.treatment.label,
            estimand=compared.estimand,
            ratio=speedup.value if speedup else None,
            interval=speedup.interval(level) if speedup else None,
            level=level,
            p=judgement.p,
            method=speedup.method if speedup else None,
            n=speedup.n if speedup else 0,
            by=unit_of(compared),
            resolvable=resolvable(speedup, level) if speedup else None,
            reason=None if is_decided and by_typical else explain_open(compared, allowed=allowed),
            decided_by=judgement.by if is_decided else None,
            typical=_describe_typical(compared, statement, level) if compared.beside else None,
            allowances=speedup.allowances if speedup else (),
            runs_to_show=judgement.runs_to_show if is_judged else None,
            scope=observed.scope(baseline, treatment),
        )

    if not is_judged or judgement.p is None:
        return Undecided(stratum, None, 1.0, evidence)
    return Undecided(stratum, judgement.indicated, judgement.p, evidence)


def _describe_typical(compared: Comparison, statement: Statement, level: float) -> TypicalEvidence | None:
    beside = compared.beside
    if beside is None:
        return None
    judgement = statement.judge(beside.ratio)
    refutes = judgement.indicated == "fails" and judgement.p is not None
    better, worse = beside.better, beside.worse
    if statement.inverse:
        better, worse = worse, better
    return TypicalEvidence(
        ratio=beside.ratio.value,
        interval=beside.ratio.interval(TYPICAL * level),
        level=TYPICAL * level,
        p=share_of_level(judgement.p) if refutes and judgement.p is not None else None,
        method=beside.ratio.method,
        better=better,
        worse=worse,
        n=beside.n,
        slow=beside.slow.treatment.label if beside.slow else None,
        slow_runs=beside.slow.runs if beside.slow else 0,
    )


def comparison_of(
    old: Sample, new: Sample, observed: Observed, margin: float | None = None, *, at_bound: bool
) -> Comparison:
    """Return the comparison of two samples, as the analysis makes it: estimand, uncertainties and all.

    The claim chose both, so that labels which describe them may differ. ``at_bound`` is as in ``intervals``.
    """
    metric = new.metric.name
    declared = replace(
        observed.declared(metric),
        baseline=old.treatment.levels,
        family="baseline",
        strata=(),
        margin=margin,
    )
    chosen = [replace(sample, labels={}) for sample in (old, new)]
    (compared,) = intervals(
        chosen, declared, metric=metric, order=observed.order, beside=True, at_bound=at_bound
    )
    return compared


def explain_open(compared: Comparison, *, allowed: bool) -> Reason | Literal["failures"] | None:
    """Why a comparison decides nothing, whatever its interval."""
    if not allowed:
        return next((reason for reason in WITHHOLDING if reason in compared.flags), "failures")
    return compared.speedup.reason if isinstance(compared.speedup, Undefined) else None


def unit_of(compared: Comparison) -> Unit:
    """Return the unit of inference of a comparison."""
    if "sessions" in compared.flags:
        return "session"
    if "two_sessions" in compared.flags:
        return "two-sessions"
    if "sequential_order" in compared.flags:
        return "repetition" if "one_process" in compared.flags else "launch"
    if isinstance(compared.speedup, Undefined):
        return "block"
    unit = compared.speedup.unit
    return "launch" if unit == "unpaired" else unit
