"""Kolmogorov's distribution: the largest distance of n values' empirical distribution from the true one.

Where to use which form follows Simard and L'Ecuyer (2011), DOI 10.18637/jss.v039.i11.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from steelyard.core.special import binomial_pmf

NO_TAIL: Final = 370.0
"""n d^2 from which the tail is below the smallest double."""
FEW: Final = 140
TWICE_ONE_SIDED: Final = {True: 4.0, False: 2.2}
"""n d^2 from which twice the one-sided tail is the tail, for ``FEW`` values and for more."""
LARGEST_POWER: Final = 100_000
LARGEST_MATRIX: Final = 1.4
"""n and n d^(3/2) up to which a power of a matrix is small enough and better than an expansion."""


def kolmogorov_sf(d: float, n: int) -> float:
    """P(D >= d) of n independent values, at least one."""
    square = n * d * d
    if d >= 1 or square >= NO_TAIL:
        return 0.0
    if n * d <= 0.5:
        return 1.0
    if d >= 0.5 or square >= TWICE_ONE_SIDED[n <= FEW]:
        return min(1.0, 2 * one_sided_sf(d, n))
    exact = n <= FEW or (n <= LARGEST_POWER and n * d**1.5 <= LARGEST_MATRIX)
    return min(1.0, max(0.0, 1 - (power_cdf(d, n) if exact else expanded_cdf(d, n))))


def one_sided_sf(d: float, n: int) -> float:
    """Return P(D+ >= d) (Birnbaum and Tingey 1951, DOI 10.1214/aoms/1177729550).

    It is the sum of d / (d + j/n) P(Bin(n, d + j/n) = j) over j up to n (1 - d).
    """
    j = np.arange(math.floor(n * (1 - d)) + 1)
    reach = np.minimum(d + j / n, 1.0)
    return float((d / reach * binomial_pmf(j, n, reach)).sum())


def power_cdf(d: float, n: int) -> float:
    """Return P(D < d) by the n-th power of a matrix.

    It is n! / n^n times the middle entry of that power (Durbin 1973, DOI 10.1137/1.9781611970586; Marsaglia,
    Tsang and Wang 2003, DOI 10.18637/jss.v008.i18).
    """
    k = math.ceil(n * d)
    h = k - n * d
    m = 2 * k - 1
    row, column = np.indices((m, m))
    above = row - column + 1
    matrix = np.where(above >= 0, 1.0, 0.0)
    powers = h ** np.arange(1, m + 1)
    matrix[:, 0] -= powers
    matrix[-1] -= powers[::-1]
    matrix[-1, 0] += max(0.0, 2 * h - 1) ** m
    factorials = np.cumprod(np.concatenate(([1.0], np.arange(1.0, m + 1))))
    # Divided by e, a power grows no more than its factor falls.
    matrix /= factorials[np.maximum(above, 0)] * math.e
    return float(np.linalg.matrix_power(matrix, n)[k - 1, k - 1]) * _stirling(n)


def _stirling(n: int) -> float:
    """N! e^n / n^n."""
    if n <= FEW:
        return math.exp(math.log(math.factorial(n)) + n - n * math.log(n))
    return math.sqrt(2 * math.pi * n) * math.exp(1 / (12 * n) - 1 / (360 * n**3))


def expanded_cdf(d: float, n: int) -> float:
    """P(D < d) to the third power of 1 / sqrt n (Pelz and Good 1976, DOI 10.1111/j.2517-6161.1976.tb01579.x).

    The error is below 1e-8 for n above ``LARGEST_POWER``.
    """
    z2 = n * d * d
    count = math.ceil(16 * math.sqrt(z2) / math.pi) + 1
    half = (math.pi * (np.arange(count) + 0.5)) ** 2
    squares = (math.pi * np.arange(1, count + 1)) ** 2
    odd, even = np.exp(-half / (2 * z2)), np.exp(-squares / (2 * z2))
    terms = (
        odd.sum(),
        ((half - z2) * odd).sum() / (6 * z2**1.5),
        ((6 * z2**3 + 2 * z2**2 + (2 * z2**2 - 5 * z2) * half + (1 - 2 * z2) * half**2) * odd).sum()
        / (72 * z2**3)
        - (squares * even).sum() / (36 * z2),
        (
            (
                (5 - 30 * z2) * half**3
                + (212 * z2**2 - 60 * z2) * half**2
                + (135 * z2**2 - 96 * z2**3) * half
                - 30 * z2**3
                - 90 * z2**4
            )
            * odd
        ).sum()
        / (6480 * z2**4.5)
        + ((3 * z2 - squares) * squares * even).sum() / (216 * z2**2.5),
    )
    total = sum(float(term) / math.sqrt(n) ** i for i, term in enumerate(terms))
    return math.sqrt(2 * math.pi / z2) * total
