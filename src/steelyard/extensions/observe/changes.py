"""The changes that probes make: paired by block, tested for a difference and for being within a margin."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np

from steelyard.core.sample import Sample
from steelyard.extensions.observe.results import Change, Correlation, Perturbation, Probed
from steelyard.results.interval import Interval
from steelyard.results.undefined import Undefined
from steelyard.stats.compare.contrast import contrast
from steelyard.stats.compare.equivalence import equivalence_paired
from steelyard.stats.compare.speedup import speedup
from steelyard.stats.hypothesis.holm import holm

TOST_LEVEL: Final = 0.05
_NORMAL_95: Final = 1.959963984540054


def changes(
    baseline: Sample, probed: Sequence[Sample], *, within: float, alpha: float
) -> tuple[Change | Undefined, ...]:
    """One metric under each probe, in the order of ``probed``.

    b = mean over blocks of log(probed / unprobed); unperturbed where two one-sided tests at 5 % show
    |b| < log(1 + within), perturbed where Holm's adjustment of the t tests rejects b = 0 and that is not
    shown.
    """
    paired = [contrast(baseline, sample) for sample in probed]
    ratios = [pair if isinstance(pair, Undefined) else speedup(pair) for pair in paired]
    p_of = {place: ratio.p for place, ratio in enumerate(ratios) if not isinstance(ratio, Undefined)}
    tested = dict(zip(p_of, holm(list(p_of.values()), alpha), strict=True))
    changes_of: list[Change | Undefined] = []
    bound = math.log1p(within)
    for place, (pair, ratio) in enumerate(zip(paired, ratios, strict=True)):
        if isinstance(pair, Undefined) or isinstance(ratio, Undefined):
            changes_of.append(pair if isinstance(pair, Undefined) else Undefined("one_block"))
            continue
        # A contrast is above 0 where the new one is better; a change is new over old, whatever is better.
        logs = -pair.sign * pair.differences
        inside = equivalence_paired(logs, Interval(-bound, bound))
        interval = ratio.interval()
        if pair.sign == 1 and interval is not None:
            interval = interval.reciprocal()
        changes_of.append(
            Change(
                metric=baseline.metric,
                ratio=math.exp(float(logs.mean())),
                ci95=interval,
                p_holm=tested[place].p_holm,
                p_within=inside.p,
                perturbation=_make_perturbation(
                    within=inside.p < TOST_LEVEL, rejected=tested[place].rejected
                ),
                blocks=logs.size,
            )
        )
    return tuple(changes_of)


def correlations(probes: Sequence[Probed]) -> tuple[Correlation, ...]:
    """Each pair of metrics, over the probes that have both."""
    by_metric: dict[str, dict[str, float]] = {}
    for probe in probes:
        for change in probe.changes:
            by_metric.setdefault(change.metric.name, {})[probe.name] = change.ratio
    names = list(by_metric)
    correlations_of = []
    for i, first in enumerate(names):
        for second in names[i + 1 :]:
            shared = [name for name in by_metric[first] if name in by_metric[second]]
            if len(shared) < 3:
                continue
            rho = _compute_spearman(
                [by_metric[first][n] for n in shared], [by_metric[second][n] for n in shared]
            )
            if rho is not None:
                correlations_of.append(
                    Correlation((first, second), rho, _compute_fisher(rho, len(shared)), len(shared))
                )
    return tuple(correlations_of)


def ranks(values: Sequence[float]) -> list[float]:
    """Ranks from 1; equal values share the mean of their ranks."""
    array = np.asarray(values, dtype=np.float64)
    below = (array[:, None] > array).sum(axis=1)
    equal = (array[:, None] == array).sum(axis=1)
    shared: list[float] = (below + (equal + 1) / 2).tolist()
    return shared


def _compute_spearman(first: Sequence[float], second: Sequence[float]) -> float | None:
    x, y = np.asarray(ranks(first)), np.asarray(ranks(second))
    x, y = x - x.mean(), y - y.mean()
    scale = math.sqrt(float(x @ x) * float(y @ y))
    return max(-1.0, min(1.0, float(x @ y) / scale)) if scale else None


def _compute_fisher(rho: float, n: int) -> Interval | None:
    """Return Fisher's interval of a rank correlation.

    It is tanh(atanh(rho) -+ 1.96 sqrt((1 + rho^2 / 2) / (n - 3))) (Bonett and Wright 2000, DOI
    10.1007/BF02294183). From four points on; it is wide there, and that is the point.
    """
    if n < 4:
        return None
    if abs(rho) == 1:
        # No spread is left to estimate from; the largest that so few points can tell from 1 is not known.
        return None
    half = _NORMAL_95 * math.sqrt((1 + rho**2 / 2) / (n - 3))
    centre = math.atanh(rho)
    return Interval(math.tanh(centre - half), math.tanh(centre + half))


def _make_perturbation(*, within: bool, rejected: bool) -> Perturbation:
    if within:
        return "unperturbed"
    return "perturbed" if rejected else "not_resolved"
