"""The ratio of geometric means; and p and interval of any ratio, by t or from units that are equal."""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec
import numpy as np
from msgspec.structs import replace

from steelyard.core.arrays import Floats
from steelyard.core.estimand import Estimand
from steelyard.results.assumptions import Unit
from steelyard.results.comparison import Speedup
from steelyard.results.interval import Interval
from steelyard.results.undefined import LARGEST_LOG, Undefined
from steelyard.stats.compare.contrast import Contrast
from steelyard.stats.distributions.sign_test import SignTest
from steelyard.stats.distributions.student import AS_NORMAL, LogT, detectable, t_quantile
from steelyard.stats.hypothesis.sign_flips import SignFlips
from steelyard.stats.rounding import round_logs
from steelyard.stats.sequential.over_looks import OverLooks


class EqualUnits(msgspec.Struct, frozen=True):
    """Units that do not differ at all.

    P and interval are those of as many equal signs, or of one arrangement of two samples.

    Attributes
    ----------
    p : float
        Of the hypothesis that the ratio is 1.
    least : float
        The p that so many units reach at best.
    """

    log: float
    p: float
    least: float

    def p_of(self, ratio: float) -> float:
        """1 of the ratio itself."""
        if self.log == math.log(ratio):
            return 1.0
        return self.p if self.log else self.least

    def interval(self, alpha: float) -> Interval | None:
        """Return the ratio itself; ``None`` where an exact test of so few units cannot reject."""
        certain = self.p <= alpha or (self.log == 0 and self.least <= alpha)
        return Interval(math.exp(self.log), math.exp(self.log)) if certain else None


def make_by_t(
    log: float,
    se: float,
    nu: float,
    n: int,
    unit: Unit,
    kind: str,
    *,
    estimand: Estimand = "geomean_ratio",
    least_p: float = 0.0,
) -> Speedup:
    """Return an estimate whose logarithm over its standard error follows Student's t."""
    distribution = LogT(log, se, nu, least_p)
    return Speedup(log, se, nu, n, distribution.p_of(1.0), unit, kind, distribution, estimand, least_p)


