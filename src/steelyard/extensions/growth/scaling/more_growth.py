"""How large values may be where a formula hides one growth more.

A posterior prefers the plain formula where both fit: x + ε x² is O(x), and contention with a little coherence
ends in O(1). So the next whole power is added to the chosen formula, and the upper end of what both predict,
by weighted least squares, is in the interval. Constants are left alone: ranks of what looks flat are doubted
(``doubts``), not its value.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from steelyard.core.arrays import Floats
from steelyard.extensions.growth.algebra import Growth
from steelyard.extensions.growth.scaling.aggregate import Aggregated
from steelyard.extensions.growth.scaling.choose import Choices
from steelyard.extensions.growth.scaling.columns import Exponents, TermColumn

NEXT: Final = (Growth.make(1), Growth.make(2))
"""Powers that may hide below what grows more slowly."""
END: Final = 1.645
"""Standard uncertainties from the middle to an upper bound of 95 %."""


def upper_ends(choices: Choices, data: Aggregated, targets: Floats) -> Floats:
    """Upper bounds of functions of one parameter at each target, (n, targets); 0 where nothing is added.

    Parameters
    ----------
    targets : array (targets, 1)
    """
    values, candidates = data.value, choices.posterior.candidates
    out = np.zeros((len(values), len(targets)))
    m = values.shape[1]
    hidden = Exponents.make([TermColumn((growth,)) for growth in NEXT], 1)
    measured, beyond_all = hidden.at(candidates.points), hidden.at(targets)
    raw, beyond = candidates.raw, candidates.exponents.at(targets)
    used = (choices.member >= 0).sum(axis=1)
    variance = _variance(choices, data)
    height = np.array([_next(lead[0]) for lead in candidates.leads])[choices.lead]
    for number in range(len(NEXT)):
        for count in range(1, choices.member.shape[1] + 1):
            rows = np.flatnonzero((height == number) & (used == count) & ~choices.senseless)
            if not len(rows) or m <= count + 2:
                continue
            member = np.sort(choices.member[rows], axis=1)[:, -count:]
            basis, far = (
                _add_terms(raw[member], measured[number]),
                _add_terms(beyond[member], beyond_all[number]),
            )
            size = basis.max(axis=2, keepdims=True)
            out[rows] = _bound(basis / size, far / size, values[rows], variance[rows])
    return out


def _variance(choices: Choices, data: Aggregated) -> Floats:
    """Return the variance of each point, (n, m): by noise, or by what the formula misses if more."""
    spread = choices.posterior.variance
    freedom = np.maximum(data.value.shape[1] - 1 - (choices.member >= 0).sum(axis=1), 1)
    missed = ((data.value - choices.fitted) ** 2 / spread).sum(axis=1) / freedom
    return np.asarray(np.maximum(data.u2, spread * np.minimum(missed, 1.0)[:, None]))


def _add_terms(terms: Floats, added: Floats) -> Floats:
    """Return the constant, the terms (n, k, points), and one more (points,)."""
    constant = np.ones((len(terms), 1, len(added)))
    return np.concatenate([constant, terms, constant * added], axis=1)


def _next(lead: Growth) -> int:
    """Which power may hide below a lead; -1 for none."""
    if lead.exp2 > 0:
        return -1
    return next((number for number, growth in enumerate(NEXT) if lead.power < growth.power), -1)


def _bound(basis: Floats, far: Floats, values: Floats, variance: Floats) -> Floats:
    """Return upper bounds (n, targets) of weighted least squares.

    They are over ``basis`` (n, k, m), of ``far`` (n, k, targets); 0 where a column is not told from the
    others.
    """
    weight = 1 / np.sqrt(np.maximum(variance, 1e-300))
    q, r = np.linalg.qr((basis * weight[:, None, :]).transpose(0, 2, 1))
    diagonal = np.abs(np.diagonal(r, axis1=1, axis2=2))
    distinct = diagonal.min(axis=1) > 1e-10 * diagonal.max(axis=1)
    r = np.where(distinct[:, None, None], r, np.eye(r.shape[1]))
    projected = np.einsum("nmk,nm->nk", q, values * weight)
    solved = np.linalg.solve(r.transpose(0, 2, 1), far)
    middle = np.einsum("nk,nkt->nt", projected, solved)
    high = middle + END * np.sqrt((solved**2).sum(axis=1))
    return np.where(distinct[:, None] & np.isfinite(high), high, 0.0)
