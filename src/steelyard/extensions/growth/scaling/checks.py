"""What is wrong with a series before any fitting: said per series, so that the others go on."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from typing import Final

import msgspec
import numpy as np

from steelyard.core.arrays import Floats
from steelyard.core.series import Series
from steelyard.extensions.growth.scaling.model import NotModelled

LEAST_POINTS: Final = 3
MOST_PARAMETERS: Final = 4
SMALLEST: Final = 1e-100
LARGEST: Final = 1e100
"""Squares of values, and quotients of squares, must be doubles."""
LARGEST_PARAMETER: Final = 1e30
"""Of a parameter: its sixth power, times a value, is a double."""
INFINITY: Final = float("inf")


class SeriesArrays(msgspec.Struct, frozen=True, gc=False):
    """A series as arrays.

    Attributes
    ----------
    grid : array (m, parameters)
    values : array (m, launches)
        NaN where a point has fewer launches than another.
    u : array (m,) or None
        Given uncertainties of the means.
    fewest : int
        Launches of the point that has the fewest.
    freedom : int
        Launches beyond the first of each point.
    means : array (m,)
    levels : tuple of int
        How many different values each parameter has.
    smallest, largest : tuple of float
        Of each parameter.
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
    fewest: int
    freedom: int
    means: Floats
    levels: tuple[int, ...]
    smallest: tuple[float, ...]
    largest: tuple[float, ...]
    zeros: int
    kinked: bool


def read(series: Series) -> SeriesArrays | NotModelled:
    """Return the arrays, or the reason why there is nothing to model."""
    return read_all([series])[0]


def read_all(series: Sequence[Series]) -> list[SeriesArrays | NotModelled]:
    """Read each as ``read`` does.

    Those of the same points and launches are read at once, since of a hundred thousand each call of numpy
    takes a tenth of a second and more.
    """
    groups: dict[object, list[int]] = {}
    for number, single in enumerate(series):
        shape = tuple([(p.at, len(p.values), p.n, p.u is None) for p in single.points])
        groups.setdefault((single.parameters, shape), []).append(number)
    out: dict[int, SeriesArrays | NotModelled] = {}
    for numbers in groups.values():
        out.update(zip(numbers, _read_alike([series[number] for number in numbers]), strict=True))
    return [out[number] for number in range(len(series))]


def _read_alike(series: Sequence[Series]) -> Iterator[SeriesArrays | NotModelled]:
    """Series that share their parameters, points and numbers of launches."""
    first = series[0]
    grid = np.array([point.at for point in first.points], dtype=float)
    grid = grid.reshape(len(first.points), len(first.parameters))
    if len(grid) < LEAST_POINTS:
        points = f"{len(grid)} point{'s' * (len(grid) > 1)}"
        few = f"{points}; a model needs at least {LEAST_POINTS}, better 5 or more"
        for single in series:
            nothing = f"no finite value{f' ({single.lost[0]})' if single.lost else ''}"
            yield NotModelled(single.name, single.metric, single.labels, few if single.points else nothing)
        return
    bad_grid = _format_bad_grid(first, grid)
    values = _values(series)
    sound = (values.min(axis=(1, 2)) > SMALLEST) & (values.max(axis=(1, 2)) < LARGEST)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # a point without a value is told below
        means = np.nanmean(values, axis=2)
    has_u = all(point.u is not None for point in first.points)
    counts = [point.launches for point in first.points]
    fewest, freedom = min(counts), sum(max(count - 1, 0) for count in counts)
    levels = tuple(len(set(column)) for column in grid.T.tolist())
    ends = (tuple(grid.min(axis=0).tolist()), tuple(grid.max(axis=0).tolist()))
    for single, its_values, mean, fine in zip(series, values, means, sound.tolist(), strict=True):
        reason = (None if fine else _format_bad_value(single)) or bad_grid
        if reason is not None:
            yield NotModelled(single.name, single.metric, single.labels, reason)
            continue
        zeros = 0 if fine else int((mean == 0).sum())
        # One may be where nothing is to do yet, as p - 1 messages and log p rounds are.
        kinked = zeros > 1 and all(len(set(column[mean == 0])) > 1 for column in grid.T)
        u = np.array([point.u for point in single.points], dtype=float) if has_u else None
        yield SeriesArrays(single, grid, its_values, u, fewest, freedom, mean, levels, *ends, zeros, kinked)


def _values(series: Sequence[Series]) -> Floats:
    counts = [len(point.values) for point in series[0].points]
    most = max(*counts, 1)
    if min(counts) == most:
        return np.array([[point.values for point in single.points] for single in series], dtype=float)
    values = np.full((len(series), len(counts), most), np.nan)
    for row, single in enumerate(series):
        for at, point in enumerate(single.points):
            values[row, at, : counts[at]] = point.values
    return values


def _format_bad_value(series: Series) -> str | None:
    for point in series.points:
        if point.values and all(0 <= value < INFINITY for value in point.values):
            continue
        text = ", ".join(f"{n} = {x:g}" for n, x in zip(series.parameters, point.at, strict=True))
        if not point.values:
            return f"no value at {text}"
        bad = next(value for value in point.values if not 0 <= value < INFINITY)
        if -INFINITY < bad < 0:
            return f"value {bad:g} at {text} is negative; models are of quantities from 0 up"
        return f"value {bad} at {text}; models need finite values"
    if all(value == 0 for point in series.points for value in point.values):
        return "all values are 0"
    return _format_bad_size([value for point in series.points for value in point.values if value > 0])


def _format_bad_size(values: Sequence[float]) -> str | None:
    """Squares of smaller and larger values are not finite numbers."""
    smallest, largest = min(values), max(values)
    if not SMALLEST < largest < LARGEST:
        return f"the largest value is {largest:g}; models need it between {SMALLEST:g} and {LARGEST:g}"
    if smallest <= SMALLEST:
        return f"the smallest value above 0 is {smallest:g}; models need it above {SMALLEST:g}"
    return None


def _format_bad_grid(series: Series, grid: Floats) -> str | None:
    if len(series.parameters) > MOST_PARAMETERS:
        return f"{len(series.parameters)} parameters; models have at most {MOST_PARAMETERS}"
    for at, name in enumerate(series.parameters):
        column = grid[:, at].tolist()
        if min(column) <= 0:
            return f"{name} = {min(column):g}; growth is defined for parameters above 0"
        if max(column) > LARGEST_PARAMETER:
            return f"{name} = {max(column):g}; parameters must be at most {LARGEST_PARAMETER:g}"
        if len(set(column)) < LEAST_POINTS:
            return f"{len(set(column))} values of {name}; a model needs at least {LEAST_POINTS}"
    return None
