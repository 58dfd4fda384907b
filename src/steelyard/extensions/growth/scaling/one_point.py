"""A growth that shows at the last point alone: three explanations, of which the data prefer none.

The formula may be true, since every fast enough term hides before the last point and meets it there, whatever
it is. That point may be off, and growth is what the others show. Or behaviour changes there, and nothing is
known of what comes. A posterior over formulas holds the first for certain; here each has a third.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np
from msgspec.structs import replace

from steelyard.core.arrays import Floats
from steelyard.extensions.growth.algebra import Growth
from steelyard.extensions.growth.scaling.candidates import Booleans
from steelyard.extensions.growth.scaling.checks import LEAST_POINTS
from steelyard.extensions.growth.scaling.model import (
    ModelWarning,
    Prediction,
    RankProbability,
    ScalingModel,
    Term,
    Validation,
)
from steelyard.extensions.growth.scaling.question import SURE

SEEN: Final = 2.0
"""Standard uncertainties of a point, or misses of the formula, from which on the leading term shows there."""
FAR_OFF: Final = 0.2
"""Share of the last value by which a formula of the others misses it, from which on it may be the point."""
PLAINLY: Final = 1.001
"""How many times what would not show."""
LEAST_SEEN: Final = 1e-3
"""Share of a value that is nothing, where values have no uncertainty."""


def rests_on_last(
    lead: Sequence[Term],
    scales: Sequence[float],
    values: Sequence[float],
    variance: Sequence[float],
    fitted: Sequence[float],
) -> bool:
    """Whether the leading term shows at the last point alone.

    Parameters
    ----------
    lead : sequence of Term
        With the terms that count against it: what they cancel does not show.
    scales, values, variance, fitted : sequence of float
        Of one parameter, ascending; the values, the squares of their standard uncertainties, and the formula.
    """

    def shows(place: int) -> bool:
        value = values[place]
        miss = abs(value - fitted[place])
        unseen = max(SEEN * math.sqrt(variance[place]), LEAST_SEEN * abs(value), SEEN * miss)
        return sum(term.at((scales[place],)) for term in lead) > unseen

    # Most that grows shows at the last point but one, where this ends.
    last = len(scales) - 1
    return last >= LEAST_POINTS and not any(map(shows, range(last - 1, -1, -1))) and shows(last)


def shows_before_last(part: Floats, values: Floats, variance: Floats, fitted: Floats) -> Booleans:
    """Whether a single term plainly shows at the last point but one, (n,).

    Nobody need then look closer.

    Parameters
    ----------
    part, values, variance, fitted : array (n,)
        Of that point: what the term is there, then as in ``rests_on_last``.
    """
    unseen = np.maximum(SEEN * np.sqrt(variance), LEAST_SEEN * np.abs(values))
    return np.asarray(part > PLAINLY * np.maximum(unseen, SEEN * np.abs(values - fitted)))


def allow_three(model: ScalingModel, without: ScalingModel, last: float, value: float) -> ScalingModel:
    """Return the model with a third of its certainty where it rests on its last point.

    That is where without its last point growth is of another class or another by a whole power, or where a
    formula that misses points becomes one that meets all others and is far from that ``value``; the formula
    stays the one of all points.
    """
    growth, second = model.lead[0], without.lead[0]
    if misfits(model):
        is_same = misfits(without) or growth == second or abs(value - without.at(last)) < FAR_OFF * value
    else:
        is_same = growth.kind is second.kind and abs(growth.power - second.power) < 1
    if is_same:
        return model
    shares: dict[tuple[Growth, ...], float] = {}
    for scaling_model in (model, without):
        for lead, share in ((scaling_model.lead, scaling_model.posterior), *scaling_model.alternatives):
            shares[lead] = shares.get(lead, 0.0) + share / 3
    posterior = shares.pop(model.lead)
    text = f"{model.parameters[0]} = {last:g}"
    words = f"{model.growth()} rests on {text} alone: without it, {without.growth()}"
    return replace(
        model,
        posterior=posterior,
        alternatives=tuple(sorted(shares.items(), key=lambda item: -item[1])),
        priors={**without.priors, **model.priors},
        validation=_rank(model.validation, without.validation),
        predictions=tuple(map(_join_either, model.predictions, without.predictions)),
        warnings=(*model.warnings, ModelWarning("one_point", words)),
    )


def misfits(model: ScalingModel) -> bool:
    """Whether the formula misses points by more than their noise."""
    return any(warning.kind == "lack_of_fit" for warning in model.warnings)


def _rank(validation: Validation | None, second: Validation | None) -> Validation | None:
    if validation is None or second is None:
        return validation
    p, q = validation.probability, second.probability
    # Of what comes after a change, each rank is as likely as another.
    mixed = RankProbability(
        *(
            a / 3 + b / 3 + 1 / 9
            for a, b in ((p.match, q.match), (p.approximate, q.approximate), (p.none, q.none))
        )
    )
    rank = mixed.answer(SURE, matches=validation.matches)
    rank_there = (
        None
        if validation.rank_at_scale is None
        else "undecided"
        if rank == "undecided"
        else validation.rank_at_scale
    )
    return replace(validation, rank=rank, probability=mixed, rank_at_scale=rank_there)


def _join_either(prediction: Prediction, second: Prediction) -> Prediction:
    """Return an interval as wide as both."""
    if prediction.low is None or prediction.high is None or second.low is None or second.high is None:
        return prediction
    return replace(prediction, low=min(prediction.low, second.low), high=max(prediction.high, second.high))
