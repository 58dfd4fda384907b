"""Which points to measure next, cheapest first, to settle a rank that is undecided.

Every formula drawn from the posterior is taken for the truth in turn; a measurement at a new point
reweights all others by how well they predict it, and the expected probability of the best rank follows. No
measurement is made, and
nothing is fitted again.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Final

import msgspec
import numpy as np

from steelyard.core.arrays import Floats
from steelyard.core.series import Series
from steelyard.extensions.growth.scaling.aggregate import aggregate
from steelyard.extensions.growth.scaling.checks import read
from steelyard.extensions.growth.scaling.fit import fit
from steelyard.extensions.growth.scaling.model import NotModelled
from steelyard.extensions.growth.scaling.modelling import grid_of, read_question
from steelyard.extensions.growth.scaling.posterior import Draws, draw
from steelyard.extensions.growth.scaling.question import SURE, Question
from steelyard.extensions.growth.scaling.rates import is_modelled_as_time, question_of_times, reciprocal
from steelyard.extensions.growth.scaling.validation import RANKS, Asked

TRUTHS: Final = 128
"""Formulas that are taken for the truth."""
FACTORS: Final = (0.5, 0.7, 1.4, 2.0, 2.8, 4.0, 8.0, 16.0)
"""Where points are looked for beyond those measured, relative to the largest (smaller ones: to the
smallest). Between any two neighbours, the point in the middle of their logarithms is looked at as well: what
differs from a power of two tells forms apart that agree there.
"""

LEAST_NOISE: Final = 0.01
"""A new point is assumed to be at least this uncertain."""


class Suggestion(msgspec.Struct, frozen=True):
    """A point worth measuring.

    Attributes
    ----------
    at : tuple of float
    certainty : float
        Expected probability of what a rank is stated by after it: none, or match and approximate together.
    cost : float
        Predicted value times the parameter, relative to the largest measured point: processor time, where
        the metric is a time and the parameter counts processes.
    settles : bool
        Whether the rank is then expected to be stated.
    """

    at: tuple[float, ...]
    certainty: float
    cost: float
    settles: bool


def suggest(
    draws: Draws, row: int, question: Asked, noise: float, largest_value: float, *, most: float = math.inf
) -> tuple[Suggestion, ...]:
    """Points for function ``row``, cheapest of those that settle first, then the most informative.

    ``noise`` is the relative standard uncertainty that a new point would have; no point is beyond ``most``.
    """
    candidates = draws.posterior.candidates
    leads = candidates.leads
    group = candidates.group[draws.posterior.candidate[row, draws.component[row]]]
    table = np.array([RANKS.index(question.rank(leads[int(g)][question.at])) for g in group])
    points = candidates.points
    top, bottom = points.max(axis=0), points.min(axis=0)
    suggestions = []
    measured = sorted(set(points[:, question.at].tolist()))
    outside = [(bottom if factor < 1 else top)[question.at] * factor for factor in FACTORS]
    between = [math.sqrt(item * larger) for item, larger in pairwise(measured) if item > 0]
    for scale in dict.fromkeys(map(round, (*map(float, outside), *between))):
        target = top.copy()
        target[question.at] = scale
        if scale < 2 or scale > most or scale in measured:
            continue
        certainty = _certainty(draws.at_row(row, target), table, noise)
        value = float(np.median(draws.at_row(row, target)))
        cost = value * target[question.at] / (largest_value * top[question.at])
        suggestions.append(Suggestion(tuple(map(float, target)), certainty, float(cost), certainty >= SURE))
    return tuple(sorted(suggestions, key=lambda s: (not s.settles, s.cost if s.settles else -s.certainty)))


def _certainty(values: Floats, ranks: np.ndarray, noise: float) -> float:
    step = max(len(values) // TRUTHS, 1)
    truths = values[::step]
    sd = np.maximum(noise * np.abs(truths), 1e-12 * np.abs(values).max() + 1e-300)
    log = -0.5 * ((values[None, :] - truths[:, None]) / sd[:, None]) ** 2
    weight = np.exp(log - log.max(axis=1, keepdims=True))
    weight /= weight.sum(axis=1, keepdims=True)
    none = (weight * (ranks == RANKS.index("none"))).sum(axis=1)
    return float(np.maximum(none, 1 - none).mean())


def advise(series: Series, question: Question, *, most: float = math.inf) -> tuple[Suggestion, ...]:
    """Points for one series up to ``most``, those that settle its rank first, cheapest first.

    There are none without an expectation.
    """
    if is_modelled_as_time(series):
        times = reciprocal(series)
        if isinstance(times, NotModelled):
            return ()
        series, question = times, question_of_times(question, (series,))
    reading = read(series)
    if isinstance(reading, NotModelled):
        return ()
    question_of = read_question(series, question)
    if question_of is None:
        return ()
    data = aggregate(reading.values[None], question.aggregate, question.floor)
    grid = grid_of(series, reading, question)
    source = fit(grid, data, question, np.empty((0, len(series.parameters)))).source(0)
    choices, aggregated, row = source.speaks()
    some = aggregated.value[row] != 0
    noise = float(np.median(np.sqrt(aggregated.u2[row][some]) / np.abs(aggregated.value[row][some])))
    draws = draw(choices.posterior)
    return suggest(
        draws, row, question_of, max(noise, LEAST_NOISE), float(aggregated.value[row].max()), most=most
    )
