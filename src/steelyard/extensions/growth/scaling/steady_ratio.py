"""Whether both sides of a rule stay in one ratio where they were measured, though both grow.

Two posteriors, each sure of its own formula, do not see that one side is a multiple of the other. So the
ratio of the sides is held against c + a log p by weighted least squares. Where both sides grow, and the upper
bound of 95 % of the logarithm is small beside the constant at four times the range, the left side grows no
faster. Sides that hardly grow say nothing: what grows may be hidden below their constants.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec
import numpy as np

from steelyard.core.arrays import Floats
from steelyard.core.series import Series
from steelyard.extensions.growth.algebra import GrowthRule
from steelyard.extensions.growth.scaling.doubts import BEYOND, COUNTS, END
from steelyard.extensions.growth.scaling.ratio_of_sums import Uncertain, uncertain_points

LEAST: Final = 5
"""Points that both sides have."""
GROWS: Final = 2.0
"""Times the first value that the last is, at least, on both sides."""
BENDS: Final = 2.0
"""Mean square of the misses, in standard uncertainties, from which on the ratio is no line in log p."""
FLOOR: Final = 1e-6
"""Relative standard uncertainty of a ratio, at least."""


class Sides(msgspec.Struct, frozen=True):
    """Sums of functions at the scales that all of them have, in ascending order.

    Attributes
    ----------
    above, below : array
        The left side of the rule, and the right one.
    u_above, u_below : array
        Relative standard uncertainties.
    freedom : int
        Degrees of freedom of both together.
    """

    scales: Floats
    above: Floats
    below: Floats
    u_above: Floats
    u_below: Floats
    freedom: int


def add_up_sides(rule: GrowthRule, functions: Mapping[str, Series]) -> Sides:
    """Add up both sides of a rule on functions of one parameter, where uncertainties of all are known."""
    points = {name: uncertain_points(functions[name]) for name in (*rule.left_side, *rule.right)}
    places = sorted(set.intersection(*(set(point) for point in points.values())))
    common = [at for at in places if at[0] > 0 and all(_is_measured(point[at]) for point in points.values())]
    sums = [
        _add_up([[points[name][at] for name in names] for at in common])
        for names in (rule.left_side, rule.right)
    ]
    (above, u_above), (below, u_below) = sums
    freedom = sum(points[name][at].n - 1 for name in points for at in common)
    return Sides(np.array([at[0] for at in common]), above, below, u_above, u_below, freedom)


def is_steady(rule: GrowthRule, functions: Mapping[str, Series]) -> bool:
    """Whether the left side over the right one would show a factor of log p; functions of one parameter."""
    sides = add_up_sides(rule, functions)
    if len(sides.scales) < LEAST:
        return False
    above, below, u_left, u_right = sides.above, sides.below, sides.u_above, sides.u_below
    if min(above[-1] / above[0], below[-1] / below[0]) < GROWS:
        return False
    logs = np.log2(sides.scales)
    variance = u_left**2 + u_right**2
    # A few launches that agree by chance know no point better than most are known.
    u = np.sqrt(np.maximum(np.maximum(variance, np.median(variance)), FLOOR**2))
    return _exclude_logarithm(logs, above / below, u)


def _is_measured(point: Uncertain) -> bool:
    return point.kind != "unknown" and point.mean > 0


def _add_up(side: list[list[Uncertain]]) -> tuple[Floats, Floats]:
    """Return sums at each point, and their relative standard uncertainties."""
    total = np.array([sum(point.mean for point in functions_there) for functions_there in side])
    squares = [
        sum((point.mean * point.relative) ** 2 for point in functions_there) for functions_there in side
    ]
    return total, np.sqrt(squares) / total


def _exclude_logarithm(logs: Floats, ratio: Floats, u: Floats) -> bool:
    basis = np.stack([np.ones(len(logs)), logs - logs[0]], axis=1)
    weight = 1 / (ratio * u)
    weighted = basis * weight[:, None]
    (start, slope), *_ = np.linalg.lstsq(weighted, ratio * weight, rcond=None)
    misfit = float((((ratio - basis @ (start, slope)) * weight) ** 2).sum()) / (len(logs) - 2)
    if misfit >= BENDS or start <= 0:
        return False
    u_slope = float(np.sqrt(np.linalg.inv(weighted.T @ weighted)[1, 1] * max(misfit, 1.0)))
    octaves = logs[-1] - logs[0] + np.log2(BEYOND)
    return bool((max(slope, 0.0) + END * u_slope) * octaves < COUNTS * start)
