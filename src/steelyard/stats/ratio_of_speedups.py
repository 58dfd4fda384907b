"""Whether a speedup is another one at another level of a factor: KLA over Delta-stepping on two runtimes
(section 5.2.3 of DOI 10.1145/2851553.2851573).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from steelyard.estimand import Estimand
from steelyard.sample import Sample, Treatment
from steelyard.stats.contrast import Contrast, Order, Units, contrast, restricted
from steelyard.stats.declared import Declared
from steelyard.stats.estimate import estimate
from steelyard.stats.flags import unjudgeable
from steelyard.stats.holm import holm
from steelyard.stats.interval import Interval
from steelyard.stats.means import means_of
from steelyard.stats.pairing import Pair, pair_up
from steelyard.stats.propagation import effective_freedom
from steelyard.stats.speedup import Speedup
from steelyard.stats.student import two_sided_p
from steelyard.stats.undefined import Undefined
from steelyard.units import Scalar

Change = Literal["larger", "smaller", "not_resolved"]


@dataclass(frozen=True, slots=True)
class SpeedupRatio:
    """The speedup at one level of a factor over that at another.

    Attributes
    ----------
    factor : str
    level, reference : Scalar
        Of the factor: where the speedup of the numerator, and of the denominator, was measured.
    treatment, baseline : Treatment
        Whose speedup it is, at ``level``.
    reference_treatment, reference_baseline : Treatment
        The same at ``reference``.
    labels : Mapping[str, Scalar]
        That the program put on the values.
    ratio : Speedup or Undefined
        Above 1 where the speedup at ``level`` is the larger one.
    p_holm : float or None
        Over all ratios of speedups.
    refused : bool
        Nothing is judged, because of runs of the four that failed, timed out, or had more ranks than CPUs.
    change : {"larger", "smaller", "not_resolved"}
        By the adjusted test, unless refused.
    """

    factor: str
    level: Scalar
    reference: Scalar
    treatment: Treatment
    baseline: Treatment
    reference_treatment: Treatment
    reference_baseline: Treatment
    labels: Mapping[str, Scalar]
    ratio: Speedup | Undefined
    ci95: Interval | None = None
    ci_family: Interval | None = None
    p_holm: float | None = None
    refused: bool = False
    change: Change = "not_resolved"


def ratios_of_speedups(
    samples: Sequence[Sample], declared: Declared, *, order: Order = "randomized-blocks"
) -> tuple[SpeedupRatio, ...]:
    """Every declared comparison at each further level of ``declared.ratio_across``, over the same at the
    first level; judged as one family.

    Raises
    ------
    UsageError
        As ``pair_up``.
    """
    factor = declared.ratio_across
    if factor is None:
        return ()
    primary = [sample for sample in samples if sample.metric.name == declared.metric]
    groups: dict[object, list[Pair]] = {}
    for pair in pair_up(primary, declared).pairs:
        old, new = pair.baseline.treatment.levels, pair.treatment.treatment.levels
        if factor in new and old.get(factor) == new[factor]:
            key = tuple(_without(levels, factor) for levels in (old, new, pair.treatment.labels))
            groups.setdefault(key, []).append(pair)
    found = [
        _one(factor, members[0], other, declared, order)
        for members in groups.values()
        for other in members[1:]
    ]
    return _judged(found, declared)


def ratio_of_speedups(
    numerator: Contrast, denominator: Contrast, estimand: Estimand = "geomean_ratio", *, seed: int = 1
) -> Speedup | Undefined:
    """S_numerator / S_denominator. Where both were measured in the same blocks, each block has its own ratio,
    and what the block did to all four cancels; else the variances of both logarithms add.
    """
    if not (numerator.paired and denominator.paired and numerator.old.by == denominator.old.by):
        return _independent(numerator, denominator, estimand)
    common = np.intersect1d(numerator.old.ids, denominator.old.ids)
    if common.size == 0:
        return Undefined("no_common_block")
    one, other = restricted(numerator, common), restricted(denominator, common)
    if estimand == "ratio_of_means":
        return _of_means(one, other)
    differences = Contrast(
        _units(one.old, one.differences), _units(other.old, other.differences), 1, blocks=common.size
    )
    return estimate(differences, estimand, seed=seed)


def _without(levels: Mapping[str, Scalar], factor: str) -> tuple[tuple[str, Scalar], ...]:
    return tuple(sorted((name, level) for name, level in levels.items() if name != factor))


def _one(factor: str, first: Pair, other: Pair, declared: Declared, order: Order) -> SpeedupRatio:
    zeros = declared.estimand == "ratio_of_means"
    under = contrast(first.baseline, first.treatment, order=order, zeros=zeros)
    over = contrast(other.baseline, other.treatment, order=order, zeros=zeros)
    if isinstance(over, Undefined):
        ratio: Speedup | Undefined = over
    elif isinstance(under, Undefined):
        ratio = under
    else:
        ratio = ratio_of_speedups(over, under, declared.estimand, seed=declared.seed)
    return SpeedupRatio(
        factor=factor,
        level=other.treatment.treatment.levels[factor],
        reference=first.treatment.treatment.levels[factor],
        treatment=other.treatment.treatment,
        baseline=other.baseline.treatment,
        reference_treatment=first.treatment.treatment,
        reference_baseline=first.baseline.treatment,
        labels=other.treatment.labels,
        ratio=ratio,
        ci95=ratio.interval() if isinstance(ratio, Speedup) else None,
        refused=unjudgeable(
            (first.baseline, first.treatment, other.baseline, other.treatment),
            ignore_failures=declared.failures == "ignore",
        ),
    )


def _judged(found: Sequence[SpeedupRatio], declared: Declared) -> tuple[SpeedupRatio, ...]:
    known = [i for i, each in enumerate(found) if isinstance(each.ratio, Speedup)]
    results = holm([each.ratio.p for each in found if isinstance(each.ratio, Speedup)], declared.alpha)
    tested = dict(zip(known, results, strict=True))
    judged = []
    for i, each in enumerate(found):
        if i not in tested or isinstance(each.ratio, Undefined):
            judged.append(each)
            continue
        change: Change = "not_resolved"
        if tested[i].rejected and not each.refused:
            change = "larger" if each.ratio.log > 0 else "smaller"
        level = tested[i].level
        judged.append(
            replace(each, ci_family=each.ratio.interval(level), p_holm=tested[i].p_holm, change=change)
        )
    return tuple(judged)


def _units(units: Units, logs: np.ndarray) -> Units:
    return replace(units, logs=logs)


def _of_means(one: Contrast, other: Contrast) -> Speedup | Undefined:
    """U of log S_1 - log S_2 from the differences of both effects, unit by unit."""
    if one.old.ids.size < 2:
        return Undefined(one.too_few)
    a, b = means_of(one), means_of(other)
    if a is None or b is None:
        return Undefined("out_of_range")
    n = a.top.size
    log = math.log(a.value) - math.log(b.value)
    u = float((a.effects - b.effects).std(ddof=1)) / math.sqrt(n)
    if u <= 1e-14:
        p = 1.0 if abs(log) <= 1e-14 else 2.0 ** (1 - n)
        return Speedup(log if p < 1 else 0.0, 0.0, None, n, p, f"{one.unit}-log-ratio-sign", "ratio_of_means")
    p, method = two_sided_p(log / u, n - 1), f"{one.unit}-means-log-delta"
    return Speedup(log, u, n - 1, n, p, method, "ratio_of_means")


def _independent(one: Contrast, other: Contrast, estimand: Estimand) -> Speedup | Undefined:
    parts = [estimate(each, estimand) for each in (one, other)]
    for each in parts:
        if isinstance(each, Undefined):
            return each
    a, b = (each for each in parts if isinstance(each, Speedup))
    u = math.hypot(a.se, b.se)
    if u == 0 or a.nu is None or b.nu is None:
        return Undefined("no_spread")
    nu = effective_freedom((a.se, b.se), (a.nu, b.nu)) or a.nu + b.nu
    log = a.log - b.log
    return Speedup(log, u, nu, a.n + b.n, two_sided_p(log / u, nu), a.method, estimand)
