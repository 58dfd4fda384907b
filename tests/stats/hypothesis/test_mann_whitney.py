from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import mannwhitneyu, permutation_test

from steelyard.stats.hypothesis.mann_whitney import rank_sum, u_tails

ALTERNATIVES = ["two-sided", "less", "greater"]


def test_table_1_of_firoz(run_2, run_5):
    result = rank_sum(np.array(run_2), np.array(run_5))
    assert (result.statistic, result.method) == (27, "exact")
    assert result.p == pytest.approx(0.645377, rel=1e-5)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize(("m", "n"), [(1, 1), (2, 5), (8, 8), (30, 30), (4, 600)])
@pytest.mark.parametrize("shift", [0.0, -0.8, 9.0])
def test_without_ties_it_is_scipys_exact_test(m, n, shift, alternative):
    rng = np.random.default_rng([m, n])
    a, b = rng.normal(size=m), rng.normal(shift, size=n)
    witness = mannwhitneyu(a, b, alternative=alternative, method="exact")
    result = rank_sum(a, b, alternative)
    assert (result.statistic, result.method) == (witness.statistic, "exact")
    assert result.p == pytest.approx(witness.pvalue, rel=1e-10)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("decimals", [1, 9])
def test_of_more_values_it_is_scipys_normal_approximation_with_both_corrections(decimals, alternative):
    rng = np.random.default_rng(3)
    a, b = np.round(rng.normal(size=60), decimals), np.round(rng.normal(0.3, size=55), decimals)
    witness = mannwhitneyu(a, b, alternative=alternative, method="asymptotic")
    result = rank_sum(a, b, alternative)
    assert (result.statistic, result.method) == (witness.statistic, "normal")
    assert result.p == pytest.approx(witness.pvalue, rel=1e-10)


@settings(max_examples=30)
@given(
    st.lists(st.integers(0, 4), min_size=2, max_size=6),
    st.lists(st.integers(0, 4), min_size=2, max_size=5),
    st.sampled_from(ALTERNATIVES),
)
def test_with_ties_it_is_the_permutation_test_of_scipy(a, b, alternative):
    a, b = np.array(a, float), np.array(b, float)
    result = rank_sum(a, b, alternative)

    def u(x, y):
        return mannwhitneyu(x, y, method="asymptotic").statistic

    witness = permutation_test((a, b), u, n_resamples=10**6, alternative=alternative)
    assert result.p == pytest.approx(witness.pvalue, rel=1e-10)


def test_constant_and_equal_samples_are_not_different_and_not_nan():
    ones = np.ones(20)
    assert rank_sum(ones, ones).p == 1
    assert rank_sum(np.ones(5), np.ones(5)).p == 1


def test_no_values_no_test():
    assert rank_sum(np.array([]), np.array([1.0])) is None


def test_small_tails_keep_their_digits():
    tails = u_tails(50, 50)
    assert tails[-1] == pytest.approx(1 / 1.0089134454556e29, rel=1e-10)
    assert tails[0] == pytest.approx(1)
