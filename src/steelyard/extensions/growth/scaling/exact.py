"""Exact formulas of exact counts: rational interpolation, verified at points that it was not made from.

Counts have no noise: a formula meets every one of them or is wrong. All sums of up to four terms are solved
in rational numbers, from as many points as they have terms, and must meet two points more at least. Small
counts are met by many a sum; so a formula counts only where it is shorter than the counts by 8 bits
(J. Rissanen, Modeling by shortest data description, Automatica 14, 1978, DOI 10.1016/0005-1098(78)90005-5).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Final

import msgspec
import numpy as np

from steelyard.extensions.growth.algebra import CONSTANT, Growth

MOST_TERMS: Final = 4
"""With the constant."""
LEAST_VERIFYING: Final = 2
"""Points beyond those that determine the coefficients."""
LEAST_BITS: Final = 8.0
"""By which a formula is shorter than the counts: one of 256 sets of chance is met."""
LARGEST: Final = 2.0**53
"""Beyond it not every whole number is a double."""
NEAR: Final = 1e-6
"""Relative miss of a solution in doubles, from which on none in rational numbers is looked for."""
GROWTHS: Final = (
    CONSTANT,
    *(
        Growth.make(Fraction(halves, 2), log)
        for halves in (-2, 0, 1, 2, 3, 4, 5, 6, 8)
        for log in (0, 1, 2)
        if (halves, log) != (0, 0) and not (halves < 0 and log)
    ),
)


class ExactFormula(msgspec.Struct, frozen=True):
    """A formula that meets all counts.

    Attributes
    ----------
    terms : tuple of (Growth, Fraction)
        Fastest growing first; the constant is one of them.
    bits : float
        By which it is shorter than the counts.
    """

    terms: tuple[tuple[Growth, Fraction], ...]
    bits: float


def exact_formula(scales: Sequence[float], values: Sequence[float]) -> ExactFormula | None:
    """Return the one shortest formula that meets all counts, over one parameter.

    Parameters
    ----------
    scales, values : sequence of float
        A point each. ``None`` where a value is no whole number from 0 to 2^53, or all are 0.
    """
    if not all(0 <= value <= LARGEST and value % 1 == 0 for value in values) or not any(values):
        return None
    columns = {growth: column for growth in GROWTHS if (column := _column(growth, scales)) is not None}
    counts = [Fraction(int(value)) for value in values]
    spent = sum(math.log2(value + 1) for value in values)
    for size in range(1, min(MOST_TERMS, len(values) - LEAST_VERIFYING) + 1):
        solutions = _solutions(columns, counts, size)
        formulas = [ExactFormula(terms, spent - _bits(terms, len(columns))) for terms in solutions]
        short = sorted(
            (formula for formula in formulas if formula.bits >= LEAST_BITS), key=lambda formula: -formula.bits
        )
        if short:
            is_shortest = len(short) == 1 or short[0].bits > short[1].bits
            return short[0] if is_shortest else None
    return None


def _column(growth: Growth, scales: Sequence[float]) -> tuple[Fraction, ...] | None:
    """Return the values of a term; ``None`` where one is not rational."""
    column = []
    for scale in scales:
        x = Fraction(scale)
        root = x if growth.power.denominator == 1 else _root(x)
        log = _log2(x) if growth.log else 1
        if x <= 0 or root is None or log is None:
            return None
        column.append(root ** int(growth.power * (1 if root is x else 2)) * Fraction(log) ** int(growth.log))
    return tuple(column) if any(column) else None


def _root(x: Fraction) -> Fraction | None:
    root = Fraction(math.isqrt(x.numerator), math.isqrt(x.denominator)) if x >= 0 else None
    return root if root is not None and root * root == x else None


def _log2(x: Fraction) -> int | None:
    power = x.numerator.bit_length() - x.denominator.bit_length()
    return power if Fraction(2) ** power == x else None


Terms = tuple[tuple[Growth, Fraction], ...]


def _solutions(
    columns: dict[Growth, tuple[Fraction, ...]], counts: Sequence[Fraction], size: int
) -> Iterator[Terms]:
    """Yield the sums of ``size`` terms, none of them 0, that meet all counts."""
    subsets = np.array(list(itertools.combinations(range(len(columns)), size)))
    growths, exact = list(columns), list(columns.values())
    plain = np.array([[float(cell) for cell in column] for column in exact])
    plain = (plain / np.abs(plain).max(axis=1, keepdims=True))[subsets]
    target = np.array([float(count) for count in counts])
    first, rest = plain[:, :, :size].transpose(0, 2, 1), plain[:, :, size:]
    solvable = np.abs(np.linalg.det(first)) > 1e-13
    right = np.broadcast_to(target[:size, None], (int(solvable.sum()), size, 1))
    solved = np.linalg.solve(first[solvable], right)
    missed = np.abs((solved.transpose(0, 2, 1) @ rest[solvable])[:, 0] - target[size:]).max(axis=1)
    for subset in subsets[solvable][missed <= NEAR * target.max()]:
        coefficients = _solve([exact[at] for at in subset], counts)
        if coefficients is not None and all(coefficients):
            terms = zip((growths[at] for at in subset), coefficients, strict=True)
            yield tuple(sorted(terms, key=lambda term: term[0], reverse=True))


def _solve(columns: Sequence[tuple[Fraction, ...]], counts: Sequence[Fraction]) -> list[Fraction] | None:
    """Return coefficients from the first points (Gauss and Jordan), if they meet all others."""
    size = len(columns)
    rows = [[column[at] for column in columns] + [counts[at]] for at in range(size)]
    for at in range(size):
        pivot = next((row for row in range(at, size) if rows[row][at]), None)
        if pivot is None:
            return None
        rows[at], rows[pivot] = rows[pivot], rows[at]
        rows[at] = [cell / rows[at][at] for cell in rows[at]]
        for row in range(size):
            if row != at and rows[row][at]:
                factor = rows[row][at]
                rows[row] = [a - factor * b for a, b in zip(rows[row], rows[at], strict=True)]
    solved = [row[-1] for row in rows]
    meets = all(
        sum(c * column[at] for c, column in zip(solved, columns, strict=True)) == count
        for at, count in enumerate(counts)
    )
    return solved if meets else None


def _bits(terms: Terms, columns: int) -> float:
    """Return the length of a formula: which terms, then numerators and denominators; "constant" is one."""
    if [growth for growth, _ in terms] == [CONSTANT]:
        chosen = 1.0
    else:
        chosen = math.log2(math.comb(columns, len(terms)))
    return chosen + sum(
        math.log2(2 * abs(number.numerator) + 1) + math.log2(number.denominator) for _, number in terms
    )
