"""Omnibus tests: whether any of several contrasts is not 0, with variances that may differ as they like.

In blocks: the F of repeated measures with both degrees of freedom after Box (1954, Ann. Math. Statist. 25,
484-498, DOI 10.1214/aoms/1177728717), his factor estimated without bias (Huynh and Feldt 1976, J. Educ.
Statist. 1, 69-82, DOI 10.3102/10769986001001069, corrected by Lecoutre 1991). Without blocks: Johansen's
generalisation of Welch's test to any contrasts (1980, Biometrika 67, 85-92, DOI 10.1093/biomet/67.1.85).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import msgspec
import numpy as np

from steelyard.core.arrays import Floats
from steelyard.core.special import f_sf
from steelyard.stats.rounding import ROUNDING


class Omnibus(msgspec.Struct, frozen=True):
    """F with its degrees of freedom, and P(F' >= F)."""

    f: float
    nu1: float
    nu2: float
    p: float


def box(contrasts: Floats, *, scale: float = 1.0) -> Omnibus | None:
    """Hotelling-type test of units by orthonormal contrasts, at least three units.

    ``None`` with fewer, or without a spread that rounding could not have made of logarithms as large as
    ``scale``.

    F = n |m|^2 / tr S, with nu_1 = (tr S)^2 / tr S^2, both estimated without bias, between 1 and d, and
    nu_2 = (n - 1) nu_1.
    """
    n, d = contrasts.shape
    if n < 3 or float(np.ptp(contrasts, axis=0).max()) <= ROUNDING * max(1.0, scale):
        return None
    mean = contrasts.mean(axis=0)
    spread = np.atleast_2d(np.cov(contrasts, rowvar=False))
    trace, squares = float(np.trace(spread)), float((spread * spread).sum())
    if trace <= 0 or squares <= 0:
        return None
    # The same factor of n, which cancels, would make each of them unbiased.
    denominator = n * trace**2 - 2 * squares
    square = (n - 1) * squares - trace**2
    nu1 = min(float(d), max(1.0, denominator / square)) if square > 0 else float(d)
    f = n * float(mean @ mean) / trace
    return Omnibus(f, nu1, (n - 1) * nu1, _upper_tail(f, nu1, (n - 1) * nu1))


FEWEST: Final = 5
"""Launches of a treatment. With fewer and unequal spreads, the test errs in 8 to 12 % where it says 5."""


def welch_james(logs: Sequence[Floats], rows: Floats) -> Omnibus | None:
    """Welch-type test of treatments whose launches belong to no unit.

    ``None`` where one has a single launch or no spread.

    T = (C m)' (C V C')^-1 (C m), V = diag(s_c^2 / n_c); with h_c on the diagonal of V C' (C V C')^-1 C and
    A = sum_c h_c^2 / (n_c - 1), F = T / (d + 2 A - 6 A / (d + 2)) on d and d (d + 2) / (3 A) degrees.
    """
    sizes = np.array([x.size for x in logs])
    if sizes.min() < FEWEST:
        return None
    variances = np.array([float(x.var(ddof=1)) for x in logs]) / sizes
    largest = max(float(np.abs(x).max()) for x in logs)
    if math.sqrt(variances.min()) <= ROUNDING * max(1.0, largest):
        return None
    d = rows.shape[0]
    estimate = rows @ np.array([float(x.mean()) for x in logs])
    inverse = np.linalg.inv((rows * variances) @ rows.T)
    t = float(estimate @ inverse @ estimate)
    # The hat matrix meets Q_c = e_c e_c' only: tr (H Q_c)^2 = (tr H Q_c)^2 = H_cc^2.
    diagonal = variances * np.einsum("ic,ij,jc->c", rows, inverse, rows)
    a = float((diagonal**2 / (sizes - 1)).sum())
    nu2 = d * (d + 2) / (3 * a)
    f = t / (d + 2 * a - 6 * a / (d + 2))
    return Omnibus(f, d, nu2, _upper_tail(f, d, nu2))


def _upper_tail(f: float, nu1: float, nu2: float) -> float:
    return f_sf(nu1, nu2, f)
