"""``compare``: every declared comparison of one metric.

Comparisons are adjusted over their family and judged (docs/statistics.md, "Verdicts").
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

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
    Speedup,
)
from steelyard.results.flags import FEW_BLOCKS, Flag, unequal
from steelyard.results.samples import Autocorrelation
from steelyard.results.undefined import Undefined
from steelyard.stats.cached import cached
from steelyard.stats.compare.adjusted_speedup import adjusted_speedup, cv
from steelyard.stats.compare.contrast import Contrast, contrast
from steelyard.stats.compare.dependence import allowing_for, few_suspected
from steelyard.stats.compare.estimate import effects, estimate
from steelyard.stats.compare.families import adjustment, families
from steelyard.stats.compare.judgement import Judgement, Outcome, together, within
from steelyard.stats.compare.lopsided import allowing_for_tail
from steelyard.stats.compare.median_ratio import censored_median_ratio
from steelyard.stats.compare.pairing import Pair, pair_up
from steelyard.stats.compare.slow_mode import FEWEST, slow_mode
from steelyard.stats.compare.speedup import EqualUnits, resolvable
from steelyard.stats.compare.verdict import difference_of, verdict_of
from steelyard.stats.describe.autocorrelation import autocorrelation
from steelyard.stats.describe.clock_step import coarse_step
from steelyard.stats.describe.described import sees_clock
from steelyard.stats.describe.trend import trend
from steelyard.stats.hypothesis.holm import Tested
from steelyard.stats.sequential.looks import Looks
from steelyard.stats.sequential.over_looks import over_looks
from steelyard.stats.uncertainty.budget import budget
from steelyard.stats.uncertainty.contributions import Contribution, contributions, with_type_b

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
        As ``pair_up``.
    """
    found = intervals(samples, declared, metric=declared.metric, order=order, looks=looks)
    tested = [i for i, each in enumerate(found) if each.p is not None]
    judged = list(map(_make_unjudgeable, found))
    for places in families([found[i].stratum for i in tested], declared):
        members = [tested[place] for place in places]
        for i, comparison in zip(
            members, _compute_family([found[i] for i in members], declared), strict=True
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
) -> tuple[Comparison, ...]:
    """Return the same comparisons of any one metric, with marginal intervals.

    They are in no family: nothing is judged.

    Raises
    ------
    UsageError
        As ``pair_up``.
    """
    chosen = [sample for sample in samples if sample.metric.name == metric]
    return tuple(_estimate(pair, declared, order, looks) for pair in pair_up(chosen, declared).pairs)


def _estimate(pair: Pair, declared: Analysis, order: Order, looks: Looks | None) -> Comparison:
    """Everything that does not depend on the rest of the family."""
    estimand = declared.estimand
    between = contrast(pair.baseline, pair.treatment, order=order, zeros=estimand == "ratio_of_means")
    in_time = [] if isinstance(between, Undefined) else _in_time(between, estimand)
    found = [each for values in in_time if (each := autocorrelation(values)) is not None]
    if isinstance(between, Undefined):
        ratio: Speedup | Undefined = between
        adjusted = contexts = instances = None
        blocks = 0
    else:
        censored = any(pair.baseline.censored) or any(pair.treatment.censored)
        ratio = (
            censored_median_ratio(between, pair.baseline, pair.treatment)
            if censored
            else estimate(
                between,
                estimand,
                declared.interval,
                seed=declared.interval_seed,
                quantile=declared.quantile,
            )
        )
        blocks = between.blocks
        contexts = between.old.ids.size if between.old.by == "context" else None
        instances = between.old.ids.size if between.old.by == "instance" else None
        adjusted = adjusted_speedup(between, _cv(pair.baseline), _cv(pair.treatment))
    likeness = min(found, key=lambda each: each.n_eff / each.n, default=None)
    slow = None
    if isinstance(between, Contrast) and estimand in ("geomean_ratio", "ratio_of_means"):
        slow = slow_mode(between, pair.baseline, pair.treatment) if instances is None else None
    parts: tuple[Contribution, ...] = ()
    if isinstance(ratio, Speedup) and isinstance(between, Contrast):
        if pair.treatment.metric.name == declared.metric:
            parts = contributions(between, declared.type_b, logs=estimand == "geomean_ratio")
        ratio = with_type_b(ratio, parts)
    known = ratio if isinstance(ratio, Speedup) else None
    allowed = allowing_for(known, likeness) if known else None
    judged = allowed
    # To be equal within a margin is a claim that a long tail can refute, however many looks there are.
    if judged and isinstance(between, Contrast) and (looks or declared.margin is not None):
        judged = allowing_for_tail(judged, between, estimand)
    if judged and looks:
        judged = over_looks(judged, looks)
    decides = slow is not None and slow.decides(declared.margin)
    if slow is not None and slow.runs < FEWEST and not (decides and judged and _tells(judged, declared)):
        slow = None
    return Comparison(
        baseline=pair.baseline.treatment,
        treatment=pair.treatment.treatment,
        metric=pair.treatment.metric,
        stratum=pair.stratum,
        labels=pair.treatment.labels,
        blocks=blocks,
        contexts=contexts,
        instances=instances,
        speedup=judged or ratio,
        adjusted=adjusted,
        budget=(
            budget(between, known, allowed, parts)
            if known and allowed and isinstance(between, Contrast)
            else None
        ),
        ci95=judged.interval() if judged else None,
        p=judged.p if judged else None,
        resolvable=resolvable(judged) if judged else None,
        autocorrelation=likeness,
        flags=(
            *_compute_flags(pair, between, ratio, declared, order, in_time, found, likeness),
            *(("slow_mode",) if slow is not None and decides else ()),
        ),
        slow=slow,
        estimand=estimand,
    )


