from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats as witness

from steelyard.results.undefined import Undefined
from steelyard.stats.compare.contrast import contrast
from steelyard.stats.compare.estimate import estimate
from steelyard.stats.compare.speedup import resolvable
from steelyard.stats.distributions.sign_test import order_of

pairs = st.lists(st.tuples(st.floats(0.5, 2), st.floats(0.5, 2)), min_size=2, max_size=14)


def between(sample, old, new, order="randomized-blocks", **options):
    return contrast(sample(old, **options), sample(new, treatment=2, **options), order=order)


def test_the_estimate_is_the_median_of_the_ratios_of_blocks(sample):
    result = estimate(between(sample, [2.0, 6.0, 4.0], [1.0, 1.0, 1.0]), "median_ratio")
    assert (result.value, result.method, result.n) == (pytest.approx(4.0), "block-median-sign", 3)


@given(pairs, st.floats(0.6, 1.7))
def test_p_is_that_of_the_sign_test_with_ties_on_both_sides(sample, values, ratio):
    old, new = (np.array(value) for value in zip(*values, strict=True))
    result = estimate(between(sample, old, new), "median_ratio")
    log_ratios = np.log(old) - np.log(new)
    below, above = (log_ratios <= math.log(ratio)).sum(), (log_ratios >= math.log(ratio)).sum()
    p = (
        witness.binomtest(int(min(below, above)), len(values)).pvalue
        if min(below, above) * 2 < len(values)
        else 1
    )
    assert result.p_of(ratio) == pytest.approx(min(1.0, p), rel=1e-10)


@given(pairs, st.floats(0.005, 0.4), st.floats(0.6, 1.7))
def test_the_interval_excludes_a_ratio_exactly_when_its_p_is_at_most_alpha(sample, values, alpha, ratio):
    old, new = zip(*values, strict=True)
    result = estimate(between(sample, old, new), "median_ratio")
    p, interval = result.p_of(ratio), result.interval(alpha)
    edge = interval and min(abs(math.log(ratio / interval.low)), abs(math.log(ratio / interval.high))) < 1e-12
    assume(abs(p - alpha) > 1e-12 and not edge)
    assert (p < alpha) == (interval is not None and interval.excludes(ratio))


@pytest.mark.parametrize(
    ("n", "k"),
    [(5, 0), (6, 1), (8, 1), (9, 2), (10, 2), (15, 4), (20, 6), (30, 10), (100, 40), (10**6, 499020)],
)
def test_the_interval_begins_at_the_order_statistic_of_the_tables(n, k):
    """Hollander, Wolfe and Chicken 2014, Table A.2, for n up to 30; beyond, the binomial distribution."""
    assert order_of(n, 0.05) == k
    assert 2 * witness.binom.cdf(k - 1, n, 0.5) <= 0.05 < 2 * witness.binom.cdf(k, n, 0.5)


@given(pairs)
def test_swapping_the_two_turns_everything_over(sample, values):
    old, new = zip(*values, strict=True)
    first, second = (estimate(between(sample, *item), "median_ratio") for item in ((old, new), (new, old)))
    assert first.value == pytest.approx(1 / second.value)
    assert first.p == second.p
    mine, theirs = first.interval(0.3), second.interval(0.3)
    assert (mine is None) == (theirs is None)
    if mine:
        assert mine.low == pytest.approx(theirs.reciprocal().low)


def test_one_value_far_out_moves_nothing_but_itself(sample):
    rng = np.random.default_rng(7)
    old, new = np.exp(rng.normal(0, 0.1, (2, 15)))
    spoiled = new.copy()
    spoiled[np.argmin(old / new)] *= 1e6
    first, second = (estimate(between(sample, old, item), "median_ratio") for item in (new, spoiled))
    assert (first.log, first.interval(), first.p) == (second.log, second.interval(), second.p)


def test_a_constant_ratio_has_the_p_of_its_signs(sample):
    result = estimate(between(sample, [2.0] * 8, [1.0] * 8), "median_ratio")
    assert (result.p, result.interval().low, resolvable(result)) == (2.0**-7, pytest.approx(2.0), None)


def test_one_block_has_no_median(sample):
    assert estimate(between(sample, [1.0], [2.0]), "median_ratio") == Undefined("one_block")


def test_without_pairs_it_is_the_ratio_of_medians_of_price_and_bonett(sample):
    """n = 9: c = 2, z from 2 P(Bin(9, 1/2) <= 1), by hand."""
    rng = np.random.default_rng(8)
    old, new = np.exp(rng.normal(0, 0.2, (2, 9)))
    result = estimate(between(sample, old, new, "sequential"), "median_ratio")
    assert result.value == pytest.approx(np.median(old) / np.median(new))
    z = witness.norm.isf(witness.binom.cdf(1, 9, 0.5))
    errors = [np.log(np.sort(x)[7] / np.sort(x)[1]) / (2 * z) for x in (old, new)]
    assert result.se == pytest.approx(math.hypot(*errors))
    assert (result.method, result.nu) == ("unpaired-medians-log-delta", 16)
    assert result.estimand == "median_ratio"


def test_medians_without_any_spread_about_them_are_no_ratio_unless_all_is_constant(sample):
    flat = [1.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 3.0]
    result = estimate(between(sample, flat, [x * 2 for x in flat], "sequential"), "median_ratio")
    assert result == Undefined("no_spread_at_median")
    constant = estimate(between(sample, [2.0] * 4, [1.0] * 4, "sequential"), "median_ratio")
    assert constant.method == "unpaired-log-ratio-permutation"
