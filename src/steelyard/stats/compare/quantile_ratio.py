"""The ratio of a quantile of two treatments: what the slowest tenth gains, where a mean cannot tell."""

from __future__ import annotations

import math
from typing import Final

import msgspec
import numpy as np

from steelyard.core.arrays import Floats
from steelyard.results.comparison import QuantileSpeedup, Speedup
from steelyard.results.interval import Interval
from steelyard.results.undefined import LARGEST_LOG, Undefined
from steelyard.stats.compare.contrast import Contrast
from steelyard.stats.distributions.quantile import Quantile
from steelyard.stats.distributions.widened import find_level

SHOWN: Final = (0.1, 0.25, 0.5, 0.75, 0.9, 0.99)
_ROUNDING: Final = 1e-12


class Mover(msgspec.Struct, frozen=True, eq=False):
    """The ratio of two quantiles, from the interval of each.

    The distances of the ends from the estimates, squared, add on the scale of logarithms (Zou and Donner
    2008, DOI 10.1002/sim.3095). What both share makes it careful.

    Attributes
    ----------
    log : float
        Logarithm of ``top`` over ``bottom``.
    """

    log: float
    top: Quantile
    bottom: Quantile

    def interval(self, alpha: float) -> Interval | None:
        """Interval of the ratio; ``None`` where one of both quantiles has none, or reaches 0."""
        top, bottom = self.top.interval(alpha), self.bottom.interval(alpha)
        if top is None or bottom is None or min(top.low, bottom.low) <= 0:
            return None
        above, below = math.log(top.high / self.top.value), math.log(self.top.value / top.low)
        over, under = math.log(bottom.high / self.bottom.value), math.log(self.bottom.value / bottom.low)
        low, high = self.log - math.hypot(below, over), self.log + math.hypot(above, under)
        return Interval(math.exp(low), math.exp(high)) if max(-low, high) < LARGEST_LOG else None

    def p_of(self, ratio: float) -> float:
        """Return the smallest level whose interval leaves out ``ratio``, to 1e-12; 1 where none does."""

        def out(alpha: float) -> bool:
            interval = self.interval(alpha)
            # An end that is the ratio but for rounding leaves nothing out, whichever way round the ratio is.
            return interval is not None and not (
                interval.low <= ratio * (1 + _ROUNDING) and ratio <= interval.high * (1 + _ROUNDING)
            )

        return find_level(out)


def quantile_speedups(contrast: Contrast) -> tuple[QuantileSpeedup, ...]:
    """Return the same ratio at each of ``SHOWN``; none where it is undefined."""
    ordered = _order_sides(contrast)
    movers = [_make_mover(contrast, quantile, ordered) for quantile in SHOWN]
    return tuple(
        QuantileSpeedup(quantile, math.exp(mover.log), mover.interval(0.05))
        for quantile, mover in zip(SHOWN, movers, strict=True)
        if isinstance(mover, Mover)
    )


def _order_sides(contrast: Contrast) -> tuple[Floats, Floats]:
    """Return the values of both sides, ascending: sorted once, however many quantiles are asked for."""
    return np.sort(contrast.old.raws), np.sort(contrast.new.raws)


def _make_mover(contrast: Contrast, quantile: float, ordered: tuple[Floats, Floats]) -> Mover | Undefined:
    # Of what is better higher, the worst runs are the lowest ones.
    share = quantile if contrast.sign > 0 else 1 - quantile
    old, new = (Quantile(side, share) for side in ordered)
    if min(old.n, new.n) < 2:
        return Undefined(contrast.too_few)
    top, bottom = (old, new) if contrast.sign > 0 else (new, old)
    if min(top.value, bottom.value) <= 0:
        return Undefined("zero_values")
    log = math.log(top.value) - math.log(bottom.value)
    return Mover(log, top, bottom) if abs(log) <= LARGEST_LOG else Undefined("out_of_range")


def quantile_ratio(contrast: Contrast, quantile: float) -> Speedup | Undefined:
    """Return the baseline's quantile over the treatment's, or the reverse where more is better.

    They are quantiles of blocks, or of launches where nothing pairs them, and count from the better end.
    """
    distribution = _make_mover(contrast, quantile, _order_sides(contrast))
    if isinstance(distribution, Undefined):
        return distribution
    log = distribution.log
    ci95 = distribution.interval(0.05)
    se = math.log(ci95.high / ci95.low) / (2 * 1.959964) if ci95 else 0.0
    n = distribution.top.n + (0 if contrast.paired else distribution.bottom.n)
    return Speedup(
        log, se, None, n, distribution.p_of(1.0), contrast.unit, "quantile-mover", distribution, "quantile"
    )
