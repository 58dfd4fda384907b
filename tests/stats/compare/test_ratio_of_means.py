from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats as witness

from steelyard.results.undefined import Undefined
from steelyard.stats.compare.adjusted_speedup import adjusted_speedup, cv
from steelyard.stats.compare.contrast import contrast
from steelyard.stats.compare.estimate import effects, estimate
from steelyard.stats.compare.means import means_of
from steelyard.stats.compare.ratio_of_means import gum_draws
from steelyard.stats.distributions.fieller import Fieller
from steelyard.stats.distributions.monte_carlo import MonteCarlo
from steelyard.stats.uncertainty.propagation import expand

pairs = st.lists(st.tuples(st.floats(0.5, 2), st.floats(0.5, 2)), min_size=3, max_size=12)
KINDS = ("log-delta", "fieller", "gum-s1", "bootstrap-t")


def between(sample, old, new, order="randomized-blocks", **of):
    zeros = min(*old, *new) == 0
    return contrast(sample(old, **of), sample(new, treatment=2, **of), order=order, zeros=zeros)


def ends(interval):
    return interval.low, interval.high


def test_table_1_unpaired_log_delta_and_fieller_have_the_golden_intervals(sample, run_2, run_5):
    result = between(sample, run_2, run_5, "sequential")
    log_delta = estimate(result, "ratio_of_means")
    assert (log_delta.value, log_delta.nu) == pytest.approx((1.026769, 10.667455), abs=5e-7)
    assert ends(log_delta.interval()) == pytest.approx((0.652345, 1.616100), abs=5e-7)
    assert (log_delta.method, log_delta.estimand, log_delta.n) == (
        "unpaired-means-log-delta",
        "ratio_of_means",
        16,
    )
    fieller = estimate(result, "ratio_of_means", "fieller")
    assert ends(fieller.interval()) == pytest.approx((0.596401, 1.554747), abs=5e-7)
    assert fieller.distribution.g() == pytest.approx(0.045375, abs=5e-7)


def test_table_1_fieller_with_seven_degrees_of_freedom(sample, run_2, run_5):
    means = means_of(between(sample, run_2, run_5, "sequential"))
    distribution = Fieller(means.value, means.r_top, means.r_bottom, means.r_both, 7)
    assert ends(distribution.interval(0.05)) == pytest.approx((0.568029, 1.598096), abs=5e-7)
    assert distribution.g() == pytest.approx(0.051976, abs=5e-7)


def test_table_1_paired_fieller_and_covariance(sample, run_2, run_5):
    result = between(sample, run_2, run_5)
    assert ends(estimate(result, "ratio_of_means", "fieller").interval()) == pytest.approx(
        (0.681089, 1.332814), abs=5e-7
    )
    means = means_of(result)
    assert means.r_both * means.top_mean * means.bottom_mean == pytest.approx(94.962656, abs=5e-7)
    assert means.r_both / (means.r_top * means.r_bottom) == pytest.approx(0.719170, abs=5e-7)
    assert means.u_relative * means.value == pytest.approx(0.133930, abs=5e-7)


def test_table_1_expanded_uncertainty_and_the_interval_of_the_guide(sample, run_2, run_5):
    pair = between(sample, run_2, run_5, "sequential")
    adjusted = adjusted_speedup(pair, cv(np.array(run_2)), cv(np.array(run_5)))
    result = expand(adjusted.u, adjusted.nu)
    assert (result.k, result.expanded) == pytest.approx((2.209385, 0.465741), abs=5e-7)
    guide = (adjusted.value - result.expanded, adjusted.value + result.expanded)
    assert guide == pytest.approx((0.561028, 1.492510), abs=5e-7)


def test_table_1_monte_carlo_of_supplement_1(sample, run_2, run_5):
    draws = gum_draws(means_of(between(sample, run_2, run_5, "sequential")), seed=1, draws=2_000_000)
    assert draws.mean() == pytest.approx(1.0411, abs=0.003)
    # Not their standard deviation: the ratio has none, and what 2 million draws show of it (0.32 to 0.83 with
    # three seeds) says which seed it was.
    assert ends(MonteCarlo(draws).interval(0.05)) == pytest.approx((0.570, 1.595), abs=0.003)