def make_of_equal_units(
    log: float,
    unit: Unit,
    sizes: Sequence[int],
    *,
    estimand: Estimand = "geomean_ratio",
    repeats: int = 0,
) -> Speedup:
    """Return an estimate from units that do not differ at all.

    ``sizes`` is one number of pairs, or two of launches. They claim no more than so many equal signs, or one
    arrangement of so many launches, can.

    Counts that repeat to the bit in ``repeats`` runs of each treatment claim more: were both drawn from one
    distribution, whatever its values, all of one arm would be equal and all of the other equal to another
    value with a probability of sum_{i != j} (p_i p_j)^r <= 2^(1 - 2 r).
    """
    n = sum(sizes)
    if repeats:
        kind, attained, least = "log-ratio-repeated", 2.0 ** (1 - 2 * repeats), 2.0 ** (1 - n)
        least = min(least, attained)
    elif len(sizes) == 1:
        kind, attained, least = "log-ratio-sign", 2.0 ** (1 - n), 2.0 ** (1 - n)
    else:
        kind, attained, least = "log-ratio-permutation", 2 / math.comb(n, sizes[0]), 2 / math.comb(n, n // 2)
    p = attained if log else 1.0
    return Speedup(log, 0.0, None, n, p, unit, kind, EqualUnits(log, p, least), estimand)


def resolvable(ratio: Speedup, alpha: float = 0.05, power: float = 0.8) -> float | None:
    """Return the smallest relative difference that a test at ``alpha`` shows with ``power``.

    It is for this n, spread and tail; ``None`` without a spread, and where no difference would show. By the
    signs where these judge, else by t, or by the normal distribution where there is no ``nu``.
    """
    if ratio.se == 0:
        return None
    if isinstance(ratio.distribution, OverLooks):
        at_last, level = ratio.distribution.at_last, ratio.distribution.looks.level(alpha)
        return resolvable(replace(ratio, distribution=at_last), level, power)
    if isinstance(ratio.distribution, SignFlips | SignTest):
        shift = ratio.distribution.detectable(alpha, power)
    else:
        shift = detectable(AS_NORMAL if ratio.nu is None else ratio.nu, alpha, power) * ratio.se
        shift += _tail_excess(ratio, alpha)
    return math.expm1(shift) if shift is not None and shift <= LARGEST_LOG else None


def tail_factor(ratio: Speedup, alpha: float) -> float:
    """Return how many times as far as by t the interval reaches towards no difference; see ``resolvable``."""
    if not ratio.nu:
        return 1.0
    return 1 + _tail_excess(ratio, alpha) / (t_quantile(ratio.nu, alpha) * ratio.se)


def _tail_excess(ratio: Speedup, alpha: float) -> float:
    """Return how much farther than by t the interval reaches towards no difference, for the tail of one side.

    0 where no tail was allowed for; infinite where the interval has no end. In logarithms.
    """
    if "tail" not in ratio.allowances or not ratio.nu:
        return 0.0
    if isinstance(ratio.distribution, OverLooks):
        at_last, level = ratio.distribution.at_last, ratio.distribution.looks.level(alpha)
        return _tail_excess(replace(ratio, distribution=at_last), level)
    interval = ratio.distribution.interval(alpha)
    if interval is None or interval.low <= 0:
        return math.inf
    below, above = ratio.log - math.log(interval.low), math.log(interval.high) - ratio.log
    reach = max(below, above) if not ratio.log else below if ratio.log > 0 else above
    return max(0.0, reach - t_quantile(ratio.nu, alpha) * ratio.se)


def speedup(contrast: Contrast) -> Speedup | Undefined:
    """Old over new where lower is better, new over old where higher is better.

    It is judged by the one-sample t over units, and by Welch's t without pairs.

    log S = mean_b (log y_b,old - log y_b,new), S exp(-+ t_{1-alpha/2, n-1} s_d / sqrt(n)). Two units at
    least. Instances that are crossed with blocks (or contexts) have the variance of both, as random effects.
    """
    if not contrast.paired:
        return _estimate_unpaired(contrast.old.logs, contrast.new.logs, contrast.sign)
    differences = contrast.differences
    n = differences.size
    if n < 2:
        return Undefined(contrast.too_few)
    estimate = float(differences.mean())
    if abs(estimate) > LARGEST_LOG:
        return Undefined("out_of_range")
    rounding = contrast.rounding
    if np.ptp(differences) <= rounding:
        log = 0.0 if abs(estimate) <= rounding else estimate
        return make_of_equal_units(log, contrast.unit, (n,), repeats=contrast.repeats)
    se = float(differences.std(ddof=1)) / math.sqrt(n)
    nu: float = n - 1
    if contrast.crossed is not None and contrast.crossed.added:
        se, nu = math.hypot(se, math.sqrt(contrast.crossed.added)), contrast.crossed.nu
    return make_by_t(estimate, se, nu, n, contrast.unit, "log-ratio-t")


def _estimate_unpaired(old: Floats, new: Floats, sign: int) -> Speedup | Undefined:
    if min(old.size, new.size) < 2:
        return Undefined("one_value")
    n = old.size + new.size
    estimate = sign * (float(old.mean()) - float(new.mean()))
    if abs(estimate) > LARGEST_LOG:
        return Undefined("out_of_range")
    if max(np.ptp(old), np.ptp(new)) <= round_logs(old, new):
        log = 0.0 if abs(estimate) <= round_logs(old, new) else estimate
        return make_of_equal_units(log, "unpaired", (old.size, new.size))
    old_part, new_part = float(old.var(ddof=1)) / old.size, float(new.var(ddof=1)) / new.size
    se = math.sqrt(old_part + new_part)
    nu = (old_part + new_part) ** 2 / (old_part**2 / (old.size - 1) + new_part**2 / (new.size - 1))
    return make_by_t(estimate, se, nu, n, "unpaired", "log-ratio-t")