def _tells(ratio: Speedup, declared: Analysis) -> bool:
    """Whether there is a verdict to be turned round."""
    return ratio.p <= declared.alpha or declared.margin is not None


def _in_time(between: Contrast, estimand: Estimand) -> list[Floats]:
    """Series in the order of time: differences of blocks; without pairs, both samples."""
    if between.paired:
        return [effects(between, estimand)] if between.old.by == "block" else []
    if estimand == "ratio_of_means":
        return [between.old.raws, between.new.raws]
    return [between.old.logs, between.new.logs]


def _compute_flags(
    pair: Pair,
    between: Contrast | Undefined,
    ratio: Speedup | Undefined,
    declared: Analysis,
    order: Order,
    in_time: Sequence[Floats],
    correlations: Sequence[Autocorrelation],
    likeness: Autocorrelation | None,
) -> tuple[Flag, ...]:
    old, new = pair.baseline.failures, pair.treatment.failures
    raised: dict[Flag, bool] = {
        "undefined": isinstance(ratio, Undefined),
        "failures_unequal": unequal(old, new),
        "failures_otherwise": declared.failures == "as-limit" and unequal(old.in_time, new.in_time),
        "timed_out": old.timed_out + new.timed_out > 0,
        "simulated": "simulated" in (pair.baseline.provenance, pair.treatment.provenance),
        "crowded": "crowded" in (pair.baseline.provenance, pair.treatment.provenance),
        "one_process": "one_process" in (pair.baseline.provenance, pair.treatment.provenance),
    }
    if isinstance(between, Contrast):
        samples = (pair.baseline, pair.treatment)
        raised |= {
            "no_spread": isinstance(ratio, Speedup) and isinstance(ratio.distribution, EqualUnits),
            "sequential_order": order == "sequential",
            "few_blocks": between.blocks < FEW_BLOCKS,
            "autocorrelated": any(correlation.significant for correlation in correlations),
            "autocorrelated_few": likeness is not None and few_suspected(likeness),
            "trend": any((tau := trend(x)) is not None and tau.significant for x in in_time),
            "resolution": sees_clock(pair.baseline.metric) and any(map(_is_coarse, samples)),
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
            _judged(each, tested, None, len(members), declared)
            for each, tested in zip(members, differences, strict=True)
        ]
    ratios = [member.speedup for member in members]
    one_sided = declared.equivalence == "one-sided"
    alone = [within(ratio, declared.margin, declared.alpha, one_sided=one_sided) for ratio in ratios]
    return [
        _judged(each, tested, relevant, len(members), declared)
        for each, tested, relevant in zip(
            members, differences, together(alone, ratios, declared.alpha, adjust), strict=True
        )
    ]


def _judged(
    estimate: Comparison, tested: Tested, relevant: Judgement | None, size: int, declared: Analysis
) -> Comparison:
    ratio = estimate.speedup
    if isinstance(ratio, Undefined):
        return _make_unjudgeable(estimate)
    censored = not admissible(estimate.flags, declared)
    difference = difference_of(ratio.log, rejected=tested.rejected and not censored)
    relevance = None if relevant is None else _RELEVANCE[relevant.outcome]
    verdict = "not_resolved" if censored else verdict_of(difference, relevance, ratio.log)
    return replace(
        estimate,
        refused=censored,
        ci_family=ratio.interval(tested.level),
        ci_relevance=relevant.interval if relevant else None,
        p_holm=tested.p_holm,
        p_relevance=relevant.p_holm if relevant else None,
        family_size=size,
        difference=difference,
        relevance=relevance,
        verdict=verdict,
        resolvable=resolvable(ratio, tested.level),
    )


def admissible(flags: Sequence[Flag], declared: Analysis) -> bool:
    """Whether a comparison may be judged although runs failed.

    What timed out counts as the limit says, what failed otherwise is unknown. Times of more ranks than CPUs
    are never judged, nor are those of which one treatment has slow runs whose share decides.
    """
    if not {"crowded", "slow_mode"}.isdisjoint(flags):
        return False
    if declared.failures == "ignore":
        return True
    unknown: set[Flag] = {"failures_unequal", "timed_out"}
    if declared.failures == "as-limit":
        unknown = {"failures_otherwise"}
    return unknown.isdisjoint(flags)


def _make_unjudgeable(estimate: Comparison) -> Comparison:
    return replace(estimate, difference="not_resolved", verdict="not_resolved")


@cached
def _cv(sample: Sample) -> float:
    return cv(_values(sample))


@cached
def _is_coarse(sample: Sample) -> bool:
    return coarse_step(_values(sample)) is not None


def _values(sample: Sample) -> Floats:
    return np.asarray(sample.values, dtype=np.float64)
