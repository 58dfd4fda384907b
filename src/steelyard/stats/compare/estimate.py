"""``estimate``: the ratio that was declared, by the interval that was declared."""

from __future__ import annotations

import math
from typing import assert_never

from msgspec.structs import replace

from steelyard.core.arrays import Floats
from steelyard.core.estimand import INTERVALS, Estimand, IntervalKind, choose_interval
from steelyard.results.comparison import Distribution, Speedup
from steelyard.results.undefined import Undefined
from steelyard.stats.compare.bootstrap_t import studentised_logs
from steelyard.stats.compare.contrast import Contrast
from steelyard.stats.compare.means import means_of
from steelyard.stats.compare.median_ratio import median_ratio
from steelyard.stats.compare.quantile_ratio import quantile_ratio
from steelyard.stats.compare.ratio_of_means import ratio_of_means
from steelyard.stats.compare.speedup import speedup
from steelyard.stats.distributions.monte_carlo import Studentised
from steelyard.stats.distributions.widened import Widened
from steelyard.stats.hypothesis.sign_flip import FEWEST, MOST
from steelyard.stats.hypothesis.sign_flips import SignFlips


def estimate(
    contrast: Contrast,
    estimand: Estimand = "geomean_ratio",
    interval: IntervalKind | None = None,
    *,
    seed: int = 1,
    quantile: float = 0.9,
) -> Speedup | Undefined:
    """Return the speedup of a contrast.

    ``interval`` is the first kind of the estimand by default, ``seed`` is for those that draw. Signs are
    flipped of 7 to 64 differences of blocks, where the order that was drawn gave them; else t stands in, as
    ``method`` says.

    Raises
    ------
    ValueError
        The estimand has no interval of that kind.
    """
    kind = choose_interval(estimand, interval)
    if kind not in INTERVALS[estimand]:
        raise ValueError(f"{estimand} has no interval by {kind}: one of {', '.join(INTERVALS[estimand])}")
    match estimand:
        case "ratio_of_means":
            return ratio_of_means(contrast, kind, seed=seed)
        case "median_ratio":
            return allow_for_units(median_ratio(contrast), contrast)
        case "quantile":
            return allow_for_units(quantile_ratio(contrast, quantile), contrast)
        case "geomean_ratio":
            ratio = speedup(contrast)
        case _:
            assert_never(estimand)
    if kind == "log-delta" or isinstance(ratio, Undefined) or ratio.nu is None:
        return ratio
    distribution: Distribution
    if kind == "bootstrap-t":
        distribution = Studentised(ratio.log, ratio.se, studentised_logs(contrast, seed=seed))
    elif contrast.unit == "block" and FEWEST <= ratio.n <= MOST:
        distribution = SignFlips(ratio.log, ratio.se, ratio.nu, contrast.differences, seed)
    else:
        return ratio
    return replace(ratio, p=distribution.p_of(1.0), kind=f"log-ratio-{kind}", distribution=distribution)


def allow_for_units(ratio: Speedup | Undefined, contrast: Contrast) -> Speedup | Undefined:
    """Return the median or quantile of instances, with what a block does to all of them alike.

    It moves the ratio of every instance as far, so that instances which agree do not show it.
    """
    crossed = contrast.crossed
    if isinstance(ratio, Undefined) or crossed is None or not crossed.added:
        return ratio
    u = math.sqrt(crossed.added)
    distribution = Widened(ratio.distribution, ratio.log, u, crossed.units - 1)
    return replace(ratio, se=math.hypot(ratio.se, u), p=distribution.p_of(1.0), distribution=distribution)


def effects(contrast: Contrast, estimand: Estimand) -> Floats:
    """Return the contribution of each unit of a paired contrast to the log of the ratio.

    Contributions are up to a constant, in the order of the units: what a drift or a likeness of neighbours
    would show in. Empty for other estimands.
    """
    if estimand == "ratio_of_means":
        means = means_of(contrast)
        return means.effects if means is not None else contrast.old.raws[:0]
    values = contrast.differences
    return values if math.isfinite(float(values.sum())) else values[:0]
