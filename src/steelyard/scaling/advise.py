"""``advise``: which points to measure next for one series whose rank is undecided."""

from __future__ import annotations

import numpy as np

from steelyard.scaling.aggregate import aggregate
from steelyard.scaling.checks import read
from steelyard.scaling.fit import fit
from steelyard.scaling.model import NotModelled
from steelyard.scaling.modelling import asked_of, grid_of
from steelyard.scaling.posterior import draw
from steelyard.scaling.question import Question
from steelyard.scaling.suggest import Suggestion, suggest
from steelyard.series import Series

LEAST_NOISE = 0.01
"""A new point is assumed to be at least this uncertain."""


def advise(series: Series, question: Question) -> tuple[Suggestion, ...]:
    """Points for one series, those that settle its rank first, cheapest first; none without an
    expectation.
    """
    reading = read(series)
    if isinstance(reading, NotModelled):
        return ()
    asked = asked_of(series, question)
    if asked is None:
        return ()
    data = aggregate(reading.values[None], question.aggregate, question.floor)
    grid = grid_of(series, reading, question)
    source = fit(grid, data, question, np.empty((0, len(series.parameters)))).source(0)
    choices, own, row = source.speaks()
    noise = float(np.median(np.sqrt(own.u2[row]) / np.maximum(np.abs(own.value[row]), 1e-300)))
    draws = draw(choices.posterior)
    return suggest(draws, row, asked, max(noise, LEAST_NOISE), float(own.value[row].max()))
