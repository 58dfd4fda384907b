"""``compare``: every declared comparison of one metric, adjusted over its family and judged
(docs/statistics.md, "Verdicts").
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from steelyard.sample import Sample, Treatment
from steelyard.stats.adjusted import AdjustedSpeedup, adjusted_speedup
from steelyard.stats.autocorrelation import Autocorrelation, autocorrelation
from steelyard.stats.contrast import Contrast, Floats, Order, contrast
from steelyard.stats.declared import Declared
from steelyard.stats.described import sees_clock
from steelyard.stats.flags import FEW_BLOCKS, Flag, unequal
from steelyard.stats.holm import Tested, holm
from steelyard.stats.interval import Interval
from steelyard.stats.pairing import Pair, pair_up
from steelyard.stats.resolution import coarse_step
from steelyard.stats.speedup import Speedup, speedup
from steelyard.stats.trend import trend
from steelyard.stats.undefined import Undefined
from steelyard.stats.verdict import Difference, Relevance, Verdict, difference_of, relevance_of, verdict_of
from steelyard.units import Metric, Scalar


@dataclass(frozen=True, slots=True)
class Comparison:
    """One treatment against its baseline.

    Attributes
    ----------
    labels : Mapping[str, Scalar]
        That the program put on the values of both samples.
    blocks : int
        That both have; launches of each in a sequential order; 0 where the ratio is undefined.
    contexts : int or None
        Where contexts are the units of inference.
    autocorrelation : Autocorrelation or None
        Of the differences of blocks in the order of time; of the worse sample where nothing pairs them.
    speedup : Speedup or Undefined
        Above 1 where the treatment is better.
    ci95 : Interval or None
        Marginal; ``None`` where unbounded or undefined.
    ci_family : Interval or None
        At the level at which Holm tested this comparison: excludes 1 exactly when it was rejected. ``None``
        too where not judged.
    p, p_holm : float or None
        ``p_holm`` only where judged.
    difference : {"faster", "slower", "not_resolved"} or None
        By the adjusted test. ``None`` for a metric that is not judged, as are the three fields below.
    relevance : {"above", "inside", "straddles"} or None
        Where a margin m is declared: ``ci_family`` wholly beyond 1 + m or 1 - m, between them, or neither.
    verdict : {"faster", "slower", "equivalent", "not_resolved"} or None
        Both together; ``difference`` alone without a margin.
    resolvable : float or None
        The smallest relative difference that this n and spread would have shown with 80 % power at the level
        tested.
    """

    baseline: Treatment
    treatment: Treatment
    metric: Metric
    stratum: Mapping[str, Scalar]
    labels: Mapping[str, Scalar]
    blocks: int
    contexts: int | None
    speedup: Speedup | Undefined
    adjusted: AdjustedSpeedup | None
    ci95: Interval | None
    p: float | None
    resolvable: float | None
    flags: tuple[Flag, ...]
    autocorrelation: Autocorrelation | None = None
    ci_family: Interval | None = None
    p_holm: float | None = None
    family_size: int | None = None
    difference: Difference | None = None
    relevance: Relevance | None = None
    verdict: Verdict | None = None
    estimand: Literal["geomean_ratio"] = "geomean_ratio"


def compare(
    samples: Sequence[Sample], declared: Declared, *, order: Order = "randomized-blocks"
) -> tuple[Comparison, ...]:
    """Compare the samples of the primary metric as declared, adjust over each stratum, and judge.

    Raises
    ------
    UsageError
        As ``pair_up``.
    """
    estimates = intervals(samples, declared, metric=declared.metric, order=order)
    families: dict[tuple[tuple[str, Scalar], ...], list[int]] = {}
    for i, estimate in enumerate(estimates):
        if estimate.p is not None:
            families.setdefault(tuple(estimate.stratum.items()), []).append(i)
    tested: dict[int, tuple[Tested, int]] = {}
    for members in families.values():
        results = holm([p for i in members if (p := estimates[i].p) is not None], declared.alpha)
        tested.update({i: (result, len(members)) for i, result in zip(members, results, strict=True)})
    return tuple(
        _judged(estimate, *tested[i], declared) if i in tested else _unjudgeable(estimate)
        for i, estimate in enumerate(estimates)
    )


def intervals(
    samples: Sequence[Sample], declared: Declared, *, metric: str, order: Order = "randomized-blocks"
) -> tuple[Comparison, ...]:
    """The same comparisons of any one metric, with marginal intervals and in no family: nothing is judged.

    Raises
    ------
    UsageError
        As ``pair_up``.
    """
    chosen = [sample for sample in samples if sample.metric.name == metric]
    return tuple(_estimate(pair, order) for pair in pair_up(chosen, declared).pairs)


def _estimate(pair: Pair, order: Order) -> Comparison:
    """Everything that does not depend on the rest of the family."""
    between = contrast(pair.baseline, pair.treatment, order=order)
    if isinstance(between, Undefined):
        ratio: Speedup | Undefined = between
        adjusted = correlation = contexts = None
        blocks = 0
    else:
        ratio = speedup(between)
        blocks = between.blocks
        contexts = between.old.ids.size if between.old.by == "context" else None
        adjusted = adjusted_speedup(between, _values(pair.baseline), _values(pair.treatment))
        found = [each for values in _in_time(between) if (each := autocorrelation(values)) is not None]
        correlation = min(found, key=lambda each: each.n_eff / each.n, default=None)
    known = ratio if isinstance(ratio, Speedup) else None
    return Comparison(
        baseline=pair.baseline.treatment,
        treatment=pair.treatment.treatment,
        metric=pair.treatment.metric,
        stratum=pair.stratum,
        labels=pair.treatment.labels,
        blocks=blocks,
        contexts=contexts,
        speedup=ratio,
        adjusted=adjusted,
        ci95=known.interval() if known else None,
        p=known.p if known else None,
        resolvable=known.resolvable() if known else None,
        autocorrelation=correlation,
        flags=_flags(pair, between, ratio),
    )


def _in_time(between: Contrast) -> list[Floats]:
    """What was observed one after the other: differences of blocks; without pairs, both samples."""
    if not between.paired:
        return [between.old.logs, between.new.logs]
    return [between.differences] if between.old.by == "block" else []


def _flags(pair: Pair, between: Contrast | Undefined, ratio: Speedup | Undefined) -> tuple[Flag, ...]:
    old, new = pair.baseline.failures, pair.treatment.failures
    raised: dict[Flag, bool] = {
        "undefined": isinstance(ratio, Undefined),
        "failures_unequal": unequal(old, new),
        "timed_out": old.timed_out + new.timed_out > 0,
    }
    if isinstance(between, Contrast):
        in_time = _in_time(between)
        samples = (pair.baseline, pair.treatment)
        raised |= {
            "no_spread": isinstance(ratio, Speedup) and ratio.nu is None,
            "sequential_order": not between.paired,
            "few_blocks": between.blocks < FEW_BLOCKS,
            "autocorrelated": any((r1 := autocorrelation(x)) is not None and r1.significant for x in in_time),
            "trend": any((tau := trend(x)) is not None and tau.significant for x in in_time),
            "resolution": sees_clock(pair.baseline.metric)
            and any(coarse_step(_values(s)) is not None for s in samples),
            "unmatched_blocks": between.unmatched > 0,
            "unbalanced_contexts": between.unbalanced,
        }
    return tuple(flag for flag, up in raised.items() if up)


def _judged(estimate: Comparison, tested: Tested, size: int, declared: Declared) -> Comparison:
    ratio = estimate.speedup
    if isinstance(ratio, Undefined):
        return _unjudgeable(estimate)
    interval = ratio.interval(tested.level)
    censored = declared.failures == "refuse" and not {"failures_unequal", "timed_out"}.isdisjoint(
        estimate.flags
    )
    difference = difference_of(ratio.log, rejected=tested.rejected and not censored)
    relevance = None if declared.margin is None else relevance_of(interval, declared.margin)
    return replace(
        estimate,
        ci_family=interval,
        p_holm=tested.p_holm,
        family_size=size,
        difference=difference,
        relevance=relevance,
        verdict="not_resolved" if censored else verdict_of(difference, relevance),
        resolvable=ratio.resolvable(tested.level),
    )


def _unjudgeable(estimate: Comparison) -> Comparison:
    return replace(estimate, difference="not_resolved", verdict="not_resolved")


def _values(sample: Sample) -> Floats:
    return np.asarray(sample.values, dtype=np.float64)
