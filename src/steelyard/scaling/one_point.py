"""A growth that shows at the last point alone: three explanations, of which the data prefer none.

The formula may be true, since every fast enough term hides before the last point and meets it there, whatever
it is. That point may be off, and growth is what the others show. Or behaviour changes there, and nothing is
known of what comes. A posterior over formulas holds the first for certain; here each has a third.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from msgspec.structs import replace

from steelyard.arrays import Floats
from steelyard.growth import Growth
from steelyard.scaling.checks import LEAST_POINTS
from steelyard.scaling.model import ModelWarning, Prediction, RankProbability, ScalingModel, Term, Validation
from steelyard.scaling.question import SURE

SEEN: Final = 2.0
"""Standard uncertainties of a point, or misses of the formula, from which on the leading term shows there."""
LEAST_SEEN: Final = 1e-3
"""Share of a value that is nothing, where values have no uncertainty."""


def rests_on_last(lead: Term, scales: Floats, values: Floats, variance: Floats, fitted: Floats) -> bool:
    """Whether the leading term shows at the last point alone.

    Parameters
    ----------
    scales, values, variance, fitted : array (m,)
        Of one parameter, ascending; the values, the squares of their standard uncertainties, and the formula.
    """
    misses = np.abs(values - fitted)

    def shows(place: int) -> bool:
        unseen = max(
            SEEN * math.sqrt(variance[place]), LEAST_SEEN * abs(float(values[place])), SEEN * misses[place]
        )
        return bool(lead.at((float(scales[place]),)) > unseen)

    # From the end: most that grows shows at the last point but one, where this ends.
    last = len(scales) - 1
    return last >= LEAST_POINTS and shows(last) and not any(map(shows, range(last - 1, -1, -1)))


def in_three(model: ScalingModel, without: ScalingModel, last: float) -> ScalingModel:
    """The model with a third of its certainty, where without its last point growth is of another class or
    another by a whole power; the formula stays the one that meets all points.
    """
    one, other = model.lead[0], without.lead[0]
    if one.kind is other.kind and abs(one.power - other.power) < 1:
        return model
    shares: dict[tuple[Growth, ...], float] = {}
    for each in (model, without):
        for lead, share in ((each.lead, each.posterior), *each.alternatives):
            shares[lead] = shares.get(lead, 0.0) + share / 3
    posterior = shares.pop(model.lead)
    where = f"{model.parameters[0]} = {last:g}"
    words = f"{model.growth()} rests on {where} alone: without it, {without.growth()}"
    return replace(
        model,
        posterior=posterior,
        alternatives=tuple(sorted(shares.items(), key=lambda each: -each[1])),
        validation=_ranked(model.validation, without.validation),
        predictions=tuple(map(_either, model.predictions, without.predictions)),
        warnings=(*model.warnings, ModelWarning("one_point", words)),
    )


def _ranked(one: Validation | None, other: Validation | None) -> Validation | None:
    if one is None or other is None:
        return one
    p, q = one.probability, other.probability
    # Of what comes after a change, each rank is as likely as another.
    mixed = RankProbability(
        *(
            a / 3 + b / 3 + 1 / 9
            for a, b in ((p.match, q.match), (p.approximate, q.approximate), (p.none, q.none))
        )
    )
    there = (
        None
        if one.rank_at_scale is None
        else "undecided"
        if mixed.answer(SURE) == "undecided"
        else one.rank_at_scale
    )
    return replace(one, rank=mixed.answer(SURE), probability=mixed, rank_at_scale=there)


def _either(one: Prediction, other: Prediction) -> Prediction:
    """As wide as both."""
    if one.low is None or one.high is None or other.low is None or other.high is None:
        return one
    return replace(one, low=min(one.low, other.low), high=max(one.high, other.high))
