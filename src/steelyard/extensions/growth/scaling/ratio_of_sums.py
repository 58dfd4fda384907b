"""The ratio of two sums of functions at one point, from series whose launches nothing pairs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Final, Literal

import msgspec

from steelyard.core.series import Point, Series
from steelyard.stats.distributions.fieller import Fieller
from steelyard.stats.distributions.student import LogT

AS_NORMAL: Final = 1e6
"""Degrees of freedom of an uncertainty that is known."""
CORRELATED: Final = 1 + 2 * ((2 / 3) ** 2 + (1 / 6) ** 2)
"""Pseudo-residuals overlap: so many are worth one (autocorrelation -2/3 and 1/6 at equal steps)."""

Kind = Literal["exact", "launches", "roughness", "unknown"]
"""Source of an uncertainty: values repeat to the bit; launches of a point, or a stated uncertainty; how
roughly single values go on from point to point; none."""


class Uncertain(msgspec.Struct, frozen=True):
    """A mean, its relative standard uncertainty with degrees of freedom, and the launches behind it."""

    mean: float
    relative: float
    nu: float
    n: int
    kind: Kind


class RatioOfSums(msgspec.Struct, frozen=True):
    """Left over right: value, source of its uncertainty, and distribution.

    Attributes
    ----------
    distribution : Fieller or LogT or None
        ``None`` where values repeat to the bit, and where their uncertainty is unknown.
    n : int
        The fewest launches behind one of the means.
    """

    value: float
    kind: Kind
    distribution: Fieller | LogT | None
    n: int


def uncertain_points(series: Series) -> Mapping[tuple[float, ...], Uncertain]:
    """Return the mean at each point that has a value, with its uncertainty.

    The uncertainty is as stated; else it is from the launches of the point; where it has one, from those of
    the others; where all have one, from how roughly they go on.
    """
    measured = [point for point in series.points if point.values]
    if _repeats(series):
        return {p.at: Uncertain(_mean(p), 0.0, AS_NORMAL, p.launches, "exact") for p in measured}
    pooled, pooled_nu = _pool(measured)
    rough, rough_nu = _compute_roughness(measured)
    points: dict[tuple[float, ...], Uncertain] = {}
    for point in measured:
        mean, n = _mean(point), point.launches
        if point.u is not None and mean > 0:
            nu = n - 1.0 if n > 1 else AS_NORMAL
            points[point.at] = Uncertain(mean, point.u / mean, nu, n, "launches")
        elif len(point.values) > 1 and mean > 0 and (spread := _variance(point)) > 0:
            points[point.at] = Uncertain(mean, math.sqrt(spread / n) / mean, n - 1.0, n, "launches")
        elif pooled > 0:
            points[point.at] = Uncertain(mean, pooled / math.sqrt(n), pooled_nu, n, "launches")
        elif rough_nu > 0:
            points[point.at] = Uncertain(mean, rough / math.sqrt(n), rough_nu, n, "roughness")
        else:
            points[point.at] = Uncertain(mean, 0.0, AS_NORMAL, n, "unknown")
    return points


def ratio_of_sums(uncertains: Sequence[Uncertain], right: Sequence[Uncertain]) -> RatioOfSums:
    """Return the sum of the left over the sum of the right, both positive.

    By Fieller's distribution of a ratio of means with the degrees of freedom of Welch and Satterthwaite; of
    single values, by t on the logarithm.
    """
    top, bottom = sum(point.mean for point in uncertains), sum(point.mean for point in right)
    kinds = {point.kind for point in (*uncertains, *right)}
    n = min(point.n for point in (*uncertains, *right))
    parts = [(point.mean / top * point.relative, point.nu) for point in uncertains]
    r_top = math.hypot(*(part for part, _ in parts))
    contributions = [(point.mean / bottom * point.relative, point.nu) for point in right]
    r_bottom = math.hypot(*(part for part, _ in contributions))
    if "unknown" in kinds:
        return RatioOfSums(top / bottom, "unknown", None, n)
    variance = r_top**2 + r_bottom**2
    if variance == 0:
        return RatioOfSums(top / bottom, "exact", None, n)
    nu = variance**2 / sum(part**4 / nu for part, nu in (*parts, *contributions))
    if "roughness" in kinds:
        rough = LogT(math.log(top / bottom), math.sqrt(variance), nu)
        return RatioOfSums(top / bottom, "roughness", rough, n)
    return RatioOfSums(top / bottom, "launches", Fieller(top / bottom, r_top, r_bottom, 0.0, nu), n)


def _mean(point: Point) -> float:
    return math.fsum(point.values) / len(point.values)


def _variance(point: Point) -> float:
    mean = _mean(point)
    return math.fsum((value - mean) ** 2 for value in point.values) / (len(point.values) - 1)


def _repeats(series: Series) -> bool:
    """Whether values repeat to the bit.

    Each point has one value, and a point was observed twice, or values are counts or simulated.
    """
    if any(len(set(point.values)) > 1 or point.u for point in series.points):
        return False
    return series.counts or any(len(point.values) > 1 for point in series.points)


def _pool(points: Sequence[Point]) -> tuple[float, int]:
    """Relative standard deviation of one launch over all points with several, and its degrees of freedom."""
    several = [point for point in points if len(point.values) > 1 and _mean(point) > 0]
    nu = sum(len(point.values) - 1 for point in several)
    if nu == 0:
        return 0.0, 0
    squares = sum((len(point.values) - 1) * _variance(point) / _mean(point) ** 2 for point in several)
    return math.sqrt(squares / nu), nu


def _compute_roughness(points: Sequence[Point]) -> tuple[float, float]:
    """Return the relative standard deviation of single values from pseudo-residuals.

    Each is taken against the line through its neighbours, on logarithms of both (Gasser, Sroka,
    Jennen-Steinmetz 1986, DOI 10.1093/biomet/73.3.625). Curvature counts as noise. No degrees of freedom
    where there are fewer than three points.
    """
    if any(len(point.at) != 1 or point.at[0] <= 0 or _mean(point) <= 0 for point in points):
        return 0.0, 0.0
    x = [math.log(point.at[0]) for point in points]
    y = [math.log(_mean(point)) for point in points]
    squares = []
    for i in range(1, len(points) - 1):
        weight = (x[i + 1] - x[i]) / (x[i + 1] - x[i - 1])
        residual = weight * y[i - 1] + (1 - weight) * y[i + 1] - y[i]
        squares.append(residual**2 / (1 + weight**2 + (1 - weight) ** 2))
    if not squares:
        return 0.0, 0.0
    return math.sqrt(math.fsum(squares) / len(squares)), len(squares) / CORRELATED
