from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats as witness

from steelyard.stats.describe.trend import MOST, trend


@given(st.lists(st.integers(0, 12), min_size=8, max_size=60))
def test_tau_and_p_are_those_of_kendall_with_ties(values):
    assume(len(set(values)) > 1)
    result = trend(np.array(values, dtype=float))
    expected = witness.kendalltau(np.arange(len(values)), values, method="asymptotic", variant="b")
    assert result.tau == pytest.approx(expected.statistic, abs=1e-12)
    assert result.p == pytest.approx(expected.pvalue, rel=1e-9, abs=1e-300)


def test_a_steady_rise_is_a_trend_of_1_and_a_fall_of_minus_1():
    assert trend(np.arange(12.0)).tau == 1
    assert trend(-np.arange(12.0)).tau == -1
    assert trend(np.arange(12.0)).significant


@pytest.mark.parametrize("values", [np.arange(7.0), np.ones(30)])
def test_too_few_or_equal_values_have_none(values):
    assert trend(values) is None


@pytest.mark.parametrize("n", [MOST, MOST + 1, 5000])
def test_of_many_values_neighbours_are_averaged_first(n):
    values = np.random.default_rng(8).normal(size=n) + np.linspace(0, 0.2, n)
    means = [part.mean() for part in np.array_split(values, MOST)]
    expected = witness.kendalltau(np.arange(MOST), means, method="asymptotic")
    # Both split evenly, but put the longer parts elsewhere.
    assert trend(values).tau == pytest.approx(expected.statistic, abs=0.02)
    if n == MOST:
        assert trend(values).p == pytest.approx(expected.pvalue, rel=1e-9)


def test_a_drift_of_a_tenth_of_the_noise_is_seen_in_half_a_million_values():
    rng = np.random.default_rng(8)
    assert trend(rng.normal(size=500_000) + np.linspace(0, 0.1, 500_000)).significant
    assert not trend(rng.normal(size=500_000)).significant


@pytest.mark.parametrize("n", [8, 15, 40, 1000])
def test_values_without_drift_are_flagged_about_once_in_a_hundred(n, perfect_passes):
    """N = 4000 at a rate of 1 %, which the approximation stays below at n = 8."""
    count, most = 4000, 56
    assert perfect_passes(count, 0.01, 0, most) > 0.98
    rng = np.random.default_rng(n)
    flagged = sum(trend(rng.normal(size=n)).significant for _ in range(count))
    assert flagged <= most


def test_a_drift_of_two_standard_deviations_over_the_run_is_seen():
    rng = np.random.default_rng(9)
    assert sum(trend(rng.normal(size=40) + np.linspace(0, 3, 40)).significant for _ in range(200)) > 190
