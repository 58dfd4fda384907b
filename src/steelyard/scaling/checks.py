"""What is wrong with a series before any fitting: said per series, so that the others go on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec
import numpy as np

from steelyard.arrays import Floats
from steelyard.scaling.candidates import Integers
from steelyard.scaling.model import NotModelled
from steelyard.series import Series

LEAST_POINTS: Final = 3
MOST_PARAMETERS: Final = 4
SMALLEST: Final = 1e-100
LARGEST: Final = 1e100
"""Squares of values, and quotients of squares, must be doubles."""
INFINITY: Final = float("inf")


class Reading(msgspec.Struct, frozen=True):
    """A series as arrays.

    Attributes
    ----------
    grid : array (m, parameters)
    values : array (m, launches)
        NaN where a point has fewer launches than another.
    u : array (m,) or None
        Given uncertainties of the means.
    launches : array (m,) of int
    means : array (m,)
    levels : tuple of int
        How many different values each parameter has.
    zeros : int
        How many points are exactly zero.
    kinked : bool
        Zeros lie at several values of each parameter: the series begins late, which no term does, and what it
        grows like from there on is not known.
    """

    series: Series
    grid: Floats
    values: Floats
    u: Floats | None
    launches: Integers
    means: Floats
    levels: tuple[int, ...]
    zeros: int
    kinked: bool


def read(series: Series) -> Reading | NotModelled:
    """The arrays, or the reason why there is nothing to model."""
    grid = np.array([point.at for point in series.points], dtype=float)
    grid = grid.reshape(len(series.points), len(series.parameters))
    values = _values(series)
    reason = _reason(series, grid, values)
    if reason is not None:
        return NotModelled(series.name, series.metric, series.labels, reason)
    given = [point.u for point in series.points]
    u = np.array([x for x in given if x is not None], dtype=float) if None not in given else None
    # Of a hundred thousand series each call of numpy takes a tenth of a second and more.
    means = values.sum(axis=1) / values.shape[1]
    low = means.min()
    if np.isnan(low):
        means = np.nanmean(values, axis=1)
        low = means.min()
    launches = np.array([point.launches for point in series.points])
    levels = tuple(len({point.at[at] for point in series.points}) for at in range(grid.shape[1]))
    zeros = int((means == 0).sum()) if low == 0 else 0
    # One may be where nothing is to do yet, as p - 1 messages and log p rounds are.
    kinked = zeros > 1 and all(len(set(column[means == 0])) > 1 for column in grid.T)
    return Reading(series, grid, values, u, launches, means, levels, zeros, kinked)


def _values(series: Series) -> Floats:
    counts = [len(point.values) for point in series.points]
    most = max(counts, default=0)
    if min(counts, default=0) == most:
        return np.array([point.values for point in series.points], dtype=float)
    values = np.full((len(counts), most), np.nan)
    for row, point in enumerate(series.points):
        values[row, : counts[row]] = point.values
    return values


def _reason(series: Series, grid: Floats, values: Floats) -> str | None:
    """Why there is nothing to model."""
    if not series.points:
        return f"no finite value{f' ({series.lost[0]})' if series.lost else ''}"
    if len(series.points) < LEAST_POINTS:
        return f"{len(series.points)} points; a model needs at least {LEAST_POINTS}, and 5 for a verdict"
    # Nearly every series passes here; only others are looked at value by value.
    sound = values.size > 0 and float(values.min()) > SMALLEST and float(values.max()) < LARGEST
    return (None if sound else _bad_value(series)) or _bad_grid(series, grid)


def _bad_value(series: Series) -> str | None:
    for point in series.points:
        if point.values and all(0 <= value < INFINITY for value in point.values):
            continue
        where = ", ".join(f"{n} = {x:g}" for n, x in zip(series.parameters, point.at, strict=True))
        if not point.values:
            return f"no value at {where}"
        bad = next(value for value in point.values if not 0 <= value < INFINITY)
        if -INFINITY < bad < 0:
            return f"value {bad:g} at {where} is negative; models are of quantities from 0 up"
        return f"value {bad} at {where}; models need finite values"
    if all(value == 0 for point in series.points for value in point.values):
        return "all values are 0"
    return _bad_size([value for point in series.points for value in point.values if value > 0])


def _bad_size(values: Sequence[float]) -> str | None:
    """Squares of smaller and larger values are no numbers."""
    smallest, largest = min(values), max(values)
    if not SMALLEST < largest < LARGEST:
        return f"the largest value is {largest:g}; models need it between {SMALLEST:g} and {LARGEST:g}"
    if smallest <= SMALLEST:
        return f"the smallest value above 0 is {smallest:g}; models need it above {SMALLEST:g}"
    return None


def _bad_grid(series: Series, grid: Floats) -> str | None:
    if len(series.parameters) > MOST_PARAMETERS:
        return f"{len(series.parameters)} parameters; models have at most {MOST_PARAMETERS}"
    for at, name in enumerate(series.parameters):
        column = grid[:, at].tolist()
        if min(column) <= 0:
            return f"{name} = {min(column):g}; growth is defined for parameters above 0"
        if len(set(column)) < LEAST_POINTS:
            return f"{len(set(column))} values of {name}; a model needs at least {LEAST_POINTS}"
    return None
