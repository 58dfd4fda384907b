"""One formula for each function out of its posterior.

It is of the most probable class, and there the most probable one that makes sense.

The class is chosen by the whole posterior, since many terms of one class share what a single one of another
has. A formula makes sense if it is positive wherever it was measured and wherever it is asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec
import numpy as np

from steelyard import _kernels
from steelyard.core.arrays import Floats
from steelyard.core.special import f_sf
from steelyard.extensions.growth.scaling.aggregate import Aggregated
from steelyard.extensions.growth.scaling.candidates import Booleans, Integers
from steelyard.extensions.growth.scaling.model import Term
from steelyard.extensions.growth.scaling.posterior import Posterior

NOTHING: Final = 1e-10
"""A constant this small beside the largest value is rounding, and where values range farther than ``FAR``
beside the smallest above 0.
"""
FAR: Final = 1e-6

ADVANTAGE: Final = (8.0, 150.0)
LEAST_ADVANTAGE, MOST_ADVANTAGE = 0.5, 3.0
"""How many times its posterior the constant counts, by the relative uncertainty of a point and its square, at
six points: with these, about 2 % of constants are called growing at 2 to 20 % of noise and 5 to 8 points.
"""
FEWEST, MOST = 0.6, 1.2
"""Bounds of six over the number of points."""


class Choices(msgspec.Struct, frozen=True):
    """The chosen formulas, functions first.

    Attributes
    ----------
    lead : array (n,) of int
        Index into ``candidates.leads``.
    constant : array (n,)
    slope : array (n, 3)
        Coefficients of ``member`` columns (unscaled); 0 where there is none.
    member : array (n, 3) of int
        Columns, -1 for none.
    fitted : array (n, m)
    lack_of_fit, r2 : array (n,)
        NaN where unknown or meaningless.
    senseless : array (n,) of bool
        No formula is positive wherever it was measured and is asked for: the mean stands in.
    """

    posterior: Posterior
    lead: Integers
    constant: Floats
    slope: Floats
    member: Integers
    fitted: Floats
    lack_of_fit: Floats
    r2: Floats
    senseless: Booleans

    def at(self, target: Floats) -> Floats:
        """Return the values of the formulas at one point (parameters,), (n,)."""
        basis = self.posterior.candidates.exponents.at(target[None, :])
        return _values(basis, self.constant, self.slope, self.member)[:, 0]

    def terms(self, row: int) -> tuple[Term, ...]:
        """Return the terms of one function, fastest first."""
        return self._make_terms(self.slope[row].tolist(), self.member[row].tolist())

    def all_terms(self) -> list[tuple[Term, ...]]:
        """Return the terms of every function."""
        return list(map(self._make_terms, self.slope.tolist(), self.member.tolist()))

    def _make_terms(self, slopes: Sequence[float], members: Sequence[int]) -> tuple[Term, ...]:
        columns = self.posterior.candidates.columns
        terms = [
            Term(slope, columns[member].growth)
            for slope, member in zip(slopes, members, strict=True)
            if member >= 0
        ]
        if len(terms) > 1:
            terms.sort(key=lambda term: term.growth, reverse=True)
        return tuple(terms)


def choose(posterior: Posterior, data: Aggregated, reach: Floats) -> Choices:
    """Choose for every function; ``reach`` are points beyond the data at which values will be asked."""
    candidates = posterior.candidates
    n, m = data.value.shape
    size = np.abs(data.value)
    most = size.max(axis=1)
    least = np.where(size > 0, size, np.inf).min(axis=1)
    rounding = NOTHING * np.where(least < FAR * most, least, most)
    share, classes = class_shares(posterior)
    group = candidates.group[posterior.candidate].astype(np.int64)
    # Where the best class has no formula that makes sense, the next best component that has one stands.
    group = group if posterior.ends is None else np.where(posterior.ends > 0.5, 0, group)
    everywhere = np.hstack([candidates.raw, candidates.exponents.at(reach)]) if len(reach) else candidates.raw
    component = _kernels.choose(
        posterior.candidate,
        posterior.own_weight,
        posterior.coefficient,
        candidates.members,
        candidates.scale,
        candidates.is_shown.astype(np.uint8),
        classes[group],
        share.argmax(axis=1),
        rounding,
        everywhere,
    )
    rows = np.arange(n)
    member = candidates.members[posterior.candidate[rows, component]].astype(np.int64)
    scale = np.where(member >= 0, candidates.scale[member], 1.0)
    coefficient = posterior.coefficient[rows, component]
    slope = np.where(member >= 0, coefficient[:, 1:] / scale, 0.0)
    constant = np.where(np.abs(coefficient[:, 0]) < rounding, 0.0, coefficient[:, 0])
    lead = group[rows, component]
    pending = component < 0
    if pending.any():
        # Nothing that makes sense was kept: the weighted mean is always true of something.
        weight = 1 / posterior.variance[pending]
        constant[pending] = (data.value[pending] * weight).sum(axis=1) / weight.sum(axis=1)
        slope[pending], member[pending], lead[pending] = 0.0, -1, 0
    fitted = _values(candidates.raw, constant, slope, member)
    used = 1 + (member >= 0).sum(axis=1)
    freedom = m - used
    with np.errstate(divide="ignore", invalid="ignore"):
        f = ((data.value - fitted) ** 2 / data.u2).sum(axis=1) / freedom
        is_known = (freedom > 0) & (data.freedom > 0)
        p = f_sf(
            np.maximum(freedom, 1).astype(float),
            np.maximum(data.freedom, 1),
            np.nan_to_num(np.maximum(f, 0.0)),
        )
        lack = np.where(is_known, p, np.nan)
        spread = ((data.value - data.value.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
        rest = ((data.value - fitted) ** 2).sum(axis=1)
        r2 = np.where((used > 1) & (freedom > 0), 1 - (rest / freedom) / (spread / (m - 1)), np.nan)
    return Choices(posterior, lead, constant, slope, member, fitted, lack, r2, pending)


def class_shares(posterior: Posterior) -> tuple[Floats, Integers]:
    """Return the posterior of each class of leads (n, classes), and the class of each lead.

    The constant is first, and at an advantage that holds false alarms at 2 %.
    """
    classes = posterior.candidates.classes
    # Not a product of matrices: threads of a BLAS keep a CPU busy while they wait for the next one.
    membership = (classes[:, None] == np.arange(classes.max() + 1)).astype(float)
    share: Floats = np.einsum("ij,jk->ik", posterior.lead, membership)
    by_noise = ADVANTAGE[0] * posterior.noise + ADVANTAGE[1] * posterior.noise**2
    by_points = np.clip(6 / posterior.variance.shape[1], FEWEST, MOST)
    share[:, 0] *= np.clip(by_noise, LEAST_ADVANTAGE, MOST_ADVANTAGE) * by_points
    # Where noise hides everything, the plain answer is shown.
    share *= 1 - posterior.blurred[:, None]
    share[:, 0] += posterior.blurred
    return share, classes


def _values(basis: Floats, constant: Floats, slope: Floats, member: Integers) -> Floats:
    """Values of formulas (n, points) where the terms have the values ``basis`` (terms, points)."""
    basis = np.vstack([basis, np.zeros(basis.shape[1])])  # row -1 is "no term"
    out = np.repeat(constant[:, None], basis.shape[1], axis=1)
    for at in range(member.shape[1]):
        if (member[:, at] >= 0).any():
            out += slope[:, [at]] * basis[member[:, at]]
    return out
