"""One formula for each function out of its posterior: of the most probable class, the most probable one that
makes sense.

The class is chosen by the whole posterior, since many terms of one class share what a single one of another
has. A formula makes sense if it is positive wherever it was measured and wherever it is asked for.
"""

from __future__ import annotations

from typing import Final

import msgspec
import numpy as np

from steelyard import _kernels
from steelyard.arrays import Floats
from steelyard.growth import CONSTANT
from steelyard.scaling.aggregate import Aggregated
from steelyard.scaling.candidates import Integers
from steelyard.scaling.model import Term
from steelyard.scaling.posterior import Posterior

NOTHING: Final = 1e-10
"""A constant this small beside the largest value is rounding."""

ADVANTAGE: Final = 28.0
LEAST_ADVANTAGE, MOST_ADVANTAGE = 0.4, 3.0
"""How many times its posterior the constant counts, for each unit of a point's relative uncertainty: with
these, 1 to 3 % of constants are called growing at 2 to 20 % of noise and 5 to 8 points.
"""


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
    """

    posterior: Posterior
    lead: Integers
    constant: Floats
    slope: Floats
    member: Integers
    fitted: Floats
    lack_of_fit: Floats
    r2: Floats

    def terms(self, row: int) -> tuple[Term, ...]:
        """The terms of one function, fastest first."""
        candidates = self.posterior.candidates
        found = [
            Term(float(slope), candidates.columns[int(member)].growth)
            for slope, member in zip(self.slope[row], self.member[row], strict=True)
            if member >= 0
        ]
        return tuple(sorted(found, key=lambda term: term.growth, reverse=True))


def choose(posterior: Posterior, data: Aggregated, reach: Floats) -> Choices:
    """Choose for every function; ``reach`` are points beyond the data at which values will be asked."""
    candidates = posterior.candidates
    n, m = data.value.shape
    present = posterior.candidate >= 0
    member = np.where(present[:, :, None], candidates.members[posterior.candidate], -1).astype(np.int64)
    scale = np.where(member >= 0, candidates.scale[member], 1.0)
    slope = np.where(member >= 0, posterior.coefficient[:, :, 1:] / scale, 0.0)
    constant = posterior.coefficient[:, :, 0]
    right = (posterior.coefficient[:, :, 1:] > 0) | (member < 0)
    sound = present & candidates.shown[posterior.candidate] & right.all(axis=2)
    negative = (constant < 0) | (slope < 0).any(axis=2)
    doubtful = np.flatnonzero((sound & negative).any(axis=1))
    if len(doubtful):
        everywhere = (
            np.hstack([candidates.raw, candidates.exponents.at(reach)]) if len(reach) else candidates.raw
        )
        values = _values(everywhere, constant[doubtful], slope[doubtful], member[doubtful])
        sound[doubtful] &= ~negative[doubtful] | (values > 0).all(axis=2)
    rows = np.arange(n)
    share, which = class_shares(posterior)
    group = candidates.group[posterior.candidate].astype(np.int64)
    # Where the best class has no formula that makes sense, the next best component that has one stands.
    own = np.where(sound, posterior.own, -1.0)
    group = group if posterior.ends is None else np.where(posterior.ends > 0.5, 0, group)
    inside = which[group] == share.argmax(axis=1)[:, None]
    component = (own + np.where(inside & sound, 2.0, 0.0)).argmax(axis=1)
    pending = own[rows, component] < 0
    lead = group[rows, component]
    constant, slope, member = constant[rows, component], slope[rows, component], member[rows, component]
    if pending.any():
        # Nothing that makes sense was kept: the weighted mean is always true of something.
        weight = 1 / posterior.variance[pending]
        constant[pending] = (data.value[pending] * weight).sum(axis=1) / weight.sum(axis=1)
        slope[pending], member[pending], lead[pending] = 0.0, -1, 0
    constant = np.where(np.abs(constant) < NOTHING * np.abs(data.value).max(axis=1), 0.0, constant)
    fitted = _values(candidates.raw, constant[:, None], slope[:, None], member[:, None])[:, 0]
    used = 1 + (member >= 0).sum(axis=1)
    left = m - used
    with np.errstate(divide="ignore", invalid="ignore"):
        f = ((data.value - fitted) ** 2 / data.u2).sum(axis=1) / left
        known = (left > 0) & (data.freedom > 0)
        p = _kernels.f_upper_tail(
            np.maximum(left, 1).astype(float), np.maximum(data.freedom, 1), np.nan_to_num(np.maximum(f, 0.0))
        )
        lack = np.where(known, p, np.nan)
        spread = ((data.value - data.value.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
        rest = ((data.value - fitted) ** 2).sum(axis=1)
        r2 = np.where((used > 1) & (left > 0), 1 - (rest / left) / (spread / (m - 1)), np.nan)
    return Choices(posterior, lead, constant, slope, member, fitted, lack, r2)


def class_shares(posterior: Posterior) -> tuple[Floats, Integers]:
    """The posterior of each class of leads (n, classes), the constant first and at an advantage that holds
    false alarms at 2 %; and the class of each lead.
    """
    leads = posterior.candidates.leads
    classes: dict[object, int] = {tuple(0 for _ in leads[0]): 0}
    kinds = [
        tuple(0 if g.is_constant else -1 if g < CONSTANT else int(g.kind) for g in lead) for lead in leads
    ]
    which = np.array([classes.setdefault(kind, len(classes)) for kind in kinds])
    share = posterior.lead @ (which[:, None] == np.arange(len(classes)))
    share[:, 0] *= np.clip(ADVANTAGE * posterior.noise, LEAST_ADVANTAGE, MOST_ADVANTAGE)
    return share, which


def _values(basis: Floats, constant: Floats, slope: Floats, member: Integers) -> Floats:
    """Values of formulas (n, formulas) where the terms have the values ``basis`` (terms, points)."""
    basis = np.vstack([basis, np.zeros(basis.shape[1])])  # row -1 is "no term"
    out = np.repeat(constant[:, :, None], basis.shape[1], axis=2)
    for at in range(member.shape[2]):
        if (member[:, :, at] >= 0).any():
            out += slope[:, :, [at]] * basis[member[:, :, at]]
    return out
