"""Posteriors against an expectation: the probability of each rank, for large x and at a stated scale."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import msgspec
import numpy as np
from msgspec.structs import replace

from steelyard.core.arrays import Floats
from steelyard.extensions.growth.algebra import CONSTANT, Growth, Rank, rank, rank_at
from steelyard.extensions.growth.scaling.candidates import Integers
from steelyard.extensions.growth.scaling.columns import Monomial, TermColumn
from steelyard.extensions.growth.scaling.model import RankProbability, Validation
from steelyard.extensions.growth.scaling.posterior import Draws, Posterior
from steelyard.extensions.growth.scaling.question import SURE, Expectation

RANKS: Final[tuple[Rank, ...]] = ("match", "approximate", "none")
NOT_KNOWN: Final = np.full(len(RANKS), 1 / len(RANKS))
"""The probabilities where no candidate can say what the growth is."""
GROWTH_THAT_COUNTS: Final = 0.1
"""Against O(1): a growing part below this share of the value at the stated scale is not growth there."""


class Asked(msgspec.Struct, frozen=True):
    """An expectation about parameter number ``at``, parsed."""

    stated: Expectation
    growth: Growth
    deviation: Growth
    at: int
    parameter: str

    def rank(self, growth: Growth) -> Rank:
        """Return the rank of a leading term for large x."""
        return rank(growth, self.growth, self.deviation, at_most=self.stated.at_most)

    def rank_at(self, growth: Growth, scale: float) -> Rank:
        """Return the rank of a term at ``scale``."""
        return rank_at(growth, self.growth, scale, self.deviation, at_most=self.stated.at_most)


def validation_of(
    question: Asked, lead: Growth, asymptotic: Floats, scale: float | None, at_scale: Floats | None
) -> Validation:
    """Return the answer from probabilities in the order of ``RANKS``."""
    rank_probability = RankProbability(*map(float, asymptotic))
    rank_there = None if at_scale is None else RankProbability(*map(float, at_scale))
    stated = Validation(
        expectation=question.stated.expect,
        deviation=question.deviation.text(question.parameter),
        parameter=question.parameter,
        divergence=_make_divergence(lead, question.growth),
        rank="undecided",
        probability=rank_probability,
        scale=scale if rank_there is not None else None,
        rank_at_scale=rank_there.answer(SURE, matches=rank_there.match > rank_there.approximate)
        if rank_there is not None
        else None,
        at_most=question.stated.at_most,
    )
    return replace(stated, rank=rank_probability.answer(SURE, matches=stated.matches))


@lru_cache(maxsize=4096)
def _make_divergence(lead: Growth, expectation: Growth) -> Growth:
    return lead / expectation


@lru_cache(maxsize=256)
def _table(leads: tuple[Monomial, ...], question: Asked) -> Floats:
    """One row a leading term, 1 in the column of its rank."""
    out = np.zeros((len(leads), len(RANKS)))
    numbers: dict[Growth, int] = {}
    for row, lead in enumerate(leads):
        growth = lead[question.at]
        if growth not in numbers:
            numbers[growth] = RANKS.index(question.rank(growth))
        out[row, numbers[growth]] = 1.0
    return out


def rank_probabilities(posterior: Posterior, question: Asked) -> Floats:
    """(n, 3) in the order of ``RANKS``."""
    table = _table(posterior.candidates.leads, question)
    mass: Floats = np.einsum("ij,jk->ik", posterior.lead, table)  # as in ``choose.class_shares``
    return _doubt(mass / mass.sum(axis=1, keepdims=True), posterior.doubt)


def _doubt(ranks: Floats, doubt: Floats) -> Floats:
    """Spread the probability of what no candidate says equally over the ranks."""
    return np.asarray((1 - doubt[:, None]) * ranks + doubt[:, None] / len(RANKS))


@lru_cache(maxsize=256)
def _table_at(columns: tuple[TermColumn, ...], question: Asked, scale: float) -> Integers:
    """Return the rank of each column at ``scale``, and last that of no growth."""
    growths = [*(column.growth[question.at] for column in columns), CONSTANT]
    return np.array([RANKS.index(question.rank_at(growth, scale)) for growth in growths])


def rank_probabilities_at(draws: Draws, question: Asked, target: Floats) -> Floats:
    """Share of the formulas whose dominating growing term has each rank at ``target``, (n, 3)."""
    candidates = draws.posterior.candidates
    members = candidates.members[np.take_along_axis(draws.posterior.candidate, draws.component, axis=1)]
    part = draws.coefficient[:, :, 1:] * candidates.at(target)[members]
    grown = part.sum(axis=2)
    dominating = np.take_along_axis(members, part.argmax(axis=2)[:, :, None], axis=2)[:, :, 0]
    # What falls has fallen off where less of it is left than of the constant.
    falls = np.append([column.growth[question.at] < CONSTANT for column in candidates.columns], False)
    flat = (grown <= 0) | (falls[dominating] & (grown < draws.coefficient[:, :, 0]))
    if question.growth.is_constant:
        flat |= grown < GROWTH_THAT_COUNTS * (grown + np.maximum(draws.coefficient[:, :, 0], 0.0))
    table = _table_at(candidates.columns, question, float(target[question.at]))
    ranks = table[np.where(flat, -1, dominating)]
    shares = np.stack([(ranks == place).mean(axis=1) for place in range(len(RANKS))], axis=1)
    return _doubt(shares, draws.posterior.doubt)


def rank_of_one(growth: Growth, question: Asked, scale: float | None) -> Floats:
    """All probability on the rank of one growth, for large x or at ``scale``."""
    place = question.rank(growth) if scale is None else question.rank_at(growth, scale)
    return np.array([float(place == name) for name in RANKS])
