"""The method of Shudler et al. 2019 (DOI 10.1109/TPDS.2019.2896993, § 2.3), unchanged.

Options call it ``seed001``. Each f of the space is fitted by least squares as c + a·f. The highest adjusted
R² of leave-one-out cross-validation wins: the residuals that count are those of points left out. A constant
is taken where no term predicts left-out points better than their mean does.
"""

from __future__ import annotations

import msgspec
import numpy as np

from steelyard.core.arrays import Floats
from steelyard.extensions.growth.algebra import CONSTANT, Growth
from steelyard.extensions.growth.scaling.candidates import usable
from steelyard.extensions.growth.scaling.columns import Exponents, TermColumn
from steelyard.extensions.growth.scaling.model import Term
from steelyard.extensions.growth.scaling.spaces import SearchSpace


class LeastSquares(msgspec.Struct, frozen=True):
    """The chosen formula: ``constant + slope · growth``; ``r2`` is ``None`` for a constant."""

    growth: Growth
    constant: float
    slope: float
    r2: float | None

    def terms(self) -> tuple[Term, ...]:
        """Return the growing term; none for a constant."""
        return () if self.growth.is_constant else (Term(self.slope, (self.growth,)),)


def fit(points: Floats, value: Floats, space: SearchSpace) -> LeastSquares:
    """Fit one function of one parameter; points (m, 1), value (m,)."""
    terms = [term for term in space.terms if usable(points, (term,))]
    f = Exponents.make([TermColumn((term,)) for term in terms], 1).at(points)
    m = len(value)
    mean = float(value.mean())
    spread = float(((value - mean) ** 2).sum())
    flat = LeastSquares(CONSTANT, mean, 0.0, None)
    if spread <= (1e-12 * abs(mean)) ** 2 * m or not terms:
        return flat
    centred = f - f.mean(axis=1, keepdims=True)
    square = (centred**2).sum(axis=1)
    slope = centred @ (value - mean) / square
    residual = (value - mean) - slope[:, None] * centred
    # The hat matrix of a straight line gives the left-out residual without fitting again.
    leverage = 1 / m + centred**2 / square[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        left_out = np.where(leverage < 1 - 1e-12, residual / (1 - leverage), np.inf)
    press = (left_out**2).sum(axis=1)
    flat_press = spread * (m / (m - 1)) ** 2
    best = int(np.argmin(press))
    if press[best] >= flat_press:
        return flat
    r2 = 1 - float((residual[best] ** 2).sum()) / (m - 2) / (spread / (m - 1)) if m > 2 else None
    return LeastSquares(terms[best], mean - float(slope[best] * f[best].mean()), float(slope[best]), r2)
