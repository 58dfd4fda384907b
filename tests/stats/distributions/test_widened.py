"""An estimate and an independent error: two normal ones are one normal one, of the root of both squares."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats as witness

from steelyard.stats.distributions.sign_test import SignTest
from steelyard.stats.distributions.student import LogT
from steelyard.stats.distributions.widened import Widened

NORMAL = 1e9


@pytest.mark.parametrize("alpha", [0.5, 0.05, 1e-6])
def test_normal_errors_add_by_their_squares(alpha):
    both = Widened(LogT(0.1, 0.03, NORMAL), 0.1, 0.04, NORMAL)
    interval = both.interval(alpha)
    low, high = witness.norm.interval(1 - alpha, 0.1, 0.05)
    assert (math.log(interval.low), math.log(interval.high)) == pytest.approx((low, high), rel=1e-6)
    for ratio in (0.9, 1.0, 1.2):
        p = 2 * witness.norm.sf(abs(0.1 - math.log(ratio)) / 0.05)
        assert both.p_of(ratio) == pytest.approx(p, rel=1e-5)


def test_p_and_interval_agree_where_the_sign_test_has_few_levels():
    values = np.array([-0.02, -0.01, 0.0, 0.01, 0.02, 0.03, 0.05])
    narrow = SignTest(values, values)
    both = Widened(narrow, 0.01, 0.02, 11)
    for alpha in (0.02, 0.05, 0.3):
        interval = both.interval(alpha)
        inner = narrow.interval(alpha)
        assert interval.low < inner.low
        assert interval.high > inner.high
        for ratio, is_out in ((interval.low * 0.999, True), (interval.high * 0.999, False)):
            assert (both.p_of(ratio) <= alpha) == is_out


def test_what_is_known_from_one_side_alone_is_judged_on_that_side():
    lows = np.linspace(0.5, 0.6, 12)
    late = SignTest(lows, np.full(12, math.inf))
    both = Widened(late, 0.55, 0.02, 11)
    assert both.interval(0.05) is None
    assert late.p_of(1.0) <= both.p_of(1.0) < 0.01
    assert both.p_of(3.0) == 1.0
    assert Widened(late, 0.55, 0.5, 11).p_of(1.0) > 0.05
