"""The columns that a search adds up: growth terms, some with a softened argument, some counted against."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Final

import msgspec
import numpy as np

from steelyard.core.arrays import Floats
from steelyard.extensions.growth.algebra import Growth

Monomial = tuple[Growth, ...]
"""One growth for each parameter; their product is the term."""
KNEES: Final = (0.1, 0.25, 0.4, 0.55, 0.7, 0.85)
"""Where bends are, as parts of the measured range in octaves."""
SOFT = 1.0
SHARPNESS: Final = (SOFT, 2.0, 4.0)
BENDING: Final = tuple(
    Growth.make(*exponents)
    for exponents in (("1/2", 0), ("3/4", 0), (1, 0), ("5/4", 0), ("3/2", 0), (2, 0), (0, 1), (1, 1))
)
BOUNDED: Final = (Growth.make(-1), Growth.make(-2), Growth.make("-1/2"))


@lru_cache(maxsize=1 << 14)
def share_growth(growth: Growth) -> Growth:
    """Return the one object for all growths that are equal.

    Others are compared fraction by fraction when they are looked up.
    """
    return growth


class TermColumn(msgspec.Struct, frozen=True):
    """A term.

    Attributes
    ----------
    growth : Monomial
        For large x.
    knee : float
        K of the softened argument (x^q + K^q)^(1/q), which is K for small x and x for large; 0: x itself. Of
        the first parameter.
    sharpness : float
        q.
    against : bool
        Whether its coefficient is negative.
    is_shown : bool
        Whether a formula may have it; those that may not stand for truths outside of the space.
    """

    growth: Monomial
    knee: float = 0.0
    sharpness: float = SOFT
    against: bool = False
    is_shown: bool = True


class Exponents(msgspec.Struct, frozen=True):
    """The exponents of many columns as arrays (columns, parameters), so that values need no loop."""

    power: Floats
    log: Floats
    exp2: Floats
    bent: tuple[tuple[int, float, float], ...] = ()
    """Column, knee and sharpness of those that have one."""

    @classmethod
    def make(cls, columns: Sequence[TermColumn], parameters: int) -> Exponents:
        """Make columns from exact growths."""
        flat = [(float(g.power), float(g.log), float(g.exp2)) for column in columns for g in column.growth]
        table = np.array(flat).reshape(len(columns), parameters, 3)
        bent = tuple((i, c.knee, c.sharpness) for i, c in enumerate(columns) if c.knee)
        power, log, exp2 = (np.ascontiguousarray(table[:, :, k]) for k in range(3))
        return cls(power, log, exp2, bent)

    def at(self, points: Floats) -> Floats:
        """Return the values at points (m, parameters), (columns, m).

        They are in logarithms, so that k^3 2^k does not overflow.
        """
        logs = np.log2(points)
        with np.errstate(divide="ignore", invalid="ignore"):
            log_logs = _log2(logs)
            exponent = self.power @ logs.T + self.exp2 @ points.T
            for at in range(points.shape[1]):
                exponent += np.where(self.log[:, [at]] != 0, self.log[:, [at]] * log_logs[:, at], 0.0)
            if self.bent:
                numbers = [i for i, _, _ in self.bent]
                knee, q = (np.array([group[k] for group in self.bent])[:, None] for k in (1, 2))
                softened = np.log2(knee) + np.logaddexp2(0.0, q * (logs[:, 0] - np.log2(knee))) / q
                exponent[numbers] = self.power[numbers] * softened + np.where(
                    self.log[numbers] != 0, self.log[numbers] * _log2(softened), 0.0
                )
        return np.asarray(np.exp2(np.clip(exponent, -1000, 1000)))


def _log2(logs: Floats) -> Floats:
    return np.where(logs > 0, np.log2(np.where(logs > 0, logs, 1.0)), -np.inf)


def knees_of(points: Floats) -> tuple[float, ...]:
    """Where bends are looked for, over one parameter."""
    logs = np.log2(points[:, 0])
    return tuple(float(2 ** (logs.min() + part * (logs.max() - logs.min()))) for part in KNEES)


def bends(knees: Sequence[float]) -> tuple[list[TermColumn], list[TermColumn]]:
    """Columns that bend and then grow, and those against which a bound is approached."""
    growing = [
        TermColumn((g,), knee, q, is_shown=False) for g in BENDING for knee in knees for q in SHARPNESS
    ]
    # (x + K)^1 is a straight line, and a bend of nothing.
    growing = [c for c in growing if not (c.sharpness == SOFT and c.growth[0] == Growth.make(Fraction(1)))]
    bounded = [TermColumn((BOUNDED[0],), knee, against=True, is_shown=False) for knee in knees]
    return growing, bounded + [TermColumn((g,), against=True) for g in BOUNDED]


def list_columns_between(powers: int = 3) -> list[TermColumn]:
    """Powers in odd twenty-fourths, half-way between those of the grid."""
    return [TermColumn((Growth.make(Fraction(k, 24)),), is_shown=False) for k in range(1, 24 * powers, 2)]
