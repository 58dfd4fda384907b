"""From repetitions to one value a point: the aggregate, its uncertainty, and the law that the noise follows.

The launch is the unit: repetitions are taken as independent here. What spread they have within a point
decides the noise law, sd ∝ value^t with t ∈ {0, ½, 1}, by likelihood; what is one-sided decides the
aggregate.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Literal

import msgspec
import numpy as np
import numpy.typing as npt

from steelyard.core.arrays import Floats
from steelyard.extensions.growth.scaling.candidates import Integers

Aggregate = Literal["mean", "median", "first-quartile", "lower-half"]
AGGREGATES: Final[tuple[Aggregate, ...]] = ("mean", "median", "first-quartile", "lower-half")
LAWS: Final = (0.0, 0.5, 1.0)
SPIKE_RATIO: Final = 2.2
"""Upper over lower spread from which noise counts as one-sided. Symmetric noise at 6 points × 5 exceeds it
in 0.1 %.
"""
ZERO: Final = 1e-8
"""What a point of 0 is beside the largest, where a power of its size is asked for."""
FARTHEST: Final = 1e-60
"""A point above 0 is at least this large beside the largest."""
TINY: Final = 1e-150
"""Its square is still a double."""
RESAMPLES: Final = 200
RELATIVE_FLOOR: Final = 1e-6
"""What even a count is not trusted beyond: rounding in the last digits that are shown."""


class Aggregated(msgspec.Struct, frozen=True):
    """Functions first.

    Attributes
    ----------
    value, u2 : array (n, m)
        The aggregate and the square of its standard uncertainty under the noise law.
    own_u2 : array (n, m)
        The same from each point's own repetitions, where it has any.
    law, freedom : array (n,)
        The exponent t; degrees of freedom, 0 where the noise is not estimated from repetitions.
    aggregate : tuple of str
    one_sided : array (n,)
        Upper over lower spread of the repetitions; 1 where there are none.
    """

    value: Floats
    u2: Floats
    law: Floats
    freedom: Floats
    aggregate: tuple[Aggregate, ...]
    one_sided: Floats


def aggregate(
    values: Floats, how: Aggregate | Literal["auto"] = "auto", floor: float = RELATIVE_FLOOR
) -> Aggregated:
    """Aggregate the repetitions of many functions.

    Parameters
    ----------
    values : array (n, m, r)
        Repetitions last; NaN where there is none.
    floor : float
        Smallest relative standard uncertainty of a point.
    """
    counts = np.isfinite(values).sum(axis=2)
    one_sided = _one_sidedness(values)
    n = len(values)
    if how == "auto":
        # Where the lower half of a point is 0, spikes are all there is: their mean is what can be modelled.
        spiky = (one_sided > SPIKE_RATIO) & (_least_half(values, counts) > 0).all(axis=1)
        names: tuple[Aggregate, ...] = tuple("lower-half" if item else "mean" for item in spiky)
    else:
        names = (how,) * n
    value, u2 = np.empty(counts.shape), np.empty(counts.shape)
    law, freedom = np.ones(n), np.zeros(n)
    for name in AGGREGATES:
        rows = np.flatnonzero(np.array([chosen == name for chosen in names]))
        if len(rows):
            value[rows], u2[rows], law[rows], freedom[rows] = _analyse_one_way(
                values[rows], counts[rows], name
            )
    tiny = (floor * _size(np.abs(value))) ** 2
    return Aggregated(value, np.maximum(u2, tiny), law, freedom, names, one_sided)


def _least_half(values: Floats, counts: Integers) -> Floats:
    return _summary(np.sort(values, axis=2), counts, "lower-half")


def _one_sidedness(values: Floats) -> Floats:
    with np.errstate(all="ignore"):
        enough = np.isfinite(values).sum(axis=2) >= 4
        middle = _drop_missing(np.median, np.nanmedian, values)
        upper = np.where(enough, (_drop_missing(np.max, np.nanmax, values) - middle) / np.abs(middle), 0.0)
        lower = np.where(enough, (middle - _drop_missing(np.min, np.nanmin, values)) / np.abs(middle), 0.0)
        up, down = np.nan_to_num(upper).sum(axis=1), np.nan_to_num(lower).sum(axis=1)
        ratio: Floats = np.where(down > 0, up / np.where(down > 0, down, 1.0), np.where(up > 0, np.inf, 1.0))
    return ratio


def _drop_missing(
    plain: Callable[..., npt.ArrayLike], aware: Callable[..., npt.ArrayLike], values: Floats
) -> Floats:
    """Return a reduction over repetitions that is aware of NaN; plain and fast where nothing is missing."""
    reduction = plain if np.isfinite(values).all() else aware
    return np.asarray(reduction(values, axis=2))


def _analyse_one_way(
    values: Floats, counts: Integers, how: Aggregate
) -> tuple[Floats, Floats, Floats, Floats]:
    ordered = np.sort(values, axis=2)  # NaN last
    centre = _summary(ordered, counts, how)
    # One-sided noise is judged by the half that the aggregate looks at.
    usable = counts if how in ("mean", "median") else np.maximum(counts // 2, 1)
    place = np.arange(values.shape[2])
    inside = place < usable[:, :, None]
    middle = np.where(inside, ordered, 0.0).sum(axis=2) / usable
    squares = np.where(inside, (ordered - middle[:, :, None]) ** 2, 0.0).sum(axis=2)
    freedom = np.maximum(usable - 1, 0)
    law, variance = _get_noise_law(squares, freedom, np.abs(centre))
    total = freedom.sum(axis=1).astype(float)
    if how == "mean":
        return centre, variance / counts, law, total
    spread = _resample(values, counts, centre, law, how)
    return centre, spread, law, np.maximum((counts - 1).sum(axis=1) / 2.0, 0.0)


def _summary(ordered: Floats, counts: Integers, how: Aggregate) -> Floats:
    place = np.arange(ordered.shape[-1])
    filled = np.where(place < counts[..., None], ordered, 0.0)
    if how == "mean":
        return np.asarray(filled.sum(axis=-1) / counts)
    if how == "lower-half":
        half = np.maximum(counts // 2, 1)
        return np.asarray(np.where(place < half[..., None], ordered, 0.0).sum(axis=-1) / half)
    at = (counts - 1) * (0.5 if how == "median" else 0.25)
    low = np.floor(at).astype(int)
    high = np.minimum(low + 1, counts - 1)
    part = at - low
    first = np.take_along_axis(filled, low[..., None], axis=-1)[..., 0]
    second = np.take_along_axis(filled, high[..., None], axis=-1)[..., 0]
    return np.asarray(first * (1 - part) + second * part)


def _get_noise_law(squares: Floats, freedom: Integers, centre: Floats) -> tuple[Floats, Floats]:
    """Return the most likely t and the variance of one repetition at each point under it."""
    total = freedom.sum(axis=1)
    size = _size(centre)
    best = np.full(len(squares), -np.inf)
    law = np.ones(len(squares))
    variance = np.zeros(squares.shape)
    for t in LAWS:
        shape = size ** (2 * t)
        sigma2 = (squares / shape).sum(axis=1) / np.maximum(total, 1)
        with np.errstate(divide="ignore"):
            log = -0.5 * total * np.log(np.maximum(sigma2, 1e-300)) - 0.5 * (freedom * np.log(shape)).sum(
                axis=1
            )
        better = log > best + 1e-9
        best = np.where(better, log, best)
        law = np.where(better & (total > 0), t, law)
        variance = np.where((better & (total > 0))[:, None], sigma2[:, None] * shape, variance)
    return law, variance


def _size(centre: Floats) -> Floats:
    """Return what a point's uncertainty is relative to.

    It is its value, and where that is 0, the smallest of the others.

    Relative to itself, 0 would be known without error, and a model through zeros alone would always win.
    """
    least = np.maximum(FARTHEST * centre.max(axis=1, keepdims=True), TINY)
    above = np.where(centre > 0, centre, np.inf).min(axis=1, keepdims=True)
    of_zero = np.where(np.isfinite(above), above, 0.0)
    return np.asarray(np.maximum(np.where(centre > 0, centre, of_zero), least))


def _resample(values: Floats, counts: Integers, centre: Floats, law: Floats, how: Aggregate) -> Floats:
    """Return the variance of an aggregate by resampling.

    The residuals of all points are resampled together, scaled by the noise law.
    """
    n, m, r = values.shape
    height = np.abs(centre)
    largest = np.nanmax(np.abs(values), axis=(1, 2))
    least = np.where(largest > 0, ZERO * largest, 1.0)[:, None]
    scale = np.maximum(height, least) ** law[:, None]
    residual = ((values - centre[:, :, None]) / scale[:, :, None]).reshape(n, m * r)
    rng = np.random.default_rng(1)
    order = np.argsort(np.isnan(residual), axis=1, kind="stable")
    packed = np.take_along_axis(residual, order, axis=1)
    present = np.isfinite(residual).sum(axis=1)
    size = int(np.median(counts))
    spread = np.empty(n)
    uniform = rng.random((RESAMPLES, size))
    for row in range(n):
        sample = np.sort(packed[row, (uniform * present[row]).astype(int)], axis=1)
        spread[row] = _summary(sample, np.full(RESAMPLES, size), how).var()
    return np.asarray(spread[:, None] * (size / counts) * scale**2)
