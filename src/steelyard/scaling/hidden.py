"""Growth that the data would not show: what could hide below a formula that grows more slowly.

A posterior prefers the plain formula where both fit, and 2e5 + n is then O(1) with a probability of 0.9. That is no
reason to say that it does not grow as n. So the faster term is added to the formula, and what the data allow of it is
carried to the scale that matters: weighted least squares, and an upper bound of 95 %.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec
import numpy as np
from msgspec.structs import replace

from steelyard.growth import CONSTANT, Growth
from steelyard.scaling.model import ModelWarning, RankProbability, ScalingModel
from steelyard.scaling.validation import RANKS, Asked

COUNTS: Final = 0.1
"""Share of the value at a scale from which on growth counts there."""
BEYOND: Final = 4.0
"""Times the largest measured scale that rank is stated for, where no scale is asked for."""
END: Final = 1.645
"""Standard uncertainties from the middle to the upper bound of 95 %."""


class Points(msgspec.Struct, frozen=True):
    """Points of one parameter in ascending order, their values, and the squares of their standard
    uncertainties.
    """

    scales: Sequence[float]
    values: Sequence[float]
    variance: Sequence[float]


def doubted(model: ScalingModel, asked: Asked, points: Points) -> ScalingModel:
    """The model, its rank half of what it was where growth of another rank could hide: the expected one below a
    formula that grows more slowly, and a linear one below a formula and an expectation of O(1).
    """
    its, lead = model.validation, model.lead[asked.at]
    if its is None or its.rank == "undecided":
        return model
    growth = Growth.of(1) if lead.is_constant and asked.growth.is_constant else asked.growth
    rank = asked.rank(growth)
    scale = its.scale or BEYOND * points.scales[-1]
    if lead >= growth or rank == asked.rank(lead) or hidden_share(model, growth, points, scale) < COUNTS:
        return model
    p = its.probability
    halves = {name: getattr(p, name) / 2 + (name == rank) / 2 for name in RANKS}
    share = 100 * hidden_share(model, growth, points, scale)
    words = f"{growth.big_o(asked.parameter)} may hide below {model.growth()}: "
    words += (
        f"up to {share:.0f} % of the value at {asked.parameter} = {scale:g} would not show"
        if share < 100
        else "too few points to tell"
    )
    return replace(
        model,
        validation=replace(
            its,
            rank="undecided",
            probability=RankProbability(**halves),
            rank_at_scale=its.rank_at_scale and "undecided",
        ),
        warnings=(*model.warnings, ModelWarning("hidden", words)),
    )


def hidden_share(model: ScalingModel, growth: Growth, points: Points, scale: float) -> float:
    """The largest share of the value at ``scale`` that a part of this ``growth`` may be there; infinite where the
    data leave nothing to tell it by.
    """
    basis = [CONSTANT, *(term.growth[0] for term in model.terms), growth]
    if len(points.scales) <= len(basis):
        return float("inf")
    columns = np.array([[_at(each, x) for each in basis] for x in points.scales])
    weight = 1 / np.sqrt(np.maximum(np.asarray(points.variance), 1e-300))
    size = np.abs(columns).max(axis=0)
    scaled = columns / size * weight[:, None]
    coefficient, _, rank, _ = np.linalg.lstsq(scaled, np.asarray(points.values) * weight, rcond=1e-12)
    if rank < len(basis):
        return float("inf")
    u = float(np.sqrt(np.linalg.inv(scaled.T @ scaled)[-1, -1]))
    most = max(float(coefficient[-1]), 0.0) + END * u
    part = most / float(size[-1]) * (_at(growth, scale) - _at(growth, points.scales[0]))
    plain = max(model.at(scale), 0.0)
    return part / (plain + part) if part > 0 else 0.0


def _at(growth: Growth, x: float) -> float:
    return growth.at(x) if x > 1 or not growth.log else 0.0
