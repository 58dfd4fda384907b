from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import mannwhitneyu

from steelyard.stats.hypothesis.hodges_lehmann import rank_sum_cut, shift


def test_by_hand():
    result = shift(np.array([1.0, 2.0, 4.0]), np.array([3.0, 5.0, 9.0]))
    assert result.value == 3.0  # of -1, 1, 1, 2, 3, 4, 5, 7, 8
    assert result.ci95 is None  # 3 against 3 can reject nothing at 5 %


@pytest.mark.parametrize(("m", "n"), [(4, 4), (10, 10), (30, 30), (60, 70)])
def test_the_interval_holds_the_shifts_that_scipys_rank_sum_test_does_not_reject(m, n):
    rng = np.random.default_rng([m, n])
    a, b = np.sort(rng.normal(size=m)), np.sort(rng.normal(0.5, size=n))
    result = shift(a, b)
    exact = "exact" if m * n <= 2500 else "asymptotic"

    def p(moved):
        return mannwhitneyu(a, b - moved, method=exact, use_continuity=False).pvalue

    step = 1e-6
    low, high = result.ci95.low, result.ci95.high
    assert min(p(low + step), p(high - step)) > 0.048
    assert max(p(low - step), p(high + step)) <= 0.052
    if exact == "exact":
        assert min(p(low + step), p(high - step)) > 0.05
        assert max(p(low - step), p(high + step)) <= 0.05


def test_the_cuts_are_those_of_printed_tables():
    """Two-sided 5 %: critical values of U (Mann and Whitney) are one below the cut."""
    assert [rank_sum_cut(n, n, 0.05) - 1 for n in (4, 5, 8, 10, 15, 20)] == [0, 2, 13, 23, 64, 127]
    assert rank_sum_cut(3, 3, 0.05) == 0


@given(
    st.lists(st.floats(-100, 100), min_size=4, max_size=12),
    st.lists(st.floats(-100, 100), min_size=4, max_size=12),
)
def test_swapping_turns_it_over_and_moving_moves_it(a, b):
    a, b = np.sort(a), np.sort(b)
    first, second = shift(a, b), shift(b, a)
    assert first.value == pytest.approx(-second.value, abs=1e-9)
    assert first.ci95.low == pytest.approx(-second.ci95.high, abs=1e-9)
    assert shift(a, b + 8).value == pytest.approx(first.value + 8, abs=1e-9)
    assert first.ci95.low <= first.value <= first.ci95.high


def test_no_values_no_shift():
    assert shift(np.array([]), np.array([1.0])) is None


def test_one_value_against_thousands_has_no_interval():
    result = shift(np.array([5.0]), np.arange(3000.0))
    assert (result.value, result.ci95) == (1494.5, None)
