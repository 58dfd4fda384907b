"""Shapiro-Wilk by Royston's approximations (1995, AS R94, DOI 10.2307/2986146).

There is no W where there is nothing to judge.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Final

import numpy as np

from steelyard.core.arrays import Floats
from steelyard.core.special import normal_cdf, normal_quantile
from steelyard.results.hypothesis import Normality

FEWEST: Final = 3
MOST: Final = 5000
"""Royston's approximation of p ends here; of more values, as many evenly spaced ones are taken."""

# Polynomials of the article, from the highest power down to the constant.
_LAST: Final = (-2.706056, 4.434685, -2.07119, -0.147981, 0.221157, 0.0)
_NEXT: Final = (-3.582633, 5.682633, -1.752461, -0.293762, 0.042981, 0.0)
_SMALL: Final = 11
"""Size up to which p has the first form."""
_BOUND: Final = (0.459, -2.273)
_SMALL_MEAN: Final = (-0.0006714, 0.025054, -0.39978, 0.544)
_SMALL_LOG_SD: Final = (-0.0020322, 0.062767, -0.77857, 1.3822)
_MEAN: Final = (0.0038915, -0.083751, -0.31082, -1.5861)
_LOG_SD: Final = (0.0030302, -0.082676, -0.4803)


def normality(values: Floats) -> Normality | None:
    """Test normality; ``None`` of fewer than three values and where all are equal."""
    if values.size < FEWEST or np.ptp(values) == 0:
        return None
    if values.size > MOST:
        values = values[np.arange(MOST) * values.size // MOST]
    # W knows neither place nor scale, and values near either end of the range of double would leave it.
    centred = values - np.median(values)
    largest = np.abs(centred).max()
    if largest == 0 or np.ptp(centred) == 0:
        return None
    ascending = np.sort(centred / largest)
    deviations = ascending - ascending.mean()
    scaled = deviations / math.sqrt(float(deviations @ deviations))
    weights = _weights(values.size)
    # 1 - W, of two vectors of length 1, without the digits that a difference loses.
    lack = float(((scaled - weights) ** 2).sum())
    lack *= 1 - lack / 4
    return Normality(1 - lack, _p(lack, values.size), values.size)


@lru_cache(maxsize=64)
def _weights(n: int) -> Floats:
    """Return expected order statistics, the outer ones corrected; their squares add to 1."""
    scores = normal_quantile((np.arange(1, n + 1) - 0.375) / (n + 0.25))
    squares = float(scores @ scores)
    if n == FEWEST:
        return np.array([-math.sqrt(0.5), 0.0, math.sqrt(0.5)])
    root = 1 / math.sqrt(n)
    outer = [scores[-1] / math.sqrt(squares) + _polynomial(_LAST, root)]
    if n > 5:
        outer.append(scores[-2] / math.sqrt(squares) + _polynomial(_NEXT, root))
    count = len(outer)
    inner = squares - 2 * float((scores[-count:] ** 2).sum())
    weights = scores * math.sqrt((1 - 2 * sum(weight**2 for weight in outer)) / inner)
    weights[:count], weights[-count:] = np.negative(outer), outer[::-1]
    return weights


def _p(lack: float, n: int) -> float:
    """P(W' <= W) of normal values."""
    if n == FEWEST:
        return max(0.0, 1 - 6 / math.pi * math.asin(math.sqrt(lack)))
    y = math.log(lack) if lack > 0 else -math.inf
    if n > _SMALL:
        size = math.log(n)
        return normal_cdf((_polynomial(_MEAN, size) - y) / math.exp(_polynomial(_LOG_SD, size)))
    bound = _polynomial(_BOUND, n)
    if y >= bound:
        return 0.0
    y = -math.log(bound - y)
    return normal_cdf((_polynomial(_SMALL_MEAN, n) - y) / math.exp(_polynomial(_SMALL_LOG_SD, n)))


def _polynomial(coefficients: tuple[float, ...], x: float) -> float:
    return float(np.polyval(coefficients, x))
