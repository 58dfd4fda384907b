"""``compare``: every declared comparison of one metric.

Comparisons are adjusted over their family and judged (docs/statistics.md, "Verdicts").
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final

import numpy as np
from msgspec.structs import replace

from steelyard.core.analysis import Analysis
from steelyard.core.arrays import Floats
from steelyard.core.estimand import Estimand
from steelyard.core.sample import Sample
from steelyard.results.analysis import Order
from steelyard.results.comparison import (
    Comparison,
    Relevance,
    SlowMode,
    Speedup,
    TypicalRatio,
)
from steelyard.results.flags import FEW_BLOCKS, WITHHOLDING, Flag, unequal
from steelyard.results.samples import Autocorrelation
from steelyard.results.undefined import Undefined
from steelyard.stats.cached import cache
from steelyard.stats.compare.adjusted_speedup import adjusted_speedup, cv
from steelyard.stats.compare.budget import budget
from steelyard.stats.compare.contrast import Contrast, contrast
from steelyard.stats.compare.estimate import effects
from steelyard.stats.compare.families import adjustment, families
from steelyard.stats.compare.judgement import (
    Judgement,
    Outcome,
    close_by,
    judge_together,
    judge_within,
    wait_for_slow_runs,
)
from steelyard.stats.compare.pairing import Pair, pair_up
from steelyard.stats.compare.slow_mode import FEWEST, MEANS, slow_mode
from steelyard.stats.compare.speedup import EqualUnits, resolvable
from steelyard.stats.compare.steps import Basis, Stage, walk_steps, walk_typical
from steelyard.stats.compare.verdict import difference_of, verdict_of
from steelyard.stats.describe.autocorrelation import autocorrelation
from steelyard.stats.describe.clock_step import coarse_step
from steelyard.stats.describe.dependence import few_suspected
from steelyard.stats.describe.described import sees_clock
from steelyard.stats.describe.reading_step import STEP
from steelyard.stats.describe.trend import trend
from steelyard.stats.hypothesis.holm import Tested
from steelyard.stats.sequential.looks import Looks

_RELEVANCE: Final[Mapping[Outcome, Relevance]] = {
    "holds": "inside",
    "fails": "above",
    "not_resolved": "straddles",
}
"""Judgement of the statement "equivalent within the margin"."""


def compare(
    samples: Sequence[Sample],
    declared: Analysis,
    *,
    order: Order = "randomized-blocks",
    looks: Looks | None = None,
) -> tuple[Comparison, ...]:
    """Compare the samples of the primary metric as declared, adjust over each family, and judge.

    With ``looks``, p-values, intervals and verdicts hold over all of them.

    Raises
    ------
    UsageError
        The declared strata or baseline are not in the samples, as ``pair_up`` says.
    """
    beside = declared.margin is not None
    comparisons = intervals(
        samples, declared, metric=declared.metric, order=order, looks=looks, beside=beside
    )
    tested = [i for i, comparison in enumerate(comparisons) if comparison.p is not None]
    judged = list(map(_make_unjudgeable, comparisons))
    for places in families([comparisons[i].stratum for i in tested], declared):
        members = [tested[place] for place in places]
        for i, comparison in zip(
            members, _compute_family([comparisons[i] for i in members], declared), strict=True
        ):
            judged[i] = comparison
    return tuple(judged)


def intervals(
    samples: Sequence[Sample],
    declared: Analysis,
    *,
    metric: str,
    order: Order = "randomized-blocks",
    looks: Looks | None = None,
    beside: bool = False,
    at_bound: bool | None = None,
) -> tuple[Comparison, ...]:
    """Return the same comparisons of any one metric, with marginal intervals.

    They are in no family: nothing is judged. With ``beside``, each has its typical run, for statements about
    a margin or a bound.

    Parameters
    ----------
    at_bound : bool, optional
        Whether that is a ratio other than 1; ``beside`` unless said.

    Raises
    ------
    UsageError
        The declared strata or baseline are not in the samples, as ``pair_up`` says.
    """
    chosen = [sample for sample in samples if sample.metric.name == metric]
    is_at_bound = beside if at_bound is None else at_bound
    pairs = pair_up(chosen, declared).pairs
    compared = (_estimate(pair, declared, order, looks, at_bound=is_at_bound) for pair in pairs)
    if not beside:
        return tuple(comparison for comparison, _ in compared)
    return tuple(
        comparison if basis is None else replace(comparison, beside=_describe_typical(basis))
        for comparison, basis in compared
    )


def _estimate(
    pair: Pair, declared: Analysis, order: Order, looks: Looks | None, *, at_bound: bool
) -> tuple[Comparison, Basis | None]:
    """Everything that does not depend on the rest of the family."""
    zeros = declared.estimand == "ratio_of_means"
    between = contrast(pair.baseline, pair.treatment, order=order, zeros=zeros)
    if isinstance(between, Undefined):
        flags = _compute_flags_of_runs(pair, between, declared)
        return _make_comparison(pair, declared, between, flags=flags), None
    in_time = _sort_in_time(between, declared.estimand)
    correlations = [correlation for values in in_time if (correlation := autocorrelation(values)) is not None]
    likeness = min(correlations, key=lambda correlation: correlation.n_eff / correlation.n, default=None)
    # Nights are not the minutes of one session: only what their values show is allowed for.
    is_at_bound = at_bound and "session" not in (pair.baseline.provenance, pair.treatment.provenance)
    basis = Basis(pair, between, declared, looks, likeness, is_at_bound)
    stages = walk_steps(basis)
    ratio = stages if isinstance(stages, Undefined) else stages["looks"]
    slow = _find_slow_mode(basis, stages)
    comparison = _make_comparison(
        pair,
        declared,
        ratio,
        blocks=between.blocks,
        contexts=between.old.ids.size if between.old.by == "context" else None,
        instances=between.old.ids.size if between.old.by == "instance" else None,
        adjusted=adjusted_speedup(between, _cv(pair.baseline), _cv(pair.treatment)),
        budget=(
            None
            if isinstance(stages, Undefined)
            else budget(between, stages["type B"], stages["dependence"], basis.errors)
        ),
        autocorrelation=likeness,
        flags=(
            *_compute_flags_of_runs(pair, ratio, declared),
            *_compute_flags_of_values(basis, stages, order, in_time, correlations),
            *(("slow_mode",) if slow is not None and slow.decides(declared.margin) else ()),
        ),
        slow=slow,
    )
    return comparison, basis


def _describe_typical(basis: Basis) -> TypicalRatio | None:
    between = basis.between
    if not (np.isfinite(between.new.logs).all() and np.isfinite(between.old.logs).all()):
        return None  # A value of 0 has a mean, but no logarithm.
    ratio = walk_typical(basis, _sort_in_time(between, "geomean_ratio"))
    if ratio is None:
        return None
    slow = slow_mode(between, basis.pair.baseline, basis.pair.treatment)
    if between.paired:
        gains = between.differences
        return TypicalRatio(ratio, int((gains > 0).sum()), int((gains < 0).sum()), gains.size, slow)
    new, old = (np.sort(between.sign * units.logs) for units in (between.new, between.old))
    worse = int(np.searchsorted(old, new, side="left").sum())
    better = int(old.size * new.size - np.searchsorted(old, new, side="right").sum())
    return TypicalRatio(ratio, better, worse, old.size * new.size, slow)


def _make_comparison(pair: Pair, declared: Analysis, ratio: Speedup | Undefined, **parts: Any) -> Comparison:
    values: dict[str, Any] = {"blocks": 0, "contexts": None, "adjusted": None}
    values |= {"ci95": None, "p": None, "resolvable": None}
    if isinstance(ratio, Speedup):
        values |= {"ci95": ratio.interval(), "p": ratio.p, "resolvable": resolvable(ratio)}
    return Comparison(
        baseline=pair.baseline.treatment,
        treatment=pair.treatment.treatment,
        metric=pair.treatment.metric,
        stratum=pair.stratum,
        labels=pair.treatment.labels,
        speedup=ratio,
        estimand=declared.estimand,
        **values | parts,
    )


def _find_slow_mode(basis: Basis, stages: Mapping[Stage, Speedup] | Undefined) -> SlowMode | None:
    """Slow runs of one treatment; a single one counts only where it would turn a verdict round.

    That is a verdict before the tail is allowed for, which a single slow run makes: of both it is named.
    """
    declared, between = basis.declared, basis.between
    if declared.estimand not in MEANS or between.old.by == "instance":
        return None
    slow = slow_mode(between, basis.pair.baseline, basis.pair.treatment)
    if slow is None or slow.runs >= FEWEST:
        return slow
    if isinstance(stages, Undefined):
        return None
    is_told = stages["dependence"].p <= declared.alpha or declared.margin is not None
    return slow if is_told and slow.decides(declared.margin) else None


def _sort_in_time(between: Contrast, estimand: Estimand) -> list[Floats]:
    """Series in the order of time: differences of blocks; without pairs, both samples."""
    if between.paired:
        return [effects(between, estimand)] if between.old.by == "block" else []
    if estimand == "ratio_of_means":
        return [between.old.raws, between.new.raws]
    return [between.old.logs, between.new.logs]


def _compute_flags_of_runs(pair: Pair, ratio: Speedup | Undefined, declared: Analysis) -> tuple[Flag, ...]:
    old, new = pair.baseline.failures, pair.treatment.failures
    provenance = (pair.baseline.provenance, pair.treatment.provenance)
    raised: dict[Flag, bool] = {
        "undefined": isinstance(ratio, Undefined),
        "failures_unequal": unequal(old, new),
        "failures_otherwise": declared.failures == "as-limit" and unequal(old.in_time, new.in_time),
        "timed_out": old.timed_out + new.timed_out > 0,
        "simulated": "simulated" in provenance,
        "crowded": "crowded" in provenance,
        "one_process": "one_process" in provenance,
        "sessions": "session" in provenance,
        "two_sessions": bool(pair.baseline.session and pair.treatment.session)
        and pair.baseline.session != pair.treatment.session,
        "other_code": "other_code" in provenance,
    }
    return tuple(flag for flag, up in raised.items() if up)


def _compute_flags_of_values(
    basis: Basis,
    stages: Mapping[Stage, Speedup] | Undefined,
    order: Order,
    in_time: Sequence[Floats],
    correlations: Sequence[Autocorrelation],
) -> tuple[Flag, ...]:
    between, baseline = basis.between, basis.pair.baseline
    samples = (baseline, basis.pair.treatment)
    raised: dict[Flag, bool] = {
        "no_spread": not isinstance(stages, Undefined)
        and isinstance(stages["type B"].distribution, EqualUnits),
        "constant": _is_constant(samples, basis.declared),
        "sequential_order": order == "sequential",
        "few_blocks": between.blocks < FEW_BLOCKS,
        "autocorrelated": any(correlation.significant for correlation in correlations),
        "autocorrelated_few": basis.likeness is not None and few_suspected(basis.likeness),
        "trend": any((tau := trend(x)) is not None and tau.significant for x in in_time),
        "resolution": sees_clock(baseline.metric) and any(map(_is_coarse, samples)),
        "unmatched_blocks": between.unmatched > 0,
        "unbalanced_contexts": between.unbalanced,
    }
    return tuple(flag for flag, up in raised.items() if up)


def _compute_family(members: Sequence[Comparison], declared: Analysis) -> list[Comparison]:
    """Judge the comparisons of one family.

    They are adjusted over the tests of 1, and over the decisions about the margin, which have the smallest
    level at which the interval lies wholly beyond it or wholly inside.
    """
    adjust = adjustment(declared)
    differences = adjust([member.p for member in members if member.p is not None], declared.alpha)
    if declared.margin is None:
        return [
            _judge(comparison, tested, None, len(members), declared)
            for comparison, tested in zip(members, differences, strict=True)
        ]
    ratios = [member.speedup for member in members]
    one_sided = declared.equivalence == "one-sided"
    within = partial(judge_within, bound=declared.margin, alpha=declared.alpha, one_sided=one_sided)
    alone = [judge_beside(within, member, declared) for member in members]
    return [
        _judge(comparison, tested, relevant, len(members), declared)
        for comparison, tested, relevant in zip(
            members, differences, judge_together(alone, ratios, declared.alpha, adjust), strict=True
        )
    ]


def _judge(
    estimate: Comparison, tested: Tested, relevant: Judgement | None, size: int, declared: Analysis
) -> Comparison:
    ratio = estimate.speedup
    if isinstance(ratio, Undefined):
        return _make_unjudgeable(estimate)
    censored = not admissible(estimate.flags, declared)
    difference = difference_of(ratio.log, rejected=tested.rejected and not censored)
    relevance = None if relevant is None else _RELEVANCE[relevant.outcome]
    verdict = "not_resolved" if censored else verdict_of(difference, relevance, ratio.log)
    by = relevant.by if relevant is not None and relevant.outcome != "not_resolved" else None
    if by == "typical" and estimate.beside is not None:
        # It closes a gate where the mean does not speak against it, and opens none.
        is_worse = max(estimate.beside.ratio.log, ratio.log) < 0
        verdict, censored = ("slower", False) if is_worse else ("not_resolved", censored)
    return replace(
        estimate,
        refused=censored,
        decided_by=None if censored and by == "mean" else by,
        ci_family=ratio.interval(tested.level),
        ci_relevance=relevant.interval if relevant else None,
        p_holm=tested.p_holm,
        p_relevance=relevant.p_holm if relevant else None,
        blocks_to_show=relevant.runs_to_show if relevant else None,
        family_size=size,
        difference=difference,
        relevance=relevance,
        verdict=verdict,
        resolvable=resolvable(ratio, tested.level),
    )


def judge_beside(
    judge: Callable[[Speedup | Undefined], Judgement], compared: Comparison, declared: Analysis
) -> Judgement:
    """Judge a statement about the ratio of a comparison, and about its typical run beside it.

    Slow runs of unknown share withhold the mean alone; nothing else is judged where it is withheld.
    """
    mean, beside = judge(compared.speedup), compared.beside
    if beside is None or not admissible([f for f in compared.flags if f != "slow_mode"], declared):
        return _wait_for_slow_runs(mean, compared)
    is_withheld = not admissible(compared.flags, declared)
    judged = judge(Undefined("slow_mode")) if is_withheld else mean
    closed = close_by("typical", judged, judge(beside.ratio), declared.alpha)
    return closed if closed.by == "typical" else _wait_for_slow_runs(mean, compared)


def _wait_for_slow_runs(mean: Judgement, compared: Comparison) -> Judgement:
    """Hold back "within" until slow runs would have shown: of means of runs that differ at all."""
    ratio = compared.speedup
    is_exempt = compared.estimand not in MEANS or compared.instances is not None
    if isinstance(ratio, Undefined) or is_exempt or ratio.se == 0:
        return mean
    return wait_for_slow_runs(mean, compared.blocks, compared.estimand)


def admissible(flags: Sequence[Flag], declared: Analysis) -> bool:
    """Whether a comparison may be judged although runs failed.

    What timed out counts as the limit says, what failed otherwise is unknown. Times of more ranks than CPUs
    are never judged, nor are those of which one treatment has slow runs whose share decides, nor those of a
    program whose libraries changed.
    """
    if not set(WITHHOLDING).isdisjoint(flags):
        return False
    if declared.failures == "ignore":
        return True
    unknown: set[Flag] = {"failures_unequal", "timed_out"}
    if declared.failures == "as-limit":
        unknown = {"failures_otherwise"}
    return unknown.isdisjoint(flags)


def _make_unjudgeable(estimate: Comparison) -> Comparison:
    return replace(estimate, difference="not_resolved", verdict="not_resolved")


@cache
def _cv(sample: Sample) -> float:
    return cv(_values(sample))


def _is_constant(samples: Sequence[Sample], declared: Analysis) -> bool:
    """Whether readings that come in steps have one value in all runs of both: two or more of each."""
    has_steps = any(error.name == STEP and error.measured for error in declared.type_b)
    if not has_steps or samples[0].metric.name != declared.metric:
        return False
    return min(map(len, samples)) > 1 and len({value for sample in samples for value in sample.values}) == 1


@cache
def _is_coarse(sample: Sample) -> bool:
    return coarse_step(_values(sample)) is not None


def _values(sample: Sample) -> Floats:
    return np.asarray(sample.values, dtype=np.float64)
