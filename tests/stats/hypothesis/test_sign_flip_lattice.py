"""Shares of the tails of all subset means, against all 2^18 of them and against drawn ones."""

from __future__ import annotations

import numpy as np
import pytest

from steelyard.stats.distributions.order_statistics import up_to
from steelyard.stats.hypothesis.sign_flip_lattice import quantiles

SHAPES = {
    "normal": lambda rng, n: rng.normal(0.3, 1, n),
    "heavy": lambda rng, n: rng.standard_t(2, n),
    "one slow block": lambda rng, n: np.concatenate((rng.normal(0.3, 1, n - 1), [80.0])),
    "one fast block": lambda rng, n: np.concatenate((rng.normal(0.3, 1, n - 1), [-80.0])),
}


def every_mean(d):
    sums, sizes = np.zeros(1), np.zeros(1)
    for item in d:
        sums, sizes = np.concatenate((sums, sums + item)), np.concatenate((sizes, sizes + 1))
    return np.sort(sums[1:] / sizes[1:])


@pytest.mark.parametrize("shape", SHAPES)
def test_tails_are_those_of_all_patterns_within_1_percent_on_average_4_at_worst(shape):
    """Both tails of 20 samples of 18; a drawn pattern's standard error is 11 % at the first share."""
    off = {share: [] for share in (0.005, 0.01, 0.025, 0.1, 0.4)}
    for seed in range(18, 38):
        d = SHAPES[shape](np.random.default_rng(seed), 18)
        exact, counted = every_mean(d), quantiles(d, 2**14 - 1)
        for share, result in off.items():
            place = round(share * 2**14)
            below = up_to(exact, counted[place - 1]) / exact.size
            above = 1 - up_to(exact, counted[-place]) / exact.size
            result += [abs(reached * 2**14 / place - 1) for reached in (below, above)]
    assert max(map(np.mean, off.values())) < 0.0125
    assert max(map(max, off.values())) < 0.04


@pytest.mark.parametrize("n", [40, 64])
@pytest.mark.parametrize("shape", SHAPES)
def test_of_64_they_are_those_of_a_million_drawn_ones(shape, n):
    """Four standard errors of the drawn share."""
    rng = np.random.default_rng(64)
    d = SHAPES[shape](rng, n)
    counted = quantiles(d, 2**14 - 1)
    chosen = rng.random((1_000_000 // 8, n)) < 0.5
    drawn = np.sort(chosen @ d / np.maximum(1, chosen.sum(axis=1)))
    for share in (0.01, 0.025, 0.975, 0.99):
        at = counted[round(share * 2**14) - 1]
        error = 4 * (share * (1 - share) / drawn.size) ** 0.5
        assert up_to(drawn, at) / drawn.size == pytest.approx(share, abs=error + 1 / 2**14)


def test_they_are_ascending_within_the_range_and_move_with_the_differences():
    d = np.random.default_rng(3).normal(size=25)
    counted = quantiles(d, 1023)
    assert (np.diff(counted) >= 0).all()
    assert d.min() <= counted[0] <= counted[-1] <= d.max()
    assert quantiles(-d, 1023)[::-1] == pytest.approx(-counted, abs=2e-3)
