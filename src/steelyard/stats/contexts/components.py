"""Components of variance, by the method of moments: what contexts contribute and what a single visit does."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from steelyard.core.arrays import Floats
from steelyard.core.special import f_sf
from steelyard.results.contexts import Components
from steelyard.results.undefined import Undefined
from steelyard.stats.contexts.visits import Ints, Visits

_ROUNDING: Final = 1e-13
"""Spread of logarithms within contexts that arithmetic alone can make of values that are the same."""


def nested_components(visits: Visits) -> Components | Undefined:
    """Visits within contexts: for differences of a comparison, where what a block shares has cancelled.

    within^2 = pooled variance of visits; between^2 = max(0, variance of context means - mean of
    within^2 / visits). Two contexts, and two visits of one of them, at least.
    """
    ids, place, counts = np.unique(visits.contexts, return_inverse=True, return_counts=True)
    if ids.size < 2:
        return Undefined("one_context")
    nu_within = int(visits.values.size - ids.size)
    if nu_within < 1:
        return Undefined("one_pass")
    means = np.bincount(place, visits.values) / counts
    within = float(((visits.values - means[place]) ** 2).sum()) / nu_within
    of_means = float(means.var(ddof=1))
    per_visit = float((1 / counts).mean())
    between = max(0.0, of_means - within * per_visit)
    centre = float(visits.values.mean())
    square = float((counts * (means - centre) ** 2).sum()) / (ids.size - 1)
    f, p = _compute_f_test(square, within, ids.size - 1, nu_within)
    return Components(
        contexts=int(ids.size),
        visits=visits.values.size / ids.size,
        between=math.sqrt(between),
        within=math.sqrt(within),
        f=f,
        p=p,
        nu_between=int(ids.size - 1),
        nu_within=nu_within,
    )


def crossed_components(visits: Visits) -> Components | Undefined:
    """Analyse contexts crossed with passes within rounds.

    That is for the values of one treatment, which drift with the machine.

    Every context of a round is visited once in each of its passes, in random order. What a round and a pass
    have in common is taken out: it is the time at which they ran. Only contexts that were visited in every
    pass, and rounds of two of them or more, count. Mean squares of the two-way layout without interaction;
    between^2 = max(0, (MS_context - MS_rest) / passes).
    """
    table = _compute_rounds(visits)
    if isinstance(table, Undefined):
        return table
    passes = table[0].shape[1]
    nu_between = sum(cell.shape[0] - 1 for cell in table)
    nu_passes, nu_within = len(table) * (passes - 1), nu_between * (passes - 1)
    of_contexts = of_passes = of_rest = 0.0
    for row in table:
        rows, columns = row.mean(axis=1, keepdims=True), row.mean(axis=0, keepdims=True)
        centre = float(row.mean())
        of_contexts += passes * float(((rows - centre) ** 2).sum())
        of_passes += row.shape[0] * float(((columns - centre) ** 2).sum())
        of_rest += float(((row - rows - columns + centre) ** 2).sum())
    within = of_rest / nu_within
    f, p = _compute_f_test(of_contexts / nu_between, within, nu_between, nu_within)
    contexts = sum(cell.shape[0] for cell in table)
    return Components(
        contexts=contexts,
        visits=float(passes),
        between=math.sqrt(max(0.0, (of_contexts / nu_between - within) / passes)),
        within=math.sqrt(within),
        f=f,
        p=p,
        nu_between=nu_between,
        nu_within=nu_within,
        passes=math.sqrt(max(0.0, (of_passes / nu_passes - within) / (contexts / len(table)))),
    )


def _compute_rounds(visits: Visits) -> list[Floats] | Undefined:
    """Return a table of contexts by passes for each round."""
    ids, place = np.unique(visits.contexts, return_inverse=True)
    if ids.size < 2:
        return Undefined("one_context")
    every = np.unique(visits.passes)
    if every.size < 2:
        return Undefined("one_pass")
    # A visit that was repeated stands for the last of its kind.
    table = np.full((ids.size, every.size), math.nan)
    table[place, np.searchsorted(every, visits.passes)] = visits.values
    complete = ~np.isnan(table).any(axis=1)
    rounds = _round_of(visits, ids.size, place)
    rounds_of = [table[complete & (rounds == number)] for number in np.unique(rounds)]
    rounds_of = [item for item in rounds_of if item.shape[0] > 1]
    return rounds_of or Undefined("one_pass")


def _round_of(visits: Visits, contexts: int, place: Ints) -> Ints:
    """Return the round of each visit.

    In a round the first visits of all contexts come before the last of any, so that a context that begins
    after all earlier ones have ended begins a new one.
    """
    first, last = np.full(contexts, np.iinfo(np.int64).max), np.zeros(contexts, np.int64)
    np.minimum.at(first, place, visits.blocks)
    np.maximum.at(last, place, visits.blocks)
    order = np.argsort(first)
    ended = np.maximum.accumulate(last[order])
    rounds = np.zeros(contexts, np.int64)
    rounds[order[1:]] = np.cumsum(first[order[1:]] > ended[:-1])
    return rounds


def _compute_f_test(square: float, rest: float, nu: int, nu_rest: int) -> tuple[float | None, float | None]:
    if math.sqrt(rest) <= _ROUNDING:
        return None, None
    return square / rest, f_sf(nu, nu_rest, square / rest)
