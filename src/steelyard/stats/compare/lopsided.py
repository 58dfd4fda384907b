"""Differences of blocks to which one treatment adds most of the spread: they have its long tail.

Where both treatments vary alike, the long right tails that run times have cancel in their differences. Where
one varies more, a mean of few blocks lies too often beyond what any symmetric distribution allows on one
side, the one that calls the restless treatment the faster one; and the small levels of a test that looks many
times make the most of it.
"""

from __future__ import annotations

import math
from typing import Final

from msgspec.structs import replace

from steelyard.core.arrays import Floats
from steelyard.core.estimand import Estimand
from steelyard.results.assumptions import Allowance
from steelyard.results.comparison import Speedup
from steelyard.stats.compare.contrast import Contrast
from steelyard.stats.compare.means import means_of
from steelyard.stats.describe.dependence import Hull
from steelyard.stats.describe.skewness import skewness as skewness_of
from steelyard.stats.distributions.skewed import SkewedT
from steelyard.stats.hypothesis.pitman_morgan import pitman_morgan

LEVEL: Final = 0.05
"""Of the test of equal spreads: so many comparisons of alike treatments are judged with more care than they
need."""


def allow_for_tail(ratio: Speedup, between: Contrast, estimand: Estimand) -> Speedup:
    """Return the same mean, allowing for one treatment that varies significantly more.

    It is judged on either side by the more careful of its own method and of t for skewed values.

    The skewness is that of the differences and one standard error, sqrt(6 / n), more: so few of them have
    rarely shown the tail that they have.
    """
    nu = ratio.nu
    arms = (
        _compute_arms(between, estimand) if ratio.se and between.paired and between.crossed is None else None
    )
    if arms is None or not nu:
        return ratio
    first, second = arms
    spreads = pitman_morgan(first, second)
    if spreads is None or spreads.p > LEVEL:
        return ratio
    side = math.copysign(1, spreads.r)
    skewness = side * skewness_of(first - second) + math.sqrt(6 / first.size)
    if skewness <= 0:
        return ratio
    skewed = SkewedT(ratio.log, ratio.se, nu, side * skewness / math.sqrt(first.size))
    distribution = Hull(ratio.distribution, skewed)
    allowances: tuple[Allowance, ...] = (*ratio.allowances, "tail")
    return replace(ratio, p=distribution.p_of(1.0), distribution=distribution, allowances=allowances)


def _compute_arms(between: Contrast, estimand: Estimand) -> tuple[Floats, Floats] | None:
    """Return what each treatment adds to the differences.

    The first minus the second is above 0 where the treatment is better, and both have their long tails to the
    right.
    """
    if estimand == "geomean_ratio":
        return between.sign * between.old.logs, between.sign * between.new.logs
    means = means_of(between) if estimand == "ratio_of_means" else None
    if means is None:
        return None
    return (means.top, means.bottom) if between.sign > 0 else (-means.bottom, -means.top)
