"""What a history keeps of a record: the three things that can change alone."""

from __future__ import annotations

import math

import numpy as np
import pytest

from steelyard.results.digest import Digest
from steelyard.stats.describe.digest import digest, merge, u_of_median


def test_median_scatter_and_slow_runs_are_those_of_the_values():
    values = np.array([1.00, 1.01, 0.99, 1.02, 0.98, 1.5, 1.0, 1.01])
    result = digest(values, "lower")
    assert (result.n, result.slow) == (8, 1)
    assert result.median == pytest.approx(math.exp(np.median(np.log(values))))
    assert result.s == pytest.approx(np.log(np.delete(values, 5)).std(ddof=1))


def test_slow_is_low_where_higher_is_better():
    values = np.array([100.0, 101, 99, 100, 60, 100, 102])
    assert digest(values, "higher").slow == 1
    assert digest(values, "lower").slow == 0


def test_a_difference_of_less_than_a_twentieth_makes_no_run_slow():
    values = np.array([1.0, 1.0, 1.0, 1.0, 1.04])
    assert digest(values, "lower").slow == 0


@pytest.mark.parametrize("values", [[], [1.0, 0.0], [1.0, math.inf], [1.0, math.nan]])
def test_values_without_a_logarithm_are_not_condensed(values):
    assert digest(np.array(values), "lower") is None


def test_one_run_has_no_scatter_and_no_uncertainty():
    result = digest(np.array([2.0]), "lower")
    assert result == Digest(1, 2.0, None, 0)
    assert u_of_median(result) == 0


def test_the_uncertainty_of_a_median_is_that_of_draws():
    """The witness: medians of 4,000 samples of 101 normal values."""
    draws = np.random.default_rng(4).normal(0, 0.02, (4000, 101))
    assert u_of_median(Digest(101, 1.0, 0.02, 0)) == pytest.approx(np.median(draws, axis=1).std(), rel=0.05)


def test_two_records_of_one_commit_weigh_as_their_runs():
    result = merge(Digest(10, 1.0, 0.01, 1), Digest(30, 2.0, 0.03, 2))
    assert (result.n, result.slow) == (40, 3)
    assert result.median == pytest.approx(2 ** (30 / 40))
    assert result.s == pytest.approx(math.sqrt((10 * 1e-4 + 30 * 9e-4) / 40))
