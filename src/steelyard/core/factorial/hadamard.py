"""Hadamard matrices: square, of 1 and -1, each two columns orthogonal.

Plackett and Burman (1946, Biometrika 33, 305-325, DOI 10.1093/biomet/33.4.305) run one row a treatment.

Three constructions reach every multiple of 4 up to 48: doubling (Sylvester
1867), and the two of Paley (1933, J. Math. Phys. 12, 311-320) over primes.
"""

from __future__ import annotations

from typing import Final

Matrix = tuple[tuple[int, ...], ...]

LARGEST: Final = 48
"""Rows; 47 axes are more than anybody screens on one machine."""


def hadamard(n: int) -> Matrix:
    """Return the matrix with ``n`` rows, its first column all 1 and its last row all -1 after that.

    One treatment then has every axis at its first step.

    Raises
    ------
    ValueError
        ``n`` is not a multiple of 4, or above ``LARGEST``.
    """
    if n % 4 or not 4 <= n <= LARGEST:
        raise ValueError(f"no Hadamard matrix of {n} rows here")
    construct = _make_construct(n)
    # Negated rows and columns leave columns orthogonal.
    last = construct[-1]
    columns = [(1 if j == 0 else -1) * last[j] for j in range(n)]
    rows = [tuple(value * flip for value, flip in zip(row, columns, strict=True)) for row in construct]
    return tuple(tuple(row[0] * value for value in row) for row in rows)


def _make_construct(n: int) -> Matrix:
    if n % 4 == 0 and _is_prime(n - 1):
        return _build_first_of_paley(n - 1)
    if n % 8 == 4 and _is_prime(n // 2 - 1):
        return _make_second_of_paley(n // 2 - 1)
    half = _make_construct(n // 2)
    return (*(row + row for row in half), *(row + tuple(-value for value in row) for row in half))


def _build_first_of_paley(q: int) -> Matrix:
    """Matrix of q + 1 rows, q a prime with q mod 4 = 3: I + S, S the bordered Jacobsthal matrix."""
    jacobsthal = _make_jacobsthal(q)
    border: Matrix = ((1, *(1 for _ in range(q))),)
    return border + tuple(
        (-1, *(value + (i == j) for j, value in enumerate(row))) for i, row in enumerate(jacobsthal)
    )


def _make_second_of_paley(q: int) -> Matrix:
    """Matrix of 2 (q + 1) rows, q a prime that leaves 1 when divided by 4."""
    jacobsthal = _make_jacobsthal(q)
    conference = ((0, *(1 for _ in range(q))), *((1, *row) for row in jacobsthal))
    blocks = {0: ((1, -1), (-1, -1)), 1: ((1, 1), (1, -1)), -1: ((-1, -1), (-1, 1))}
    return tuple(
        tuple(value for entry in row for value in blocks[entry][half])
        for row in conference
        for half in (0, 1)
    )


def _make_jacobsthal(q: int) -> Matrix:
    """Entry (i, j) is 1 where i - j is a square modulo q, -1 where it is none, 0 on the diagonal."""
    squares = {i * i % q for i in range(1, q)}
    return tuple(
        tuple(0 if i == j else 1 if (i - j) % q in squares else -1 for j in range(q)) for i in range(q)
    )


def _is_prime(n: int) -> bool:
    return n > 2 and all(n % divisor for divisor in range(2, int(n**0.5) + 1))