def test_paired_monte_carlo_draws_the_correlation_too(sample, run_2, run_5):
    result = between(sample, run_2, run_5)
    draws = estimate(result, "ratio_of_means", "gum-s1").interval()
    # Fieller inverts the same bivariate t (paired 0.681 to 1.333); the two agree to a few hundredths.
    assert ends(draws) == pytest.approx((0.68, 1.33), abs=0.05)


@given(pairs)
def test_paired_fieller_is_the_paired_t_of_numerator_minus_ratio_times_denominator(sample, values):
    old, new = (np.array(value) for value in zip(*values, strict=True))
    result = estimate(between(sample, old, new), "ratio_of_means", "fieller")
    assume(result.distribution is not None)
    # Values in one exact ratio have no spread to test by.
    assume(np.ptp(old - result.value * new) >= 1e-6)
    for ratio in (0.8, 1.0, 1.3):
        residuals = old - ratio * new
        assume(np.ptp(residuals) >= 1e-6)
        p = witness.ttest_1samp(residuals, 0).pvalue
        floor = max(witness.ttest_1samp(item, 0).pvalue for item in (old, new) if np.ptp(item) > 1e-6)
        assert result.p_of(ratio) == pytest.approx(max(p, floor), rel=1e-6, abs=1e-12)


@pytest.mark.parametrize("order", ["randomized-blocks", "sequential"])
@pytest.mark.parametrize("kind", KINDS)
@given(values=pairs, alpha=st.floats(0.01, 0.4), ratio=st.floats(0.4, 2.5))
def test_every_interval_excludes_a_ratio_exactly_when_its_p_is_at_most_alpha(
    sample, kind, order, values, alpha, ratio
):
    old, new = zip(*values, strict=True)
    result = estimate(between(sample, old, new, order), "ratio_of_means", kind)
    p, interval = result.p_of(ratio), result.interval(alpha)
    edge = interval and min(abs(ratio - interval.low), abs(ratio - interval.high)) < 1e-9
    assume(abs(p - alpha) > 1e-9 and not edge)
    assert (p < alpha) == (interval is not None and interval.excludes(ratio))


@pytest.mark.parametrize("order", ["randomized-blocks", "sequential"])
@pytest.mark.parametrize("kind", ["log-delta", "fieller"])
@given(values=pairs)
def test_swapping_the_two_turns_the_interval_over(sample, kind, order, values):
    old, new = zip(*values, strict=True)
    result = estimate(between(sample, old, new, order), "ratio_of_means", kind)
    backwards = estimate(between(sample, new, old, order), "ratio_of_means", kind)
    assert result.value == pytest.approx(1 / backwards.value)
    mine, theirs = result.interval(), backwards.interval()
    if mine is not None and theirs is not None:
        assert ends(mine) == pytest.approx(ends(theirs.reciprocal()), rel=1e-7)


@pytest.mark.parametrize("kind", ["gum-s1", "bootstrap-t"])
def test_swapping_the_two_turns_a_drawn_interval_over_up_to_its_draws(sample, kind):
    rng = np.random.default_rng(4)
    old, new = np.exp(rng.normal(0, 0.1, (2, 15)))
    result = estimate(between(sample, old, new), "ratio_of_means", kind)
    backwards = estimate(between(sample, new, old), "ratio_of_means", kind)
    assert ends(result.interval()) == pytest.approx(ends(backwards.interval().reciprocal()), rel=0.01)


@pytest.mark.parametrize("kind", KINDS)
def test_the_order_of_blocks_and_the_unit_of_time_do_not_matter(sample, kind):
    rng = np.random.default_rng(5)
    old, new = np.exp(rng.normal(0, 0.1, (2, 20)))
    order = rng.permutation(20)
    result = estimate(between(sample, old, new), "ratio_of_means", kind)
    shuffled = estimate(between(sample, 1e3 * old[order], 1e3 * new[order]), "ratio_of_means", kind)
    tolerance = 0.01 if kind == "bootstrap-t" else 1e-9
    assert ends(result.interval()) == pytest.approx(ends(shuffled.interval()), rel=tolerance)


