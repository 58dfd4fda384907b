"""Ranks that a formula states and the data do not.

They are growth that would not show, and changes that nobody looked for.

A posterior compares formulas, and is sure of the best of them. Three things it does not know.

*Hidden growth*: it prefers the plain formula where both fit, and 2e5 + n is then O(1) with a probability of
0.9. So the faster term is added to the formula, and what the data allow of it is carried to the scale that
matters, by weighted least squares and an upper bound of 95 %.

*Chance*: of values whose noise is seen only in what the formula misses, the best of some hundred terms is
better than the expected one by chance. So the expected growth must be rejected by a test, too.

*Misfit*: where no formula meets the points, the nearest is still the best, and two straight stretches of
log p become p^(1/2). So the expected growth is held against the last points alone, and with a second tier
against all of them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np
from msgspec.structs import replace

from steelyard.core.arrays import Floats
from steelyard.core.special import f_sf
from steelyard.extensions.growth.algebra import CONSTANT, Growth, Rank
from steelyard.extensions.growth.scaling.candidates import LEAST_FOR_SUMS
from steelyard.extensions.growth.scaling.model import (
    ModelWarning,
    RankAnswer,
    RankProbability,
    ScalingModel,
    Term,
)
from steelyard.extensions.growth.scaling.points import Points
from steelyard.extensions.growth.scaling.tiers import describe_tier
from steelyard.extensions.growth.scaling.validation import RANKS, Asked

COUNTS: Final = 0.1
"""Share of the value at a scale from which on growth counts there."""
LOGARITHM_COUNTS: Final = 0.15
"""… that a logarithm may have, from which on an O(1) that is expected is not stated."""
BEYOND: Final = 4.0
"""Times the largest measured scale that a rank is stated for, where no scale is asked for."""
END: Final = 1.645
"""Standard uncertainties from the middle to an upper bound of 95 %."""
MISFIT: Final = 0.01
"""p of lack of fit below which a formula misses the points."""
FITS: Final = 0.05
"""p of lack of fit from which on the expected growth meets the last points."""
EXACT: Final = 1e-9
"""Share of the squares missed that is rounding."""
FEW: Final = 5
CREDIBLE: Final = (0.6, 0.05)
"""p of lack of fit from which on repetitions tell the noise of a point: of ``FEW`` points or fewer, and of
more.
"""
BY_CHANCE: Final = 0.0025
"""p value above which the expected growth is not rejected beside the terms that are best of many."""
LAST: Final = 3
"""Points of the end that the expected growth must meet, at least."""
BEFORE: Final = 3
"""Points before them, at least."""
GROSS: Final = 0.1
"""Relative miss of a point from which on a formula describes nothing."""
STEEPER: Final = 1.2
"""Times the growth that is allowed from one point to the next, above which values outpace it."""
OUTPACING: Final = 4
"""Steps that show it, at least."""
LOGARITHM: Final = Growth.make(0, 1)
KEPT: Final = 0.75
"""Of the probability of a rank that is doubted; so little that none reaches ``SURE``."""


def doubt(model: ScalingModel, question: Asked, points: Points, *, rising: bool) -> ScalingModel:
    """Return the model, its rank undecided where the data allow another.

    ``rising``: a fall is seen to rise again, if there is one.
    """
    validation = model.validation
    if validation is None:
        return model
    if validation.rank == "undecided":
        return _make_outpacing(model, question, points) if rising else model
    if not rising and model.lead[question.at] > CONSTANT:
        return _make_unseen(model, question)
    for doubt_of in (_make_hiding, _make_misfitting, _make_tiered, _make_chance):
        model = doubt_of(model, question, points)
    return model


def _make_outpacing(model: ScalingModel, question: Asked, points: Points) -> ScalingModel:
    """Judge values that no formula meets, and that grow faster than allowed at every step of the end."""
    validation, steps = model.validation, max(OUTPACING, len(points.scales) // 2)
    if validation is None or not _outpaces(question, points, steps):
        return model
    p = validation.probability
    none = 1 - (1 - KEPT) * (1 - p.none)
    shares = RankProbability(p.match * (1 - KEPT), p.approximate * (1 - KEPT), none)
    return replace(model, validation=replace(validation, rank="none", probability=shares))


def _make_unseen(model: ScalingModel, question: Asked) -> ScalingModel:
    """Below a fall that was not seen to rise, growth is a guess."""
    rank = question.rank(CONSTANT)
    if rank == question.rank(model.lead[question.at]):
        return model
    return _make_undecided(model, rank)


def _make_hiding(model: ScalingModel, question: Asked, points: Points) -> ScalingModel:
    """Add a word on growth that could hide.

    Such is the expected one below a formula that grows more slowly, and a linear one below O(1). An O(1) that
    is expected keeps its rank, unless a scale is asked for or a logarithm may hide. Of fewer points than sums
    are searched over, no rank stands below which the next power could hide.
    """
    lead, scale = model.lead[question.at], _scale(model, points)
    over_last = question.growth.is_constant and lead.is_constant
    few = len(points.scales) < LEAST_FOR_SUMS
    growth = Growth.make(1) if lead.is_constant and question.growth.is_constant else question.growth
    if few and lead >= growth and not lead.exp2:
        growth = Growth.make(1) if lead.power < 1 else Growth.make(lead.power + 1)
    rank = question.rank(growth)
    if lead >= growth or rank == question.rank(lead):
        return model
    share = hidden_share(model.terms, growth, points, scale, over_last=over_last)
    if share < COUNTS:
        return model
    words = (
        f"{growth.big_o(question.parameter)} may hide below {model.growth()}: up to {100 * share:.0f} % of"
        f" the value at {question.parameter} = {scale:g} would not show"
    )
    noted = replace(model, warnings=(*model.warnings, ModelWarning("hidden", words)))
    scaled = model.validation is not None and model.validation.scale is not None
    if not question.growth.is_constant or scaled or few:
        return _make_undecided(noted, rank)
    by_logarithm = hidden_share(model.terms, LOGARITHM, points, scale, over_last=True)
    return noted if by_logarithm < LOGARITHM_COUNTS else _make_undecided(noted, rank)


def _make_misfitting(model: ScalingModel, question: Asked, points: Points) -> ScalingModel:
    """Judge a formula that misses the points and is no match.

    It is undecided where it describes nothing, or where the last points grow as expected.
    """
    validation = model.validation
    missed = model.lack_of_fit is not None and model.lack_of_fit < MISFIT
    if validation is None or validation.rank != "none" or not missed or model.segments:
        return model
    if _is_expected_at_the_end(question.growth, points):
        growth = question.growth.big_o(question.parameter)
        words = f"the last points grow as {growth}: behaviour may have changed before them"
    elif _largest_miss(model, points) > GROSS and not _outpaces(question, points, LAST):
        words = "the formula is far from some points: no rank is stated by it"
    else:
        return model
    return _make_undecided(replace(model, warnings=(*model.warnings, ModelWarning("misfit", words))), "match")


def _make_tiered(model: ScalingModel, question: Asked, points: Points) -> ScalingModel:
    """Judge faster growth than expected where a second tier of what is expected meets the points better."""
    validation = model.validation
    if validation is None or validation.rank != "none" or model.segments:
        return model
    if model.lead[question.at] <= question.growth:
        return model
    word = describe_tier(model, question.growth, question.parameter, points)
    if word is None:
        return model
    return _make_undecided(replace(model, warnings=(*model.warnings, word)), "match")


def _make_chance(model: ScalingModel, question: Asked, points: Points) -> ScalingModel:
    """Judge faster growth than expected where noise is seen only in what the formula misses."""
    validation, lead = model.validation, model.lead[question.at]
    credible = CREDIBLE[len(points.scales) > FEW]
    measured = model.lack_of_fit is not None and model.lack_of_fit >= credible
    if validation is None or validation.rank != "none" or measured or model.segments:
        return model
    if lead <= question.growth or chance(model.terms, question.growth, points) <= BY_CHANCE:
        return model
    growth = question.growth.big_o(question.parameter)
    words = f"{growth} is not rejected: its points may rise faster by chance (measure each several times)"
    return _make_undecided(replace(model, warnings=(*model.warnings, ModelWarning("noise", words))), "match")


def chance(terms: Sequence[Term], growth: Growth, points: Points) -> float:
    """Return the p value of c + a E against the same with ``terms``, by what is missed (F test, one-sided).

    1 where no point is left to tell it by.
    """
    basis = list(dict.fromkeys([CONSTANT, growth, *(term.growth[0] for term in terms)]))
    plain = len(dict.fromkeys([CONSTANT, growth]))
    freedom = len(points.scales) - len(basis)
    if freedom < 1:
        return 1.0
    missed, missed_plain = (_compute_missed(basis[:count], points) for count in (len(basis), plain))
    added = len(basis) - plain
    if missed <= EXACT * missed_plain:
        return 0.0
    return f_sf(added, freedom, (missed_plain - missed) / added / (missed / freedom)) / 2


def _compute_missed(basis: Sequence[Growth], points: Points) -> float:
    """Return the weighted sum of squares that least squares over ``basis`` leaves."""
    columns = np.array([[_at(column, x) for column in basis] for x in points.scales])
    weight = 1 / np.sqrt(np.maximum(np.asarray(points.variance), 1e-300))
    scaled = columns / np.abs(columns).max(axis=0) * weight[:, None]
    values = np.asarray(points.values) * weight
    coefficient, *_ = np.linalg.lstsq(scaled, values, rcond=1e-12)
    return float(((values - scaled @ coefficient) ** 2).sum())


def _make_undecided(model: ScalingModel, rank: Rank) -> ScalingModel:
    """Return the model, its ranks in part in favour of this ``rank``."""
    validation = model.validation
    if validation is None:
        return model
    shares = {
        name: KEPT * getattr(validation.probability, name) + (1 - KEPT) * (name == rank) for name in RANKS
    }
    rank_there: RankAnswer | None = None if validation.rank_at_scale is None else "undecided"
    return replace(
        model,
        validation=replace(
            validation, rank="undecided", probability=RankProbability(**shares), rank_at_scale=rank_there
        ),
    )


def _scale(model: ScalingModel, points: Points) -> float:
    scale = None if model.validation is None else model.validation.scale
    return scale or BEYOND * points.scales[-1]


def hidden_share(
    terms: Sequence[Term], growth: Growth, points: Points, scale: float, *, over_last: bool = False
) -> float:
    """Return the largest share of the value at ``scale`` that a part of this ``growth`` may have there.

    The part is beside a constant and ``terms``; 1 where the data leave nothing to tell it by. ``over_last``:
    of what falls, only what is above its value at the last point counts, since the fall goes on.
    """
    basis = [CONSTANT, *(term.growth[0] for term in terms), growth]
    if len(points.scales) <= len(basis):
        return 1.0
    columns = np.array([[_at(column, x) for column in basis] for x in points.scales])
    size = np.abs(columns).max(axis=0)
    weight = 1 / np.sqrt(np.maximum(np.asarray(points.variance), 1e-300))
    scaled = columns / size * weight[:, None]
    coefficient, _, rank, _ = np.linalg.lstsq(scaled, np.asarray(points.values) * weight, rcond=1e-12)
    if rank < len(basis):
        return 1.0
    u = float(np.linalg.norm(np.linalg.pinv(scaled, rcond=1e-12)[-1]))  # as (X'X)^-1, without its square
    most = (max(float(coefficient[-1]), 0.0) + END * u) / float(size[-1])
    part = most * (_at(growth, scale) - _at(growth, points.scales[0]))
    basis_there = np.array([_at(column, scale) for column in basis[:-1]])
    plain = max(float(coefficient[:-1] / size[:-1] @ basis_there), 0.0)
    fallen = 0.0
    if over_last:
        at_last = float(coefficient[:-1] / size[:-1] @ columns[-1, :-1])
        fallen = max(at_last - plain, 0.0)
    return max(part - fallen, 0.0) / (plain + part) if part > 0 else 0.0


def _is_expected_at_the_end(expectation: Growth, points: Points) -> bool:
    """Whether c + a E meets the last points, as many as may be, of which there are enough."""
    m = len(points.scales)
    return any(_meets(expectation, points, m - count) for count in range(LAST, m - BEFORE + 1))


def _outpaces(question: Asked, points: Points, steps: int) -> bool:
    """Whether values grow faster than E and D allow at each of the last steps, by whatever formula.

    c + a E with c from 0 up grows at most as E does, step by step.
    """
    bound = question.growth * max(question.deviation, CONSTANT)
    scales, values = points.scales[-steps - 1 :], points.values[-steps - 1 :]
    u2 = points.u2[-steps - 1 :]
    if len(scales) <= steps or scales[0] <= 1 or min(points.values) <= 0:
        return False
    surely = [value - 2 * math.sqrt(u) for value, u in zip(values, u2, strict=True)]
    return all(
        surely[k + 1] / values[k] > STEEPER * bound.at(scales[k + 1]) / bound.at(scales[k])
        for k in range(steps)
    )


def _meets(growth: Growth, points: Points, start: int) -> bool:
    columns = np.array([[1.0, _at(growth, x)] for x in points.scales[start:]])
    weight = 1 / np.sqrt(np.maximum(np.asarray(points.u2[start:]), 1e-300))
    values = np.asarray(points.values[start:])
    coefficient, *_ = np.linalg.lstsq(columns * weight[:, None], values * weight, rcond=1e-12)
    misses: Floats = (values - columns @ coefficient) * weight
    freedom = len(values) - columns.shape[1]
    f = float(misses @ misses) / freedom
    tail = f_sf(freedom, max(points.freedom, 1.0), f)
    return bool(coefficient[1] >= 0 and tail > FITS)


def _largest_miss(model: ScalingModel, points: Points) -> float:
    pairs = zip(points.scales, points.values, strict=True)
    return max(abs(model.at(x) - value) / abs(value) for x, value in pairs if value)


def _at(growth: Growth, x: float) -> float:
    return growth.at(x) if x > 1 or not growth.log else 0.0
