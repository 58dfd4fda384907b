from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats as witness
from statsmodels.stats.robust_compare import TrimmedMean

from steelyard.results.undefined import Undefined
from steelyard.stats.contexts.across import (
    MOST_EACH,
    compare_across_contexts,
    median_interval,
    robust,
    two_level,
)
from steelyard.stats.contexts.visits import Visits


def pair(sample, d, *, common=None):
    """Two samples whose log speedups are ``d[context][pass]``, visited pass by pass."""
    d = np.asarray(d, dtype=float)
    contexts, passes = d.shape
    ids = np.tile(np.arange(1, contexts + 1), passes).tolist()
    numbers = np.repeat(np.arange(1, passes + 1), contexts).tolist()
    shared = np.zeros(d.size) if common is None else common
    return (
        sample(np.exp(shared + d.T.ravel()), contexts=ids, passes=numbers),
        sample(np.exp(shared), treatment=2, contexts=ids, passes=numbers),
    )


def test_one_value_a_context_gives_the_interval_of_the_mean_and_of_one_new_context(sample):
    d = np.random.default_rng(1).normal(0.01, 0.02, (12, 3))
    result = compare_across_contexts(*pair(sample, d))
    means, t = d.mean(axis=1), witness.t.isf(0.025, 11)
    low, high = witness.ttest_1samp(means, 0).confidence_interval()
    assert math.log(result.speedup) == pytest.approx(means.mean())
    assert np.log([result.interval.low, result.interval.high]) == pytest.approx([low, high])
    half = t * means.std(ddof=1) * math.sqrt(1 + 1 / 12)
    assert np.log([result.prediction.low, result.prediction.high]) == pytest.approx(
        [means.mean() - half, means.mean() + half]
    )
    assert (result.contexts, result.passes) == (12, 3)
    assert result.unseen == pytest.approx(1 - 0.05 ** (1 / 12))


def test_contexts_are_counted_on_each_side_and_by_their_own_intervals(sample):
    noise = np.tile([-0.001, 0, 0.001], (6, 1))
    d = np.array([0.02, 0.03, 0.0004, -0.0004, -0.02, -0.03])[:, None] + noise
    result = compare_across_contexts(*pair(sample, d))
    assert (result.sides.faster, result.sides.slower) == (3, 3)
    assert (result.sides.faster_alone, result.sides.slower_alone) == (2, 2)
    assert result.noise == pytest.approx(0.001)
    half = witness.t.isf(0.025, 12) * 0.001 / math.sqrt(3)
    assert math.log(result.singles[0].interval.high) == pytest.approx(0.02 + half)
    assert [single.alone for single in result.singles] == [1, 1, 0, 0, -1, -1]


def test_of_many_contexts_sides_are_counted_and_none_is_told_alone(sample):
    d = np.random.default_rng(9).normal(0.001, 0.02, (MOST_EACH + 1, 1))
    result = compare_across_contexts(*pair(sample, d))
    assert result.singles == ()
    assert result.sides.faster == (d > 0).sum()
    assert result.sides.faster + result.sides.slower == MOST_EACH + 1


def test_one_pass_separates_nothing_and_says_nothing_of_single_contexts(sample):
    result = compare_across_contexts(*pair(sample, np.random.default_rng(2).normal(0, 0.02, (20, 1))))
    assert (result.components, result.interaction, result.noise, result.bootstrap) == (None, None, None, None)
    assert (result.sides.faster_alone, result.sides.slower_alone) == (None, None)
    assert result.prediction.low < result.interval.low < result.speedup


def test_contexts_move_both_treatments_and_the_comparison_which_are_told_apart(sample):
    rng = np.random.default_rng(3)
    contexts, passes = 60, 3
    d = rng.normal(0, 0.01, (contexts, 1)) + rng.normal(0, 0.005, (contexts, passes))
    common = np.tile(rng.normal(0, 0.05, contexts), passes)
    result = compare_across_contexts(*pair(sample, d, common=common))
    assert result.interaction == pytest.approx(0.01, rel=0.3)
    assert result.noise == pytest.approx(0.005, rel=0.3)
    assert result.common == pytest.approx(0.05, rel=0.3)


def test_the_default_context_has_a_rank_where_it_was_drawn(sample):
    arms = pair(sample, [[0.0], [0.02], [0.01]])
    assert compare_across_contexts(*arms, default=3).default_rank == 2
    assert compare_across_contexts(*arms, default=2).default_rank == 1
    assert compare_across_contexts(*arms, default=9).default_rank is None
    assert compare_across_contexts(*arms).default_rank is None


def test_one_context_or_no_logarithm_is_no_result(sample):
    assert compare_across_contexts(*pair(sample, [[0.1, 0.2]])) == Undefined("one_context")
    assert compare_across_contexts(sample([0, 1]), sample([1, 1], treatment=2)) == Undefined("zero_values")


