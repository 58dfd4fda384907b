"""Values and ranks beyond the data, for all functions of a group at once."""

from __future__ import annotations

import msgspec
import numpy as np

from steelyard.arrays import Floats
from steelyard.scaling.fit import MAY_SWITCH, Fitted
from steelyard.scaling.posterior import INTERVAL, Draws, Posterior, draw
from steelyard.scaling.validation import Asked, rank_probabilities, rank_probabilities_at


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


def foresee(fitted: Fitted, targets: Floats, asked: Asked | None, *, at_scale: bool) -> Foresight:
    """Answer for every function; ``at_scale``: the first target is the scale at which ranks are asked."""
    memo = _Memo(targets, asked, at_scale=at_scale and asked is not None)
    n = len(fitted.data.value)
    base = memo.of(fitted.choices.posterior)
    quantiles = base.quantiles.copy() if len(targets) else np.empty((n, 0, 3))
    ranks = base.ranks.copy() if base.ranks is not None else None
    ranks_at = base.ranks_at.copy() if base.ranks_at is not None else None
    for row, source in fitted.special.items():
        whole = memo.of(source.choices.posterior)
        last = memo.of(source.pieces[-1].choices.posterior) if source.switch > MAY_SWITCH else None
        p = source.switch if last is not None else 0.0
        for at in range(len(targets)):
            values, weight = whole.values[at][source.row], np.full(whole.values[at].shape[1], 1 - p)
            if last is not None:
                values = np.concatenate([values, last.values[at][source.at]])
                weight = np.concatenate([weight, np.full(last.values[at].shape[1], p)])
            quantiles[row, at] = weighted_quantiles(values, weight)
        for out, name in ((ranks, "ranks"), (ranks_at, "ranks_at")):
            if out is not None:
                mixed = (1 - p) * getattr(whole, name)[source.row]
                out[row] = mixed + (p * getattr(last, name)[source.at] if last is not None else 0.0)
    return Foresight(quantiles, ranks, ranks_at)


def weighted_quantiles(values: Floats, weight: Floats) -> Floats:
    """The interval's quantiles of values that are not equally likely."""
    order = np.argsort(values)
    share = np.cumsum(weight[order])
    return np.interp(INTERVAL, (share - 0.5 * weight[order]) / share[-1], values[order])


class _Known(msgspec.Struct, frozen=True):
    values: tuple[Floats, ...]
    quantiles: Floats
    ranks: Floats | None
    ranks_at: Floats | None


class _Memo:
    """Draws and ranks of each posterior, computed once."""

    def __init__(self, targets: Floats, asked: Asked | None, *, at_scale: bool) -> None:
        self.targets, self.asked, self.at_scale = targets, asked, at_scale
        self.known: dict[int, _Known] = {}

    def of(self, posterior: Posterior) -> _Known:
        found = self.known.get(id(posterior))
        if found is None:
            found = self.known[id(posterior)] = self._answer(posterior)
        return found

    def _answer(self, posterior: Posterior) -> _Known:
        draws: Draws | None = draw(posterior) if len(self.targets) else None
        found = [draws.at(target) for target in self.targets] if draws is not None else []
        values = tuple(each for each, _ in found)
        quantiles = (
            np.stack([each for _, each in found], axis=1) if found else np.empty((len(posterior), 0, 3))
        )
        ranks = rank_probabilities(posterior, self.asked) if self.asked is not None else None
        there = None
        if self.at_scale and draws is not None and self.asked is not None:
            there = rank_probabilities_at(draws, self.asked, self.targets[0])
        return _Known(values, quantiles, ranks, there)