def test_draws_depend_on_the_seed_alone(sample):
    rng = np.random.default_rng(6)
    result = between(sample, *np.exp(rng.normal(0, 0.1, (2, 10))))
    for kind in ("gum-s1", "bootstrap-t"):
        first, again, second = (
            estimate(result, "ratio_of_means", kind, seed=s).interval() for s in (1, 1, 2)
        )
        assert first == again != second


def test_a_denominator_that_may_be_zero_has_no_bounded_interval(sample):
    old, new = [10.0, 11.0, 9.0, 10.0], [1.0, 0.0, 30.0, 1.0]
    result = estimate(between(sample, old, new, "sequential"), "ratio_of_means", "fieller")
    assert result.distribution.g() > 1
    assert result.interval() is None
    assert result.p > 0.05


def test_zeros_are_values_of_a_mean_and_a_mean_of_zero_is_none(sample):
    old, new = [3.0, 0.0, 5.0, 4.0], [1.0, 2.0, 0.0, 1.0]
    faults = {"metric": "minor_faults"}
    assert estimate(between(sample, old, new, **faults), "ratio_of_means").value == pytest.approx(3.0)
    none = estimate(between(sample, old, [0.0] * 4, **faults), "ratio_of_means")
    assert none == Undefined("zero_mean")


@pytest.mark.parametrize("kind", KINDS)
def test_units_that_all_have_the_same_ratio_are_judged_by_their_number(sample, kind):
    result = estimate(between(sample, [2.0, 4.0, 6.0], [1.0, 2.0, 3.0]), "ratio_of_means", kind)
    assert (result.value, result.nu, result.p) == (2.0, None, 0.25)
    assert result.method == "block-log-ratio-sign"
    two = estimate(between(sample, [2.0] * 3, [1.0] * 4, "sequential"), "ratio_of_means", kind)
    assert (two.method, two.p) == ("unpaired-log-ratio-permutation", 2 / math.comb(7, 3))


def test_one_block_has_no_ratio(sample):
    assert estimate(between(sample, [1.0], [2.0]), "ratio_of_means") == Undefined("one_block")


def test_two_launches_of_each_are_enough(sample):
    result = estimate(between(sample, [3.0, 5.0], [1.0, 2.0], "sequential"), "ratio_of_means")
    assert (result.value, result.n) == (pytest.approx(4 / 1.5), 4)


def test_the_effects_of_units_have_the_uncertainty_of_the_ratio(sample, run_2, run_5):
    result = between(sample, run_2, run_5)
    answer = effects(result, "ratio_of_means")
    assert witness.sem(answer) == pytest.approx(estimate(result, "ratio_of_means").se)


def test_an_interval_that_the_estimand_does_not_have_is_refused(sample):
    with pytest.raises(ValueError, match="median_ratio has no interval by fieller"):
        estimate(between(sample, [1.0, 2.0], [2.0, 1.0]), "median_ratio", "fieller")


@pytest.mark.parametrize(
    ("order", "method", "p"),
    [
        ("randomized-blocks", "block-log-ratio-sign", 2**-3),
        ("sequential", "unpaired-log-ratio-permutation", 2 / math.comb(8, 4)),
    ],
)
def test_values_without_spread_have_a_ratio_of_means_and_what_their_number_can_say(sample, order, method, p):
    old, new, third = sample([3.0] * 4), sample([1.5] * 4, treatment=2), sample([3.0] * 4, treatment=3)
    result = estimate(contrast(old, new, order=order), "ratio_of_means")
    assert (result.value, result.se, result.p) == (pytest.approx(2.0), 0.0, pytest.approx(p))
    assert (result.method, result.estimand) == (method, "ratio_of_means")
    estimated = estimate(contrast(old, third, order=order), "ratio_of_means")
    assert (estimated.value, estimated.p) == (1.0, 1.0)
