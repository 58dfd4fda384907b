from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import quad

from steelyard.stats.distributions.durbin_watson import chance_of_likeness, likeness_by_chance


def exactly(r1, n):
    """P(d'(A - r1 I)d > 0) from the characteristic function (Imhof 1961, DOI 10.1093/biomet/48.3-4.419)."""
    neighbours = np.diag(np.full(n - 1, 0.5), 1)
    projection = np.eye(n) - 1 / n
    form = projection @ (neighbours + neighbours.T) @ projection
    roots = np.linalg.eigvalsh(form - r1 * projection)
    roots = roots[np.abs(roots) > 1e-9]

    def integrand(u):
        angle = np.arctan(roots * u).sum() / 2
        return math.sin(angle) / (u * np.prod((1 + (roots * u) ** 2) ** 0.25))

    return 0.5 + quad(integrand, 0, math.inf, limit=400)[0] / math.pi


@pytest.mark.parametrize("n", [7, 8, 10, 15, 20, 30, 60])
def test_the_chance_is_that_of_the_exact_distribution(n):
    for errors in (0.0, 0.84, 1.28, 1.96):
        r1 = errors / math.sqrt(n)
        assert chance_of_likeness(r1, n) == pytest.approx(exactly(r1, n), abs=6e-3)


@pytest.mark.parametrize("n", [3, 8, 30, 10_000])
def test_what_so_many_exceed_is_the_inverse(n):
    for chance in (0.5, 0.1, 0.001):
        assert chance_of_likeness(likeness_by_chance(chance, n), n) == pytest.approx(chance, rel=1e-9)
    assert chance_of_likeness(1.0, n) == 0
    assert chance_of_likeness(-1.0, n) == 1
