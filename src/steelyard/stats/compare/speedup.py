"""``Speedup``: the ratio of two treatments, above 1 where the new one is better, with its interval; and the
ratio of geometric means.
"""

from __future__ import annotations

import math

import msgspec
import numpy as np

from steelyard.answers.interval import Interval
from steelyard.answers.undefined import LARGEST_LOG, Undefined
from steelyard.arrays import Floats
from steelyard.estimand import Estimand
from steelyard.stats.compare.contrast import Contrast
from steelyard.stats.distributions.distribution import Distribution
from steelyard.stats.distributions.sign_flips import SignFlips
from steelyard.stats.distributions.sign_test import SignTest
from steelyard.stats.distributions.student import AS_NORMAL, detectable, t_quantile, two_sided_p
from steelyard.stats.rounding import of_logs


class Speedup(msgspec.Struct, frozen=True):
    """An estimated ratio on the scale of logarithms.

    Attributes
    ----------
    log, se : float
        Estimate of log speedup and its standard error; ``se`` is 0 where the units do not differ at all, and
        where a median has no bounded interval to take it from.
    nu : float or None
        Degrees of freedom; ``None`` for methods that have none.
    n : int
        Units: blocks, contexts or instances; launches of both together for the unpaired methods.
    p : float
        Two-sided, of the hypothesis that the ratio is 1.
    method : str
        The unit, and how: ``block-log-ratio-t``. Where the units do not differ at all, so that no t exists:
        ``…-sign`` (p = 2^(1-n), the interval of the sign test) and ``…-permutation`` (p = 2 / C(n, n_old)).
        They claim no more than n equal signs can.
    estimand : str
        What it is an estimate of.
    least_p : float
        No hypothesis has a smaller p, and no interval a level below it: of a ratio of means, the p of a mean
        of 0, since a mean that one value dominates tells nothing of its logarithm.
    distribution : Distribution or None
        Where p and interval come from; ``None``: from t with ``nu``, or from the signs.
    """

    log: float
    se: float
    nu: float | None
    n: int
    p: float
    method: str
    estimand: Estimand = "geomean_ratio"
    distribution: Distribution | None = None
    least_p: float = 0.0

    @property
    def value(self) -> float:
        """The ratio."""
        return math.exp(self.log)

    def interval(self, alpha: float = 0.05) -> Interval | None:
        """The two-sided interval at level 1 - ``alpha``; ``None`` where it has no bound. It excludes 1
        exactly when p <= ``alpha``.
        """
        if self.distribution is not None:
            return self.distribution.interval(alpha)
        if self.nu is None:
            # An exact test that cannot reject at alpha has no bounded interval at that level.
            certain = self.p <= alpha or (self.log == 0 and smallest_exact_p(self.method, self.n) <= alpha)
            return Interval(self.value, self.value) if certain else None
        if alpha < self.least_p:
            return None
        half = t_quantile(self.nu, alpha) * self.se
        if abs(self.log) + half > LARGEST_LOG:
            return None
        return Interval(math.exp(self.log - half), math.exp(self.log + half))

    def p_of(self, ratio: float) -> float:
        """Two-sided p of the hypothesis that the ratio is ``ratio``, which must be positive; at most alpha
        exactly when the interval at that level excludes it.
        """
        if self.distribution is not None:
            return self.distribution.p_of(ratio)
        shift = self.log - math.log(ratio)
        if self.nu is not None:
            return max(self.least_p, two_sided_p(shift / self.se, self.nu))
        if shift == 0:
            return 1.0
        return self.p if self.log else smallest_exact_p(self.method, self.n)

    def resolvable(self, alpha: float = 0.05, power: float = 0.8) -> float | None:
        """The smallest relative difference that a test at ``alpha`` shows with ``power``, given this n and
        spread; ``None`` without a spread, and where no difference would. By the signs where these judge, else
        by t, or by the normal distribution where there is no ``nu``.
        """
        if self.se == 0:
            return None
        if isinstance(self.distribution, SignFlips | SignTest):
            shift = self.distribution.detectable(alpha, power)
        else:
            shift = detectable(AS_NORMAL if self.nu is None else self.nu, alpha, power) * self.se
        return math.expm1(shift) if shift is not None and shift <= LARGEST_LOG else None


def smallest_exact_p(method: str, n: int) -> float:
    """The p value that ``n`` units reach at best with an exact method; unpaired ones in two equal halves."""
    return 2 / math.comb(n, n // 2) if method.endswith("permutation") else 2.0 ** (1 - n)


def speedup(contrast: Contrast) -> Speedup | Undefined:
    """Old over new where lower is better, new over old where higher is better; one-sample t over units,
    Welch's t without pairs.

    log S = mean_b (log y_b,old - log y_b,new), S exp(-+ t_{1-alpha/2, n-1} s_d / sqrt(n)). Two units at
    least.
    """
    if not contrast.paired:
        return _unpaired(contrast.old.logs, contrast.new.logs, contrast.sign)
    differences = contrast.differences
    n = differences.size
    if n < 2:
        return Undefined(contrast.too_few)
    estimate = float(differences.mean())
    if abs(estimate) > LARGEST_LOG:
        return Undefined("out_of_range")
    rounding = contrast.rounding
    if np.ptp(differences) <= rounding:
        equal = abs(estimate) <= rounding
        p = 1.0 if equal else 2.0 ** (1 - n)
        return Speedup(0.0 if equal else estimate, 0.0, None, n, p, f"{contrast.unit}-log-ratio-sign")
    se = float(differences.std(ddof=1)) / math.sqrt(n)
    return Speedup(estimate, se, n - 1, n, two_sided_p(estimate / se, n - 1), f"{contrast.unit}-log-ratio-t")


def _unpaired(old: Floats, new: Floats, sign: int) -> Speedup | Undefined:
    if min(old.size, new.size) < 2:
        return Undefined("one_value")
    n = old.size + new.size
    estimate = sign * (float(old.mean()) - float(new.mean()))
    if abs(estimate) > LARGEST_LOG:
        return Undefined("out_of_range")
    if max(np.ptp(old), np.ptp(new)) <= of_logs(old, new):
        equal = abs(estimate) <= of_logs(old, new)
        p = 1.0 if equal else 2 / math.comb(n, old.size)
        return Speedup(0.0 if equal else estimate, 0.0, None, n, p, "unpaired-log-ratio-permutation")
    old_part, new_part = float(old.var(ddof=1)) / old.size, float(new.var(ddof=1)) / new.size
    se = math.sqrt(old_part + new_part)
    nu = (old_part + new_part) ** 2 / (old_part**2 / (old.size - 1) + new_part**2 / (new.size - 1))
    return Speedup(estimate, se, nu, n, two_sided_p(estimate / se, nu), "unpaired-log-ratio-t")
