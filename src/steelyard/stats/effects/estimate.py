"""``LogEstimate``: the logarithm of a ratio from a contrast of treatments, with what makes its interval."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

import msgspec
import numpy as np

from steelyard.answers.interval import Interval
from steelyard.answers.undefined import LARGEST_LOG
from steelyard.arrays import Floats
from steelyard.stats.distributions.student import detectable, t_quantile, two_sided_p
from steelyard.stats.rounding import ROUNDING

Method = Literal[
    "block-contrast-t",
    "context-contrast-t",
    "unpaired-contrast-t",
    "block-contrast-sign",
    "context-contrast-sign",
    "block-contrast-box",
    "context-contrast-box",
    "unpaired-welch-james",
    "lenth-pseudo-se",
    "no-error-term",
]


class LogEstimate(msgspec.Struct, frozen=True):
    """A contrast of logarithms.

    Attributes
    ----------
    log : float
        The estimate.
    se, nu : float or None
        Standard error and degrees of freedom of t; ``None`` without an error term, and where the units do not
        differ at all: then p is that of n equal signs, 2^(1-n), and there is no interval.
    p : float or None
        Two-sided, that the ratio is 1; ``None`` without an error term.
    """

    log: float
    se: float | None
    nu: float | None
    p: float | None
    method: Method

    @property
    def value(self) -> float | None:
        """The ratio; ``None`` where it leaves the range of double."""
        return math.exp(self.log) if abs(self.log) <= LARGEST_LOG else None

    def interval(self, alpha: float = 0.05) -> Interval | None:
        """Interval of the ratio at level 1 - ``alpha``: it excludes 1 exactly when p < ``alpha``; ``None``
        where no bound is known.
        """
        if self.se is None or self.nu is None:
            return None
        half = t_quantile(self.nu, alpha) * self.se
        if abs(self.log) + half > LARGEST_LOG:
            return None
        return Interval(math.exp(self.log - half), math.exp(self.log + half))

    def resolvable(self, alpha: float = 0.05, power: float = 0.8) -> float | None:
        """The smallest relative difference that a test at ``alpha`` shows with ``power``; ``None`` without an
        error term.
        """
        if self.se is None or self.nu is None:
            return None
        shift = detectable(self.nu, alpha, power) * self.se
        return math.expm1(shift) if shift <= LARGEST_LOG else None


def of_units(values: Floats, *, by: Literal["block", "context"], scale: float = 1.0) -> LogEstimate:
    """Student's t over one contrast a unit; ``scale`` is the largest logarithm that went into them, which
    rounding is judged by.
    """
    n = values.size
    log = float(values.mean())
    if n < 2:
        return LogEstimate(log, None, None, None, "no-error-term")
    rounding = ROUNDING * max(1.0, scale)
    if float(np.ptp(values)) <= rounding:
        same = abs(log) <= rounding
        p = 1.0 if same else 2.0 ** (1 - n)
        sign: Method = "block-contrast-sign" if by == "block" else "context-contrast-sign"
        return LogEstimate(0.0 if same else log, None, None, p, sign)
    se = float(values.std(ddof=1)) / math.sqrt(n)
    t: Method = "block-contrast-t" if by == "block" else "context-contrast-t"
    return LogEstimate(log, se, n - 1, two_sided_p(log / se, n - 1), t)


def of_cells(logs: Sequence[Floats], weights: Floats) -> LogEstimate:
    """A contrast of treatments whose launches belong to no unit: variances of their own, and degrees of
    freedom after Satterthwaite (1946, DOI 10.2307/3002019).

    sum_c w_c m_c, s^2 = sum_c w_c^2 s_c^2 / n_c, nu = s^4 / sum_c (w_c^2 s_c^2 / n_c)^2 / (n_c - 1).
    """
    log = float(sum(w * float(x.mean()) for w, x in zip(weights, logs, strict=True)))
    used = [(w, x) for w, x in zip(weights, logs, strict=True) if w != 0]
    if min(x.size for _, x in used) < 2:
        return LogEstimate(log, None, None, None, "no-error-term")
    parts = [float(w * w * x.var(ddof=1)) / x.size for w, x in used]
    total = sum(parts)
    if total <= ROUNDING**2:
        return LogEstimate(log, None, None, None, "no-error-term")
    nu = total**2 / sum(part**2 / (x.size - 1) for part, (_, x) in zip(parts, used, strict=True))
    se = math.sqrt(total)
    return LogEstimate(log, se, nu, two_sided_p(log / se, nu), "unpaired-contrast-t")