def test_scaling_all_times_changes_nothing_and_swapping_the_arms_inverts(sample):
    d = np.random.default_rng(4).normal(0.01, 0.02, (12, 3))
    old, new = pair(sample, d)
    result, back = compare_across_contexts(old, new), compare_across_contexts(new, old)
    assert back.speedup == pytest.approx(1 / result.speedup)
    assert back.prediction.low == pytest.approx(1 / result.prediction.high)
    assert back.interaction == pytest.approx(result.interaction)
    assert back.sides.faster_alone == result.sides.slower_alone


def test_trimmed_mean_and_its_interval_are_those_of_statsmodels():
    x = np.random.default_rng(5).standard_t(3, 23)
    result, oracle = robust(x), TrimmedMean(x, 0.2)
    assert result.trimmed == pytest.approx(witness.trim_mean(x, 0.2), rel=1e-12)
    half = witness.t.isf(0.025, 23 - 8 - 1) * oracle.data_winsorized.std(ddof=1) / (0.6 * math.sqrt(23))
    assert (result.trimmed_interval.high - result.trimmed_interval.low) / 2 == pytest.approx(half, rel=1e-12)


@pytest.mark.parametrize("n", [6, 10, 17, 40])
def test_the_interval_of_the_median_is_the_one_of_the_sign_test(n):
    x = np.sort(np.random.default_rng(n).normal(size=n))
    result = median_interval(x)
    oracle = witness.quantile_test(x, q=0, p=0.5).confidence_interval(0.95)
    assert (result.low, result.high) == (oracle.low, oracle.high)


def test_five_values_hold_no_median_with_95_percent():
    assert median_interval(np.arange(5.0)) is None
    assert robust(np.arange(4.0)) is None
    assert robust(np.arange(5.0)).median_interval is None


def test_a_rare_slow_context_makes_the_mean_differ_from_the_middle(sample):
    d = np.random.default_rng(6).normal(0, 0.005, (20, 1))
    assert not compare_across_contexts(*pair(sample, d)).robust.mean_differs
    d[7] = math.log(2.5)
    result = compare_across_contexts(*pair(sample, d)).robust
    assert result.mean_differs
    assert result.trimmed == pytest.approx(1, abs=0.005)


def test_equal_values_do_not_differ_from_their_own_middle():
    result = robust(np.full(9, 0.1))
    assert not result.mean_differs
    assert result.trimmed_interval.low == result.trimmed_interval.high


def laid_out(table):
    contexts, passes = table.shape
    ids = np.repeat(np.arange(contexts), passes)
    return Visits(table.ravel(), ids, np.tile(np.arange(passes), contexts), np.arange(table.size))


def test_the_bootstrap_draws_contexts_and_visits_within_them():
    """The witness draws with numpy: 20,000 times, so that both quantiles differ by chance alone."""
    rng = np.random.default_rng(7)
    table = rng.normal(0, 0.1, (30, 3)) + rng.lognormal(0, 0.5, (30, 1)) / 10
    result = two_level(laid_out(table), resamples=20_000)
    assert result == two_level(laid_out(table), resamples=20_000) != two_level(laid_out(table), seed=2)
    contexts = rng.integers(0, 30, (20_000, 30, 1))
    drawn = table[contexts, rng.integers(0, 3, (20_000, 30, 3))].mean(axis=2)
    means = table.mean(axis=1)
    t = (drawn.mean(axis=1) - means.mean()) / (drawn.std(axis=1, ddof=1) / math.sqrt(30))
    se = means.std(ddof=1) / math.sqrt(30)
    ends = means.mean() - np.quantile(t, (0.975, 0.025)) * se
    assert np.log([result.low, result.high]) == pytest.approx(ends, abs=0.08 * se)


def test_the_bootstrap_is_a_cross_check_from_ten_contexts_on():
    table = laid_out(np.random.default_rng(7).normal(0, 1, (11, 3)))
    columns = (table.values, table.contexts, table.passes, table.blocks)
    assert two_level(Visits(*(column[:27] for column in columns))) is None
    assert two_level(Visits(*(item[:-1] for item in columns))) is not None


def test_contexts_that_do_not_differ_are_not_drawn_again():
    assert two_level(laid_out(np.tile([0.1, 0.2, 0.4], (12, 1)))) is None


def test_cross_checks_are_told_as_ratios(sample):
    d = np.random.default_rng(10).normal(0.3, 0.1, (12, 3))
    result = compare_across_contexts(*pair(sample, d))
    drawn, middle = two_level(laid_out(d)), robust(d.mean(axis=1))
    message = (result.bootstrap.low, result.bootstrap.high)
    assert message == pytest.approx((drawn.low, drawn.high), rel=1e-12)
    for message, change in (
        (result.robust.median_interval, middle.median_interval),
        (result.robust.trimmed_interval, middle.trimmed_interval),
    ):
        assert np.log([message.low, message.high]) == pytest.approx([change.low, change.high])
    assert np.log([result.robust.median, result.robust.trimmed]) == pytest.approx(
        [middle.median, middle.trimmed]
    )
