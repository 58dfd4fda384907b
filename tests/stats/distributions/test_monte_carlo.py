"""Monte Carlo distributions whose draws are written down."""

from __future__ import annotations

import math

import numpy as np
import pytest

from steelyard.stats.distributions.monte_carlo import MonteCarlo, Studentised


def distribution(*t, log=0.0, se=0.01):
    return Studentised(log, se, np.sort(np.array(t, dtype=float)))


def test_p_is_twice_the_share_of_draws_as_far_out_with_the_hypothesis_among_them():
    result = distribution(*range(-10, 11), log=0.05)
    assert result.p_of(1.0) == pytest.approx(2 * (6 + 1) / 22)  # at t = 5: 5, 6, ..., 10
    assert result.p_of(math.exp(0.05)) == 1.0
    assert result.p_of(2.0) == pytest.approx(2 / 22)


@pytest.mark.parametrize("far", [math.inf, 7.1e4, -7.1e4, -math.inf])
def test_a_draw_whose_bound_leaves_the_range_of_numbers_is_as_good_as_infinite(far):
    # exp(710) is none; se = 0.01 makes t = 7.1e4 of it.
    assert distribution(*range(-10, 10), far, far).p_of(0.5) == pytest.approx(2 * (2 + 1) / 23)


@pytest.mark.parametrize("far", [20.0, 6.9e4, -6.9e4])
def test_a_draw_whose_bound_is_a_number_is_not(far):
    assert distribution(*range(-10, 10), far, far).p_of(1e300 if far < 0 else 1e-300) == pytest.approx(2 / 23)


@pytest.mark.parametrize(("draws", "at"), [(39, 1), (79, 2), (118, 2), (119, 3), (9999, 250)])
def test_the_interval_of_draws_ends_at_the_kth_of_either_end(draws, at):
    result = MonteCarlo(np.arange(1.0, draws + 1)).interval(0.05)
    assert (result.low, result.high) == (at, draws + 1 - at)


def test_draws_that_are_too_few_or_that_reach_0_bound_nothing():
    assert MonteCarlo(np.arange(1.0, 39)).interval(0.05) is None
    assert MonteCarlo(np.arange(0.0, 39)).interval(0.05) is None
    assert MonteCarlo(np.arange(0.0, 79)).interval(0.05).low == 1.0


def test_p_counts_the_hypothesis_itself_and_draws_of_0_and_below():
    assert MonteCarlo(np.arange(1.0, 40)).p_of(3.0) == pytest.approx(2 * (3 + 1) / 40)
    assert MonteCarlo(np.arange(1.0, 40)).p_of(37.5) == pytest.approx(2 * (2 + 1) / 40)
    assert MonteCarlo(np.arange(1.0, 40)).p_of(20.0) == 1.0
    assert MonteCarlo(np.arange(-3.0, 36)).p_of(0.5) == pytest.approx(2 * (4 + 1) / 40)
    assert MonteCarlo(np.arange(-3.0, 36)).p_of(1e9) == pytest.approx(2 * (4 + 1) / 40)


def test_the_interval_of_the_bootstrap_turns_the_distribution_of_t_over():
    result = distribution(*np.arange(-10, 29) / 10, log=0.5, se=0.2).interval(0.05)
    assert (math.log(result.low), math.log(result.high)) == pytest.approx((0.5 - 2.8 * 0.2, 0.5 + 1.0 * 0.2))
