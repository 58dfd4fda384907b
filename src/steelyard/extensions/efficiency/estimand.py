"""Speedup and parallel efficiency, relative to the smallest scale, with intervals of ratios of means.

Strong scaling divides one problem: E(p) = p0 T(p0) / (p T(p)). Weak scaling gives each worker the same:
E(p) = T(p0) / T(p). Of a rate X, whichever way the work grows, E(p) = p0 X(p) / (p X(p0)).

The logarithm of a ratio of means has the variance of both relative errors (delta method), and Welch's degrees
of freedom.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np
from msgspec.structs import replace

from steelyard.core.series import Point, Series
from steelyard.extensions.efficiency.results import (
    EfficiencyPoint,
    EfficiencySeries,
    NotComputed,
    Scaling,
)
from steelyard.results.interval import Interval
from steelyard.stats.distributions.student import t_quantile

ALPHA: Final = 0.05
LEAST_POINTS: Final = 2


def measure_efficiency(
    series: Series,
    scaling: Scaling = "strong",
    least: float = 0.7,
    alpha: float = ALPHA,
    peak_rate: float | None = None,
) -> EfficiencySeries | NotComputed:
    """Return speedup and efficiency of each point of a function of one parameter.

    Parameters
    ----------
    least : float
        The efficiency that is asked for.
    alpha : float
        1 minus the coverage of each interval.
    peak_rate : float or None
        The highest possible rate of one unit of the parameter (a node, a core), in the unit of a rate.
    """
    is_rate = series.better == "higher"
    series, open_from, missing = _cut_at_failure(series)
    reason = _refuse(series)
    if peak_rate is not None and not is_rate and not reason:
        reason = "a peak is that of a rate, and this metric is none (--better higher says that it is)"
    if reason:
        return NotComputed(series.name, series.metric, reason)
    first = series.points[0]
    points = tuple(_measure(first, point, scaling, is_rate=is_rate, alpha=alpha) for point in series.points)
    if peak_rate is not None:
        points = tuple(replace(point, of_peak=point.value / (peak_rate * point.at)) for point in points)
    passing = _count_while([point.efficiency >= least for point in points])
    sure = _count_while([point.interval is None or point.interval.low >= least for point in points])
    has_intervals = any(point.interval is not None for point in points)
    return EfficiencySeries(
        name=series.name,
        metric=series.metric,
        unit=series.unit,
        labels=series.labels,
        parameter=series.parameters[0],
        scaling=scaling,
        is_rate=is_rate,
        base=first.at[0],
        least=least,
        points=points,
        up_to=points[passing - 1].at if passing > 1 else None,
        surely_up_to=points[sure - 1].at if has_intervals and sure > 1 else None,
        peak=max(points, key=lambda point: point.speedup).at,
        superlinear=tuple(p.at for p in points if p.interval is not None and p.interval.low > 1),
        peak_rate=peak_rate,
        open_from=open_from,
        missing=missing,
    )


def _cut_at_failure(series: Series) -> tuple[Series, float | None, str]:
    """Return the scales below the first at which a run failed, that scale, and what failed, in words.

    What fails is not missing by chance, so that no scale is known by the runs that are left. Where the scale
    is not known, the series stays incomplete.
    """
    if not series.lost_at or len(series.parameters) != 1:
        return series, None, ""
    first = min(at[0] for at in series.lost_at)
    points = tuple(point for point in series.points if point.at[0] < first)
    missing = _describe_missing(series)
    if len(points) < LEAST_POINTS:
        return replace(series, points=points), first, missing
    return replace(series, points=points, lost=(), lost_at=(), censored=False), first, missing


def _describe_missing(series: Series) -> str:
    """Say which runs are missing, and what to do."""
    rest = f" and {len(series.lost) - 1} more" if len(series.lost) > 1 else ""
    runs = f"{series.lost[0]}{rest}" if series.lost else "runs that failed or timed out"
    return f"{runs}: what fails is not missing by chance; measure again, or leave out that scale"


def _refuse(series: Series) -> str:
    """Say why a series has no efficiency; empty where it has."""
    if len(series.parameters) != 1:
        return f"{len(series.parameters)} parameters; efficiency is over one"
    if series.incomplete:
        return _describe_missing(series)
    if len(series.points) < LEAST_POINTS:
        return f"{len(series.points)} point; efficiency needs {LEAST_POINTS} or more"
    if series.crowded:
        return "more ranks than CPUs: times are not judged"
    name = series.parameters[0]
    for point in series.points:
        if point.at[0] <= 0 or any(not 0 < value < math.inf for value in point.values):
            return f"a value or a scale of 0 at {name} = {point.at[0]:g}"
    return ""


def _measure(first: Point, point: Point, scaling: Scaling, *, is_rate: bool, alpha: float) -> EfficiencyPoint:
    base, value = _mean(first), _mean(point)
    times = point.at[0] / first.at[0]
    faster = value / base if is_rate else base / value
    if is_rate or scaling == "strong":
        speedup, efficiency = faster, faster / times
    else:
        speedup, efficiency = faster * times, faster
    interval = None if point is first else _interval(first, point, efficiency, alpha)
    cost = None if is_rate else point.at[0] * value
    return EfficiencyPoint(point.at[0], point.launches, value, speedup, efficiency, interval, cost)


def _interval(first: Point, point: Point, efficiency: float, alpha: float) -> Interval | None:
    error = log_error(first, point)
    if error is None:
        return None
    se, freedom = error
    reach = t_quantile(freedom, alpha) * se if se else 0.0
    return Interval(efficiency * math.exp(-reach), efficiency * math.exp(reach))


def log_error(first: Point, point: Point) -> tuple[float, float] | None:
    """Return the standard error of a ratio's logarithm and its degrees of freedom; ``None`` if unknown."""
    relative = [_relative_error(first), _relative_error(point)]
    if any(variance is None for variance, _ in relative):
        return None
    variances = [(variance or 0.0, freedom) for variance, freedom in relative]
    total = sum(variance for variance, _ in variances)
    if total == 0:
        return 0.0, 1.0
    freedom = total**2 / sum(variance**2 / nu for variance, nu in variances if variance)
    return math.sqrt(total), freedom


def _relative_error(point: Point) -> tuple[float | None, float]:
    """Return the squared relative standard error of a mean, and its degrees of freedom."""
    if point.u is not None:
        return (point.u / point.values[0]) ** 2, max(point.n - 1, 1)
    count = len(point.values)
    if count < 2:
        return None, 0
    return float(np.var(point.values, ddof=1)) / count / _mean(point) ** 2, count - 1


def _mean(point: Point) -> float:
    return float(np.mean(point.values))


def _count_while(passes: Sequence[bool]) -> int:
    """How many of the first points pass in a row."""
    return next((number for number, passed in enumerate(passes) if not passed), len(passes))
