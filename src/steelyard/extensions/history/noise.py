"""``SeriesNoise``: how much records scatter around a level that may change, and how much neighbours share.

With y_t = level + AR(1) noise of variance s^2 and correlation phi, half the mean square of y_(t+1) - y_t is
s^2 (1 - phi), whatever the level does now and then. For phi there are two estimates, each too large where
the level changes in a way that it does not know, so that the smaller one counts: from differences of next
neighbours, s^2 (1 - phi^2), whose ratio to the first is 1 + phi (Chakar, Levy-Leduc, Lebarbier and Robin
2017, DOI 10.3150/15-BEJ782, with medians); and from what is left around three levels. Arrays hold one series,
or one a row.
"""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import NormalDist
from typing import Final

import msgspec
import numpy as np

from steelyard.core.arrays import Floats, Ints

LEFT_OUT: Final = 0.1
"""Fraction of the squared differences that is left out, the largest: they belong to steps and outliers. At
least as many as one step touches."""
HIGHEST: Final = 0.5
"""Correlation up to which false alarms are as rare as stated. Beyond it, noise cannot be told from a level
that wanders, and to allow for it would hide steps: they look like correlation themselves."""
CHOSEN: Final = 6.5
"""Levels that three count for where the places between them are chosen to fit best (simulated)."""
LEAST_SIDE: Final = 2
"""Records on either side of a change: one alone is an outlier as well as a change."""
MANY: Final = 64
"""Records of which few changes touch so few differences that these alone show the correlation."""
REACH: Final = 3.0
"""Standard deviations from the median of its neighbourhood beyond which a record counts no more."""
FAR: Final = 5.0
"""Standard deviations from there beyond which a record is called an outlier."""


class SeriesNoise(msgspec.Struct, frozen=True):
    """Noise of each series.

    Attributes
    ----------
    sd : array
        Standard deviation of one record.
    phi : array
        Correlation of neighbours, from 0 to ``HIGHEST``.
    """

    sd: Floats
    phi: Floats

    @property
    def long_run(self) -> Floats:
        """Standard deviation of a mean of m records times the root of m, for large m."""
        long: Floats = self.sd * np.sqrt((1 + self.phi) / (1 - self.phi))
        return long


def noise(series: Floats, least: float = 0.0) -> SeriesNoise:
    """Estimate the noise; ``least`` is the uncertainty that the records themselves know of."""
    near, far = _half_mean_square(series, 1), _half_mean_square(series, 2)
    ratio = np.divide(far, near, out=np.ones_like(far), where=near > 0)
    across = np.clip(ratio - 1, 0.0, HIGHEST)
    phi = across
    if series.shape[-1] <= MANY:
        phi = np.minimum(across, _centre_on_levels(clip(series, np.sqrt(near / (1 - across)))))
    return SeriesNoise(np.maximum(np.sqrt(near / (1 - phi)), least), phi)


def _centre_on_levels(series: Floats) -> Floats:
    """Return the correlation of neighbours around the three levels that fit best, 0 to ``HIGHEST``."""
    n = series.shape[-1]
    first, second = _compute_pairs(n)
    rest = series - series.mean(axis=-1, keepdims=True)
    sums = np.cumsum(rest, axis=-1)
    # The sum of squares that three levels explain; all sums together are 0.
    earlier, both = sums[..., first - 1], sums[..., second - 1]
    explained = earlier**2 / first + (both - earlier) ** 2 / (second - first) + both**2 / (n - second)
    best = explained.argmax(axis=-1, keepdims=True)
    split, item = first[best], second[best]
    before, until = np.take_along_axis(earlier, best, axis=-1), np.take_along_axis(both, best, axis=-1)
    place = np.arange(n)
    levels = np.where(place < item, (until - before) / (item - split), -until / (n - item))
    rest -= np.where(place < split, before / split, levels)
    squares = np.sum(rest**2, axis=-1)
    products = np.sum(rest[..., 1:] * rest[..., :-1], axis=-1)
    r1 = np.divide(products, squares, out=np.zeros_like(squares), where=squares > 0)
    return np.clip(correct(r1, CHOSEN / n), 0.0, HIGHEST)


@lru_cache(maxsize=64)
def _compute_pairs(n: int) -> tuple[Ints, Ints]:
    """First records behind the first and behind the second change, two records or more on every level."""
    first, second = np.triu_indices(n + 1, k=LEAST_SIDE)
    inside = (first >= LEAST_SIDE) & (second <= n - LEAST_SIDE)
    return first[inside], second[inside]


def correct(r1: Floats, levels_per_record: float) -> Floats:
    """Correct the lag-1 autocorrelation around levels that are estimated.

    It is too low by about (1 + 3 r) / m for a level of m records.
    """
    return r1 + (1 + 3 * r1) * levels_per_record


def _half_mean_square(series: Floats, lag: int) -> Floats:
    squares = np.sort((series[..., lag:] - series[..., :-lag]) ** 2, axis=-1)
    count = squares.shape[-1]
    count_kept = count - max(lag, math.ceil(LEFT_OUT * count))
    half: Floats = np.asarray(
        squares[..., :count_kept].mean(axis=-1) / mean_of_smallest(count_kept / count) / 2
    )
    return half


@lru_cache(maxsize=256)
def mean_of_smallest(fraction: float) -> float:
    """Mean of the squares of standard normal values that are below their quantile at ``fraction``."""
    root = NormalDist().inv_cdf((1 + fraction) / 2)
    return 1 - math.sqrt(2 / math.pi) * root * math.exp(-root * root / 2) / fraction


def neighbourhood(series: Floats) -> Floats:
    """Return the median of each record and two neighbours on either side; at an end, of the three there."""
    n = series.shape[-1]
    a, b, c, d, e = (series[..., place : n - 4 + place] for place in range(5))
    # Of five, four without their least and greatest leave two; a tenth of the time of ``numpy.median``.
    low = np.maximum(np.minimum(a, b), np.minimum(d, e))
    high = np.minimum(np.maximum(a, b), np.maximum(d, e))
    inner = _middle(low, high, c)
    first = _middle(series[..., :1], series[..., 1:2], series[..., 2:3])
    last = _middle(series[..., -1:], series[..., -2:-1], series[..., -3:-2])
    return np.concatenate([first, first, inner, last, last], axis=-1)


def _middle(a: Floats, b: Floats, c: Floats) -> Floats:
    """Return the median of three."""
    median: Floats = np.maximum(np.minimum(a, b), np.minimum(np.maximum(a, b), c))
    return median


def clip(series: Floats, sd: Floats) -> Floats:
    """Clip records to at most ``REACH`` from their neighbourhood.

    One record that is far off then cannot make a step.
    """
    middle, reach = neighbourhood(series), REACH * np.asarray(sd)[..., np.newaxis]
    return np.clip(series, middle - reach, middle + reach)
