"""Values and ranks beyond the data, for all functions of a group at once."""

from __future__ import annotations

import msgspec
import numpy as np

from steelyard.core.arrays import Floats
from steelyard.extensions.growth.scaling.fit import MAY_SWITCH, Fitted
from steelyard.extensions.growth.scaling.posterior import INTERVAL, Posterior, draw, intervals
from steelyard.extensions.growth.scaling.segments import LEAST_RANKED
from steelyard.extensions.growth.scaling.validation import (
    NOT_KNOWN,
    Asked,
    rank_probabilities,
    rank_probabilities_at,
)


class Foresight(msgspec.Struct, frozen=True):
    """Answers beyond the data, functions first.

    Attributes
    ----------
    quantiles : array (n, targets, 3)
        2.5 %, 50 % and 97.5 % of the value at each target.
    ranks : array (n, 3) or None
        Probability of each rank for large x.
    ranks_at : array (n, 3) or None
        … at the first target.
    """

    quantiles: Floats
    ranks: Floats | None
    ranks_at: Floats | None


def foresee(fitted: Fitted, targets: Floats, question: Asked | None, *, at_scale: bool) -> Foresight:
    """Answer for every function; ``at_scale``: the first target is the scale at which ranks are asked."""
    memo = _Memo(fitted, targets, question, at_scale=at_scale and question is not None)
    base = memo.answer(fitted.choices.posterior)
    quantiles, ranks = base.quantiles.copy(), _copy(base.ranks)
    ranks_at = _copy(base.ranks_at)
    for row, source in fitted.special.items():
        whole_answer = memo.answer(source.choices.posterior)
        last = memo.answer(source.pieces[-1].choices.posterior) if source.switch > MAY_SWITCH else None
        p = source.switch if last is not None else 0.0
        for at in range(len(targets)):
            values = whole_answer.values[source.row][at]
            weight = np.full(len(values), 1 - p)
            if last is not None:
                later = last.values[source.at][at]
                values = np.concatenate([values, later])
                weight = np.concatenate([weight, np.full(len(later), p)])
            quantiles[row, at] = weighted_quantiles(values, weight)
        for out, name in ((ranks, "ranks"), (ranks_at, "ranks_at")):
            if out is not None:
                mixed = (1 - p) * getattr(whole_answer, name)[source.row]
                if last is not None:
                    short = source.pieces[-1].stretch.count < LEAST_RANKED
                    mixed = mixed + p * (NOT_KNOWN if short else getattr(last, name)[source.at])
                out[row] = mixed
    return Foresight(quantiles, ranks, ranks_at)


def _copy(values: Floats | None) -> Floats | None:
    return None if values is None else values.copy()


def weighted_quantiles(values: Floats, weight: Floats) -> Floats:
    """Return the interval's quantiles of values that are not equally likely."""
    order = np.argsort(values)
    share = np.cumsum(weight[order])
    return np.interp(INTERVAL, (share - 0.5 * weight[order]) / share[-1], values[order])


class _Known(msgspec.Struct, frozen=True):
    values: dict[int, tuple[Floats, ...]]
    """Those of the functions that are special, a target each."""
    quantiles: Floats
    ranks: Floats | None
    ranks_at: Floats | None


class _Memo:
    """Draws and ranks of each posterior, computed once."""

    def __init__(self, fitted: Fitted, targets: Floats, question: Asked | None, *, at_scale: bool) -> None:
        self.targets, self.question, self.at_scale = targets, question, at_scale
        self.answers: dict[int, _Known] = {}
        self.special: dict[int, list[int]] = {}
        for source in fitted.special.values():
            self.special.setdefault(id(source.choices.posterior), []).append(source.row)
            if source.switch > MAY_SWITCH:
                self.special.setdefault(id(source.pieces[-1].choices.posterior), []).append(source.at)

    def answer(self, posterior: Posterior) -> _Known:
        answered = self.answers.get(id(posterior))
        if answered is None:
            answered = self.answers[id(posterior)] = self._answer(posterior)
        return answered

    def _answer(self, posterior: Posterior) -> _Known:
        targets, rows = self.targets, self.special.get(id(posterior), [])
        quantiles = intervals(posterior, targets) if len(targets) else np.empty((len(posterior), 0, 3))
        draws = draw(posterior.part(rows)) if rows and len(targets) else None
        values = [draws.at(target)[0] for target in targets] if draws is not None else []
        ranks = rank_probabilities(posterior, self.question) if self.question is not None else None
        ranks_there = None
        if self.at_scale and self.question is not None:
            ranks_there = rank_probabilities_at(draw(posterior), self.question, targets[0])
        return _Known(
            {row: tuple(value[at] for value in values) for at, row in enumerate(rows)},
            quantiles,
            ranks,
            ranks_there,
        )
