"""The ratio of arithmetic means as a ``Speedup``, with each of its intervals."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from steelyard.core.arrays import Floats
from steelyard.core.estimand import IntervalKind
from steelyard.results.comparison import Distribution, Speedup
from steelyard.results.undefined import LARGEST_LOG, Undefined
from steelyard.stats.compare.bootstrap_t import studentised_ratio
from steelyard.stats.compare.contrast import Contrast
from steelyard.stats.compare.means import Means, means_of
from steelyard.stats.compare.speedup import make_by_t, make_of_equal_units
from steelyard.stats.distributions.fieller import Fieller
from steelyard.stats.distributions.monte_carlo import MonteCarlo, Studentised
from steelyard.stats.rounding import ROUNDING

DRAWS: Final = 200_000
"""Draws of the Monte Carlo method: the quantile of 2.5 % has an error of 0.035 points."""


def ratio_of_means(
    contrast: Contrast, interval: IntervalKind = "log-delta", *, seed: int = 1
) -> Speedup | Undefined:
    """S = mean_A / mean_B over units, Eq. 7 of DOI 10.1145/2851553.2851573; its uncertainty is that of Eq. 6.

    log-delta: t on log S with u / S. Fieller: exact for normal means. GUM-S1: means drawn from scaled t.
    Bootstrap-t: studentised on log S.
    """
    if min(contrast.old.raws.size, contrast.new.raws.size) < 2:
        return Undefined(contrast.too_few)
    means = means_of(contrast)
    if means is None:
        positive = min(float(contrast.old.raws.max()), float(contrast.new.raws.max())) > 0
        return Undefined("out_of_range" if positive else "zero_mean")
    log, u = math.log(means.value), means.u_relative
    if abs(log) > LARGEST_LOG:
        return Undefined("out_of_range")
    n = means.top.size if means.paired else means.top.size + means.bottom.size
    if u <= ROUNDING:
        return _make_certain(contrast, means, log)
    nu = means.nu
    if contrast.crossed is not None and contrast.crossed.added:
        # What a block does to all instances alike multiplies both means; only t has a place for it.
        u, nu, interval = math.hypot(u, math.sqrt(contrast.crossed.added)), contrast.crossed.nu, "log-delta"
    distribution = _make_distribution(means, interval, seed)
    zero = means.p_of_zero
    kind = f"means-{interval}"
    if distribution is None:
        return make_by_t(log, u, nu, n, contrast.unit, kind, estimand="ratio_of_means", least_p=zero)
    return Speedup(
        log, u, means.nu, n, distribution.p_of(1.0), contrast.unit, kind, distribution, "ratio_of_means", zero
    )


def gum_draws(means: Means, *, seed: int, draws: int = DRAWS) -> Floats:
    """Ratios of means drawn as mean + u t_{n-1}, ascending.

    Paired means are drawn from the bivariate t with their correlation (JCGM 101:2008, 6.4.9).
    """
    rng = np.random.Generator(np.random.Philox(seed))
    if means.paired:
        nu = means.top.size - 1
        correlation = means.r_both / (means.r_top * means.r_bottom) if means.r_top * means.r_bottom else 0.0
        correlation = min(1.0, max(-1.0, correlation))
        first, item = rng.standard_normal((2, draws))
        item = correlation * first + math.sqrt(1 - correlation**2) * item
        scale = np.sqrt(nu / rng.chisquare(nu, draws))
        top, bottom = 1 + means.r_top * first * scale, 1 + means.r_bottom * item * scale
    else:
        top = 1 + means.r_top * rng.standard_t(means.top.size - 1, draws)
        bottom = 1 + means.r_bottom * rng.standard_t(means.bottom.size - 1, draws)
    with np.errstate(divide="ignore"):
        return np.sort(means.value * (top / bottom))


def _make_distribution(means: Means, interval: IntervalKind, seed: int) -> Distribution | None:
    if interval == "fieller":
        return Fieller(means.value, means.r_top, means.r_bottom, means.r_both, means.nu)
    if interval == "gum-s1":
        return MonteCarlo(gum_draws(means, seed=seed))
    if interval == "bootstrap-t":
        return Studentised(math.log(means.value), means.u_relative, studentised_ratio(means, seed=seed))
    if interval != "log-delta":
        raise ValueError(f"a ratio of means has no interval by {interval}")
    return None


def _make_certain(contrast: Contrast, means: Means, log: float) -> Speedup:
    """Units that all have the same ratio: what their number alone can say."""
    sizes = (means.top.size,) if means.paired else (means.top.size, means.bottom.size)
    equal = abs(log) <= ROUNDING
    return make_of_equal_units(
        0.0 if equal else log, contrast.unit, sizes, estimand="ratio_of_means", repeats=contrast.repeats
    )
