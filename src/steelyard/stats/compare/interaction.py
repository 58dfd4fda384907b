"""Whether a speedup is another one at another level of a factor.

An example is KLA over Delta-stepping on two runtimes (section 5.2.3 of DOI 10.1145/2851553.2851573).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from msgspec.structs import replace

from steelyard.core.analysis import Analysis
from steelyard.core.sample import Sample
from steelyard.core.units import Scalar
from steelyard.results.analysis import Order
from steelyard.results.comparison import Speedup, SpeedupRatio
from steelyard.results.flags import unjudgeable
from steelyard.results.undefined import Undefined
from steelyard.stats.compare.contrast import contrast
from steelyard.stats.compare.interaction_estimate import ratio_of_speedups
from steelyard.stats.compare.pairing import Pair, pair_up
from steelyard.stats.hypothesis.holm import holm
from steelyard.stats.sequential.looks import Looks
from steelyard.stats.sequential.over_looks import correct_for_looks

Change = Literal["larger", "smaller", "not_resolved"]


def ratios_of_speedups(
    samples: Sequence[Sample],
    declared: Analysis,
    *,
    order: Order = "randomized-blocks",
    looks: Looks | None = None,
) -> tuple[SpeedupRatio, ...]:
    """Compare speedups at each further level of ``declared.ratio_across`` with the first level.

    Every declared comparison is taken; all are judged as one family, and over all ``looks``.

    Raises
    ------
    UsageError
        The declared strata or baseline are not in the samples, as ``pair_up`` says.
    """
    factor = declared.ratio_across
    if factor is None:
        return ()
    primary = [sample for sample in samples if sample.metric.name == declared.metric]
    groups: dict[object, list[Pair]] = {}
    for pair in pair_up(primary, declared).pairs:
        old, new = pair.baseline.treatment.levels, pair.treatment.treatment.levels
        if factor in new and old.get(factor) == new[factor]:
            key = tuple(_drop(levels, factor) for levels in (old, new, pair.treatment.labels))
            groups.setdefault(key, []).append(pair)
    ratios = [
        _estimate_one(factor, members[0], member, declared, order, looks)
        for members in groups.values()
        for member in members[1:]
    ]
    return _judge(ratios, declared)


def _drop(levels: Mapping[str, Scalar], factor: str) -> tuple[tuple[str, Scalar], ...]:
    return tuple(sorted((name, level) for name, level in levels.items() if name != factor))


def _estimate_one(
    factor: str, first: Pair, pair: Pair, declared: Analysis, order: Order, looks: Looks | None
) -> SpeedupRatio:
    zeros = declared.estimand == "ratio_of_means"
    under = contrast(first.baseline, first.treatment, order=order, zeros=zeros)
    over = contrast(pair.baseline, pair.treatment, order=order, zeros=zeros)
    if isinstance(over, Undefined):
        ratio: Speedup | Undefined = over
    elif isinstance(under, Undefined):
        ratio = under
    else:
        ratio = ratio_of_speedups(
            over,
            under,
            declared.estimand,
            declared.interval,
            type_b=declared.type_b,
            seed=declared.interval_seed,
        )
    if looks is not None and isinstance(ratio, Speedup):
        ratio = correct_for_looks(ratio, looks)
    return SpeedupRatio(
        factor=factor,
        level=pair.treatment.treatment.levels[factor],
        reference=first.treatment.treatment.levels[factor],
        treatment=pair.treatment.treatment,
        baseline=pair.baseline.treatment,
        reference_treatment=first.treatment.treatment,
        reference_baseline=first.baseline.treatment,
        labels=pair.treatment.labels,
        ratio=ratio,
        ci95=ratio.interval() if isinstance(ratio, Speedup) else None,
        refused=unjudgeable(
            (first.baseline, first.treatment, pair.baseline, pair.treatment),
            ignore_failures=declared.failures == "ignore",
        ),
    )


def _judge(ratios: Sequence[SpeedupRatio], declared: Analysis) -> tuple[SpeedupRatio, ...]:
    numbers = [i for i, speedup_ratio in enumerate(ratios) if isinstance(speedup_ratio.ratio, Speedup)]
    results = holm(
        [speedup_ratio.ratio.p for speedup_ratio in ratios if isinstance(speedup_ratio.ratio, Speedup)],
        declared.alpha,
    )
    tested = dict(zip(numbers, results, strict=True))
    judged = []
    for i, ratio in enumerate(ratios):
        if i not in tested or isinstance(ratio.ratio, Undefined):
            judged.append(ratio)
            continue
        change: Change = "not_resolved"
        if tested[i].rejected and not ratio.refused:
            change = "larger" if ratio.ratio.log > 0 else "smaller"
        level = tested[i].level
        judged.append(
            replace(ratio, ci_family=ratio.ratio.interval(level), p_holm=tested[i].p_holm, change=change)
        )
    return tuple(judged)
