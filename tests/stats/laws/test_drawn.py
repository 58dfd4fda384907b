"""The bootstrap-t by draws that are written down."""

from __future__ import annotations

import math

import numpy as np
import pytest

from steelyard.stats.laws.drawn import Studentised


def law(*t, log=0.0, se=0.01):
    return Studentised(log, se, np.sort(np.array(t, dtype=float)))


def test_p_is_twice_the_share_of_draws_as_far_out_with_the_hypothesis_among_them():
    of = law(*range(-10, 11), log=0.05)
    assert of.p_of(1.0) == pytest.approx(2 * (6 + 1) / 22)  # at t = 5: 5, 6, ..., 10
    assert of.p_of(math.exp(0.05)) == 1.0
    assert of.p_of(2.0) == pytest.approx(2 / 22)


@pytest.mark.parametrize("far", [math.inf, 7.1e4, -7.1e4, -math.inf])
def test_a_draw_whose_bound_leaves_the_range_of_numbers_is_as_good_as_infinite(far):
    # exp(710) is none; se = 0.01 makes t = 7.1e4 of it.
    assert law(*range(-10, 10), far, far).p_of(0.5) == pytest.approx(2 * (2 + 1) / 23)


@pytest.mark.parametrize("far", [20.0, 6.9e4, -6.9e4])
def test_a_draw_whose_bound_is_a_number_is_not(far):
    assert law(*range(-10, 10), far, far).p_of(1e300 if far < 0 else 1e-300) == pytest.approx(2 / 23)
