"""Whether both sides of a rule stay in one ratio where they were measured together, though both grow.

Two posteriors, each sure of its own formula, do not see that one side is a multiple of the other. So the
ratio of the sides is held against c + a log p by weighted least squares. Where both sides grow, and the upper
bound of 95 % of the logarithm is small beside the constant at four times the range, the left side grows no
faster. Sides that hardly grow say nothing: what grows may be hidden below their constants.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from steelyard.arrays import Floats
from steelyard.growth import Rule
from steelyard.scaling.doubts import BEYOND, COUNTS, END
from steelyard.scaling.ratio_of_sums import Uncertain, uncertain_points
from steelyard.series import Series

LEAST: Final = 5
"""Points that both sides have."""
GROWS: Final = 2.0
"""Times the first value that the last is, at least, on both sides."""
BENDS: Final = 2.0
"""Mean square of the misses, in standard uncertainties, from which on the ratio is no line in log p."""
FLOOR: Final = 1e-6
"""Relative standard uncertainty of a ratio, at least."""


def is_steady(rule: Rule, functions: Mapping[str, Series]) -> bool:
    """Whether the left side over the right one would show a factor of log p; functions of one parameter."""
    points = {name: uncertain_points(functions[name]) for name in (*rule.left, *rule.right)}
    shared = sorted(set.intersection(*(set(each) for each in points.values())))
    known = [at for at in shared if at[0] > 0 and all(_is_known(each[at]) for each in points.values())]
    if len(known) < LEAST:
        return False
    sides = [[[points[name][at] for name in names] for at in known] for names in (rule.left, rule.right)]
    (left, u_left), (right, u_right) = map(_summed, sides)
    if min(left[-1] / left[0], right[-1] / right[0]) < GROWS:
        return False
    logs = np.log2([at[0] for at in known])
    variance = u_left**2 + u_right**2
    # A few launches that agree by chance know no point better than most are known.
    u = np.sqrt(np.maximum(np.maximum(variance, np.median(variance)), FLOOR**2))
    return _hides_no_logarithm(logs, left / right, u)


def _is_known(point: Uncertain) -> bool:
    return point.kind != "unknown" and point.mean > 0


def _summed(side: list[list[Uncertain]]) -> tuple[Floats, Floats]:
    """Sums at each point, and their relative standard uncertainties."""
    total = np.array([sum(each.mean for each in together) for together in side])
    squares = [sum((each.mean * each.relative) ** 2 for each in together) for together in side]
    return total, np.sqrt(squares) / total


def _hides_no_logarithm(logs: Floats, ratio: Floats, u: Floats) -> bool:
    basis = np.stack([np.ones(len(logs)), logs - logs[0]], axis=1)
    weight = 1 / (ratio * u)
    scaled = basis * weight[:, None]
    (start, slope), *_ = np.linalg.lstsq(scaled, ratio * weight, rcond=None)
    missed = float((((ratio - basis @ (start, slope)) * weight) ** 2).sum()) / (len(logs) - 2)
    if missed >= BENDS or start <= 0:
        return False
    u_slope = float(np.sqrt(np.linalg.inv(scaled.T @ scaled)[1, 1] * max(missed, 1.0)))
    far = logs[-1] - logs[0] + np.log2(BEYOND)
    return bool((max(slope, 0.0) + END * u_slope) * far < COUNTS * start)
