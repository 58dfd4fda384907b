"""Intervals given that something is named; the witness is SciPy's t, cut off and solved by SciPy."""

from __future__ import annotations

import pytest
from scipy.optimize import brentq
from scipy.stats import t as student

from steelyard.extensions.explain.conditional import conditional_interval


def witness(x, nu, cut, level):
    """P(X >= x) of a t around a mean, given abs(X) >= cut, solved for the mean."""

    def reaches(mean):
        law = student(nu, loc=mean)
        return law.sf(x) / (law.sf(cut) + law.cdf(-cut))

    return brentq(lambda mean: reaches(mean) - level, 0, x)


@pytest.mark.parametrize(("x", "nu", "cut"), [(4.5, 19, 3.0), (5.5, 11, 3.1), (8.0, 30, 2.8)])
def test_the_end_towards_0_is_that_of_a_t_that_is_cut_off_and_the_other_that_of_t(x, nu, cut):
    interval = conditional_interval(x * 0.5, 0.5, nu, cut, 0.05)
    assert interval.low == pytest.approx(0.5 * witness(x, nu, cut, 0.025), rel=1e-6)
    assert interval.low < 0.5 * (x - student.ppf(0.975, nu))
    assert interval.high == pytest.approx(0.5 * (x + student.ppf(0.975, nu)), rel=1e-6)


def test_far_above_the_critical_value_it_is_the_interval_of_t():
    half = student.ppf(0.975, 19)
    interval = conditional_interval(40.0, 1.0, 19, 3.0, 0.05)
    assert interval.low == pytest.approx(40 - half, rel=1e-6)
    assert interval.high == pytest.approx(40 + half, rel=1e-6)


def test_at_the_critical_value_it_begins_at_0_and_a_negative_one_is_its_mirror():
    above = conditional_interval(3.01, 1.0, 19, 3.0)
    below = conditional_interval(-3.01, 1.0, 19, 3.0)
    assert above.low == 0
    assert above.high > 3.01
    assert (below.low, below.high) == (-above.high, 0)
