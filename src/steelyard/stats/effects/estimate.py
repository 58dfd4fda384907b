"""The logarithm of a ratio from a contrast of treatments, and its interval."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np

from steelyard.core.arrays import Floats
from steelyard.results.effects import By, LogEstimate, Method
from steelyard.results.interval import Interval
from steelyard.results.undefined import LARGEST_LOG
from steelyard.stats.distributions.student import LogT, detectable, two_sided_p
from steelyard.stats.rounding import ROUNDING

_T: Final[dict[By, Method]] = {
    "block": "block-contrast-t",
    "context": "context-contrast-t",
    "instance": "instance-contrast-t",
}
_SIGN: Final[dict[By, Method]] = {
    "block": "block-contrast-sign",
    "context": "context-contrast-sign",
    "instance": "instance-contrast-sign",
}


def interval_of(estimate: LogEstimate, alpha: float = 0.05) -> Interval | None:
    """Interval of the ratio, at level 1 - ``alpha``: it excludes 1 exactly when p < ``alpha``.

    ``None`` where no bound is known.
    """
    if estimate.se is None or estimate.nu is None:
        return None
    return LogT(estimate.log, estimate.se, estimate.nu).interval(alpha)


def resolvable(estimate: LogEstimate, alpha: float = 0.05, power: float = 0.8) -> float | None:
    """Return the smallest relative difference that a test at ``alpha`` shows with ``power``.

    ``None`` without an error term.
    """
    if estimate.se is None or estimate.nu is None:
        return None
    shift = detectable(estimate.nu, alpha, power) * estimate.se
    return math.expm1(shift) if shift <= LARGEST_LOG else None


def estimate_units(values: Floats, *, by: By, scale: float = 1.0) -> LogEstimate:
    """Student's t over one contrast a unit.

    ``scale`` is the largest logarithm that went into them, which rounding is judged by.
    """
    n = values.size
    log = float(values.mean())
    if n < 2:
        return LogEstimate(log, None, None, None, "no-error-term")
    rounding = ROUNDING * max(1.0, scale)
    if float(np.ptp(values)) <= rounding:
        is_zero = abs(log) <= rounding
        p = 1.0 if is_zero else 2.0 ** (1 - n)
        return LogEstimate(0.0 if is_zero else log, None, None, p, _SIGN[by])
    se = float(values.std(ddof=1)) / math.sqrt(n)
    return LogEstimate(log, se, n - 1, two_sided_p(log / se, n - 1), _T[by])


def estimate_cells(logs: Sequence[Floats], weights: Floats) -> LogEstimate:
    """Return a contrast of treatments whose launches belong to no unit.

    It has variances of their own, and degrees of freedom after Satterthwaite (1946, DOI 10.2307/3002019).

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
