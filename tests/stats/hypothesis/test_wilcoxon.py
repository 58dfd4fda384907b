from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import permutation_test, wilcoxon

from steelyard.stats.hypothesis.wilcoxon import centre, rank_tails, signed_rank, signed_rank_cut


def test_table_1_of_firoz(run_2, run_5):
    result = signed_rank(np.array(run_2) - np.array(run_5))
    # The witness gives the smaller of both rank sums.
    assert min(result.statistic, 36 - result.statistic) == 16
    assert result.p == pytest.approx(0.84375)


@pytest.mark.parametrize("n", [1, 6, 20, 50])
@pytest.mark.parametrize("moved", [0.0, 0.5])
def test_up_to_fifty_it_is_scipys_exact_test(n, moved):
    d = np.random.default_rng(n).normal(moved, size=n)
    witness = wilcoxon(d, method="exact")
    result = signed_rank(d)
    assert (min(result.statistic, n * (n + 1) / 2 - result.statistic), result.method) == (
        witness.statistic,
        "exact",
    )
    assert result.p == pytest.approx(witness.pvalue, rel=1e-10)


@pytest.mark.parametrize("decimals", [1, 9])
def test_of_more_it_is_scipys_normal_approximation(decimals):
    d = np.round(np.random.default_rng(1).normal(0.2, size=80), decimals)
    witness = wilcoxon(d, method="asymptotic")
    assert signed_rank(d).p == pytest.approx(witness.pvalue, rel=1e-10)


@given(st.lists(st.integers(-4, 4), min_size=2, max_size=8).filter(any))
def test_with_ties_it_is_the_permutation_of_signs(d):
    d = np.array([x for x in d if x], float)

    def statistic(x):
        ranks = wilcoxon_ranks(x)
        return float(ranks[x > 0].sum())

    assume(d.size > 1)
    witness = permutation_test((d,), statistic, permutation_type="samples", vectorized=False)
    assert signed_rank(d).p == pytest.approx(witness.pvalue, rel=1e-10)


def wilcoxon_ranks(x):
    from scipy.stats import rankdata

    return rankdata(np.abs(x))


def test_zeros_say_nothing():
    assert signed_rank(np.zeros(5)) is None
    assert signed_rank(np.array([0.0, 1.0, 2.0, -0.5])).p == signed_rank(np.array([1.0, 2.0, -0.5])).p


def test_the_centre_is_the_median_of_all_averages_and_its_interval_inverts_the_test():
    d = np.random.default_rng(2).gamma(2, size=15)
    walsh = [(d[i] + d[j]) / 2 for i in range(15) for j in range(i, 15)]
    result = centre(d)
    assert result.value == pytest.approx(np.median(walsh))
    for bound, inwards in ((result.interval.low, 1e-9), (result.interval.high, -1e-9)):
        assert wilcoxon(d - bound - inwards, method="exact").pvalue > 0.05
        assert wilcoxon(d - bound + inwards, method="exact").pvalue <= 0.05


def test_the_cuts_are_those_of_printed_tables():
    """Two-sided 5 %: critical values of T (Wilcoxon) are one below the cut."""
    assert [signed_rank_cut(n, 0.05) - 1 for n in (6, 8, 10, 20, 30)] == [0, 3, 8, 52, 137]
    assert signed_rank_cut(5, 0.05) == 0


def test_a_few_differences_have_a_centre_and_no_interval():
    result = centre(np.array([1.0, 2.0, 6.0]))
    assert (result.value, result.interval) == (2.75, None)
    assert centre(np.array([])) is None


def test_many_differences_take_the_normal_cut():
    d = np.random.default_rng(3).normal(1, size=3000)
    result = centre(d)
    assert result.value == pytest.approx(1, abs=0.06)
    assert result.interval.high - result.interval.low == pytest.approx(2 * 1.96 / 3000**0.5, rel=0.1)


@pytest.mark.parametrize("n", [51, 60, 100, 200])
def test_beyond_fifty_the_cut_is_at_most_two_sums_below_the_exact_one(n):
    exact = np.searchsorted(rank_tails(n)[::-1], 0.025, side="right")
    assert exact - 2 <= signed_rank_cut(n, 0.05) <= exact
