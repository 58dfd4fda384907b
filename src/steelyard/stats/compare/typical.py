"""``Typical``: what a typical run gains, in ways that no single far value can turn over; beside the speedup.

Of blocks: the median of all averages of two log-ratios, with the interval of the signed rank test; how many
blocks the treatment wins; the mean in standard deviations of a block. Without blocks: the median of all
log-ratios of two launches, with the interval of the rank sum test; P(better) with Brunner and Munzel's test.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np

from steelyard.core.analysis import Analysis
from steelyard.core.arrays import Floats
from steelyard.core.sample import Sample
from steelyard.results.analysis import Order
from steelyard.results.comparison import Better, BetterMethod, Typical
from steelyard.results.interval import Interval
from steelyard.results.undefined import LARGEST_LOG, Undefined
from steelyard.stats.compare.cohens_d import standardise_differences, standardise_two
from steelyard.stats.compare.contrast import Contrast, contrast
from steelyard.stats.compare.pairing import pair_up
from steelyard.stats.hypothesis.brunner_munzel import relabel, superiority
from steelyard.stats.hypothesis.clopper_pearson import clopper_pearson
from steelyard.stats.hypothesis.hodges_lehmann import shift
from steelyard.stats.hypothesis.mann_whitney import rank_sum
from steelyard.stats.hypothesis.wilcoxon import centre, signed_rank

MOST: Final = 20_000
"""Units, or launches of one sample, that are looked at; of more, as many evenly spaced in time. Their
interval is three hundredths of a standard deviation wide, and takes 40 ms."""
BUDGET: Final = 200_000
"""The same over all comparisons of an experiment, so that a thousand of them take half a second."""
LEAST: Final = 200
"""What each comparison has all the same."""
FEW: Final = 15
"""Launches of a sample below which Brunner and Munzel's t gives way to its permutation form."""


def most_of_each(comparisons: int) -> int:
    """How many units each of so many comparisons may look at."""
    return min(MOST, max(LEAST, BUDGET // max(1, comparisons)))


def typical(between: Contrast | Undefined, most: int = MOST) -> Typical | None:
    """Return the typical ratio; ``None`` without a contrast, or if it leaves the range of double."""
    if isinstance(between, Undefined):
        return None
    return _pair(between, most) if between.paired else _estimate_unpaired(between, most)


def typical_runs(
    samples: Sequence[Sample], declared: Analysis, order: Order = "randomized-blocks"
) -> tuple[Typical | None, ...]:
    """Return typical runs of every comparison of the primary metric, in the order of ``compare``.

    Raises
    ------
    UsageError
        The declared strata or baseline are not in the samples, as ``pair_up`` says.
    """
    pairs = pair_up([s for s in samples if s.metric.name == declared.metric], declared).pairs
    most = most_of_each(len(pairs))
    return tuple(typical(contrast(pair.baseline, pair.treatment, order=order), most) for pair in pairs)


def _pair(between: Contrast, most: int) -> Typical | None:
    logs = _thin(between.differences, most)
    # Equal logarithms differ by rounding alone.
    noise = 64 * np.finfo(np.float64).eps * max(1.0, float(np.abs(between.old.logs).max()))
    logs = np.where(np.abs(logs) <= noise, 0.0, logs)
    if not np.isfinite(logs).all():  # a value is 0
        return None
    middle, tested = centre(logs), signed_rank(logs)
    if middle is None or abs(middle.value) > LARGEST_LOG:
        return None
    wins, ties = int(np.count_nonzero(logs > 0)), int(np.count_nonzero(logs == 0))
    n = logs.size
    share = Interval(clopper_pearson(wins, n).low, clopper_pearson(wins + ties, n).high)
    by: BetterMethod = "share-of-contexts" if between.old.by == "context" else "share-of-blocks"
    return Typical(
        value=math.exp(middle.value),
        ci95=_compute_ratios(middle.interval),
        p=tested.p if tested else 1.0,
        p_method=tested.method if tested else "exact",
        method="signed-rank",
        n=n,
        better=Better((wins + ties / 2) / n, share, by),
        standardised=standardise_differences(logs) if np.ptp(logs) > noise else None,
    )


def _estimate_unpaired(between: Contrast, most: int) -> Typical | None:
    # Signed, so that the second sample is the larger one where the treatment is better.
    old = np.sort(-between.sign * _thin(between.old.logs, most))
    new = np.sort(-between.sign * _thin(between.new.logs, most))
    if not (np.isfinite(old).all() and np.isfinite(new).all()):
        return None
    moved, tested, above = shift(old, new), rank_sum(old, new), superiority(old, new)
    if moved is None or tested is None or above is None or abs(moved.value) > LARGEST_LOG:
        return None
    few = above.separated or min(old.size, new.size) < FEW
    permuted = relabel(old, new) if few else None
    t = above.test()
    p = permuted.p if permuted else t.p if t else None
    constant = old[0] == old[-1] and new[0] == new[-1]
    return Typical(
        value=math.exp(moved.value),
        ci95=_compute_ratios(moved.ci95),
        p=tested.p,
        p_method=tested.method,
        method="rank-sum",
        n=old.size + new.size,
        better=Better(above.value, above.interval(), "share-of-pairs", p, permuted is not None),
        standardised=None if constant else standardise_two(old, new),
    )


def _thin(values: Floats, most: int) -> Floats:
    if values.size <= most:
        return values
    return values[np.arange(most) * values.size // most]


def _compute_ratios(logs: Interval | None) -> Interval | None:
    if logs is None or max(abs(logs.low), abs(logs.high)) > LARGEST_LOG:
        return None
    return Interval(math.exp(logs.low), math.exp(logs.high))
