"""What the sign test shows of normal values: its own judge, simulated, and the binomial distribution."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats as witness
from scipy.special import ndtri

from steelyard.stats.compare.median_ratio import median_of
from steelyard.stats.compare.speedup import resolvable
from steelyard.stats.distributions.sign_test import SignTest, signs_detectable


def scores(n, s=0.02):
    """Log ratios where n normal ones are about to be."""
    return s * ndtri((np.arange(1, n + 1) - 0.375) / (n + 0.25))


def ratio(values):
    return median_of(values, values, values, "block")


@pytest.mark.parametrize(("n", "alpha"), [(7, 0.05), (10, 0.05 / 3), (20, 0.01), (41, 0.05)])
def test_the_difference_that_is_named_shows_in_80_of_100_experiments(n, alpha, perfect_passes):
    """N = 2,000 a cell; all four pass with the probability asserted first."""
    count, low, high = 2000, 1547, 1653
    assert 4 * (1 - perfect_passes(count, 0.8, low, high)) < 0.02
    true = math.log1p(resolvable(ratio(scores(n)), alpha))
    noise = np.sort(np.random.default_rng([1, n]).normal(true, 0.02, (count, n)), axis=1)
    assert low <= sum(SignTest(row, row).p_of(1.0) <= alpha for row in noise) <= high


@pytest.mark.parametrize("n", [7, 10, 30])
def test_the_spread_of_a_median_is_on_average_that_of_its_values(n):
    rng = np.random.default_rng([2, n])
    named = [math.log1p(resolvable(ratio(rng.normal(0, 0.02, n)))) for _ in range(2000)]
    assert np.mean(named) == pytest.approx(0.02 * signs_detectable(n, 0.05, 0.8), rel=0.03)


@pytest.mark.parametrize("n", range(6, 30))
def test_something_shows_only_where_n_equal_signs_reject(n):
    least = 2.0 ** (1 - n)
    assert resolvable(ratio(scores(n)), 0.999 * least) is None
    output = math.log1p(resolvable(ratio(scores(n)), least)) / 0.02
    assert witness.norm.cdf(output) ** n == pytest.approx(0.8)
