"""``Summary``: what one sample looks like, with no NaN for what it does not show."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from steelyard.results.interval import Interval
from steelyard.results.samples import Summary
from steelyard.stats.describe.quartiles import quartiles


def summarise(values: npt.ArrayLike) -> Summary:
    """Return the summary of a one-dimensional array."""
    x = np.asarray(values, dtype=np.float64)
    n = x.size
    if n == 0:
        return Summary(0, reason="no_values")
    low, high = float(x.min()), float(x.max())
    if not (math.isfinite(low) and math.isfinite(high)):
        return Summary(n, reason="not_finite")
    # Scaling by a power of two is exact, and keeps squares of values near either end of the range of double
    # in it.
    exponent = math.frexp(max(abs(low), abs(high)))[1]
    scaled = np.ldexp(x, -exponent)
    # Rounding moves the mean of equal values away from them, which would give a constant sample a spread.
    mean = float(scaled[0] if low == high else np.clip(scaled.mean(), scaled.min(), scaled.max()))
    # The least values beside large ones underflow where they are scaled.
    first, median, third = (
        min(max(math.ldexp(quartile, exponent), low), high) for quartile in quartiles(scaled)
    )
    mean_value = math.ldexp(mean, exponent)
    if n == 1:
        return Summary(
            n=1,
            mean=mean_value,
            median=median,
            quartiles=Interval(first, third),
            min=low,
            max=high,
            reason="one_value",
        )
    deviations = scaled - mean
    # The second term is zero but for the rounding of the mean (Chan, Golub, LeVeque 1983, DOI
    # 10.1080/00031305.1983.10483115).
    squares = float(deviations @ deviations) - float(deviations.sum()) ** 2 / n
    s = math.sqrt(max(0.0, squares) / (n - 1))
    u = s / math.sqrt(n)
    cv, rsu = (s / abs(mean), u / abs(mean)) if mean else (math.inf, math.inf)
    s_value = _unscale(s, exponent)
    return Summary(
        n=n,
        mean=mean_value,
        median=median,
        quartiles=Interval(min(first, third), max(first, third)),
        min=low,
        max=high,
        s=s_value,
        u=_unscale(u, exponent),
        cv=cv if math.isfinite(cv) else None,
        rsu=rsu if math.isfinite(rsu) else None,
        reason="out_of_range" if s_value is None else None if math.isfinite(cv) else "zero_mean",
    )


def _unscale(value: float, exponent: int) -> float | None:
    try:
        return math.ldexp(value, exponent)
    except OverflowError:
        return None
