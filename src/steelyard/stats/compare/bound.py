"""``Refutation``: what runs of one treatment say against a bound, whatever their distribution.

A mean that one far value dominates refutes nothing by its standard error. Two tests do without one: the
number of runs beyond the bound, which is that of the typical run (sign test); and, of values that are at
least 0, a bet against "the mean is at most the bound", whose capital has an expectation of at most 1 while
that is true (Ville 1939; Waudby-Smith and Ramdas 2024, DOI 10.1093/jrsssb/qkad009).
"""

from __future__ import annotations

from typing import Final, Literal

import msgspec
import numpy as np

from steelyard.core.arrays import Floats
from steelyard.core.special import beta_cdf
from steelyard.stats.compare.judgement import Judgement, close_by
from steelyard.stats.describe.dependence import widening_by_ranks

STAKES: Final = np.array([1 / 64, 1 / 16, 1 / 4, 1 / 2, 3 / 4, 1.0])
"""Parts of the capital that are at stake in each run, a sixth of it by each of these rules."""


class Refutation(msgspec.Struct, frozen=True):
    """Runs against a bound.

    Attributes
    ----------
    beyond, n : int
        Units of inference on the wrong side of the bound, of all.
    median : float
    p_typical : float
        Two-sided, of the hypothesis that the typical run keeps the bound.
    p_least : float
        The same of the mean of values that are at least 0; 1 where they do not bound it from that side.
    """

    beyond: int
    n: int
    median: float
    p_typical: float
    p_least: float

    def close(self, mean: Judgement, alpha: float = 0.05) -> Judgement:
        """Judge a limit by its mean, by the typical run, and by the least that the mean can be."""
        by_typical = close_by("typical", mean, _make_failing(self.p_typical, alpha), alpha)
        return close_by("least", by_typical, _make_failing(self.p_least, alpha), alpha)


def refute(
    values: Floats, bound: float, side: Literal["above", "below"], *, in_time: bool = True
) -> Refutation:
    """Test a bound that is broken on one side by finite values.

    Parameters
    ----------
    values : array
        One a unit of inference, at least one.
    in_time : bool
        Whether they are in the order of time, so that neighbours may be alike. They then count as so many
        fewer.
    """
    part = widening_by_ranks(values) ** -2 if in_time else 1.0
    beyond = int((values > bound).sum() if side == "above" else (values < bound).sum())
    # P(Bin(n, 1/2) >= beyond), also of a number of runs that is not whole.
    rare = float(beta_cdf(beyond * part, (values.size - beyond) * part + 1, 0.5)) if beyond else 1.0
    bets = side == "above" and bound > 0 and bool((values >= 0).all())
    return Refutation(
        beyond=beyond,
        n=values.size,
        median=float(np.median(values)),
        p_typical=min(1.0, 2 * rare),
        p_least=min(1.0, 2 * _bet(values / bound, part)) if bets else 1.0,
    )


def _bet(multiples: Floats, part: float) -> float:
    """Return p of "the mean is at most 1" of values that are at least 0: one over the capital at the end."""
    with np.errstate(divide="ignore"):
        logs = part * np.log1p(STAKES[:, np.newaxis] * (multiples - 1)).sum(axis=1)
    largest = float(logs.max())
    capital = float(np.exp(logs - largest).mean())
    return float(np.exp(min(0.0, -largest - np.log(capital))))


def _make_failing(p: float, alpha: float) -> Judgement:
    return Judgement("fails" if p <= alpha else "not_resolved", "fails", p, p, alpha, None)
