"""Sessions against sessions: witness is the prediction interval from scipy.stats.t, and a simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import t

from steelyard.stats.compare.sessions import SessionMeans, compare_sessions

OLD = [0.01, -0.02, 0.00, 0.02, -0.01]


def alone(value):
    """A mean without a reference beside it."""
    return SessionMeans(value, math.nan)


def compared(old, new):
    (result,) = compare_sessions([{"f": item} for item in old], {"f": new})
    return result


def test_the_interval_is_the_prediction_interval_of_one_more_session():
    result = compared(map(alone, OLD), alone(-0.5))
    half = t.ppf(0.975, 4) * np.std(OLD, ddof=1) * math.sqrt(1 + 1 / 5)
    assert result.speedup == pytest.approx(math.exp(np.mean(OLD) + 0.5))
    assert result.interval.low == pytest.approx(math.exp(np.mean(OLD) + 0.5 - half))
    assert result.interval.high == pytest.approx(math.exp(np.mean(OLD) + 0.5 + half))
    assert (result.outcome, result.sessions) == ("faster", 5)


def test_a_session_like_the_others_is_not_resolved():
    result = compared(map(alone, OLD), alone(0.005))
    assert result.outcome == "not_resolved"
    assert result.p_holm > 0.5


def test_one_old_session_decides_nothing_however_large_the_change():
    result = compared([alone(0.0)], alone(5.0))
    assert (result.outcome, result.interval, result.p_holm) == ("not_resolved", None, None)


def test_equal_old_sessions_have_no_spread_to_judge_by():
    result = compared([alone(0.0), alone(0.0)], alone(0.1))
    assert (result.outcome, result.interval) == ("not_resolved", None)


def test_tests_that_only_one_side_has_are_left_out():
    assert compare_sessions([{"f": alone(0.0)}, {"f": alone(0.1)}], {"g": alone(0.0)}) == ()


def test_several_tests_are_one_family_by_holm():
    old = [dict.fromkeys("fg", alone(value)) for value in OLD]
    both = compare_sessions(old, dict.fromkeys("fg", alone(0.06)))
    result = compared(map(alone, OLD), alone(0.06))
    assert both[0].p_holm == pytest.approx(2 * result.p_holm)


def test_slower_is_called_of_an_equal_session_in_one_of_forty_at_most():
    """4,000 simulated comparisons at the 5 % level, half of whose errors are "slower" (seed 1)."""
    draw = np.random.default_rng(1)
    called = [
        compared(map(alone, values[:5]), alone(values[5])).outcome
        for values in draw.normal(0, 0.02, (4000, 6)).tolist()
    ]
    share = called.count("slower") / len(called)
    assert abs(share - 0.025) < 3 * math.sqrt(0.025 * 0.975 / 4000)


def test_what_slows_the_reference_too_is_not_called_slower():
    result = compared(
        [SessionMeans(value, value) for value in (0.0, 0.2, -0.1, 0.3)], SessionMeans(1.0, 1.01)
    )
    assert (result.outcome, result.relative) == ("not_resolved", True)
    old = [
        SessionMeans(value, value + small)
        for value, small in zip(OLD, (0.001, 0, 0.002, 0, 0.001), strict=True)
    ]
    assert compared(old, SessionMeans(0.1, 0.0)).outcome == "slower"


def test_a_test_that_waits_is_not_held_to_a_reference_that_wanders():
    old = [SessionMeans(value / 100, value) for value in OLD]
    result = compared(old, SessionMeans(0.01, -0.02))
    assert (result.outcome, result.relative) == ("slower", False)


def test_one_session_without_a_reference_leaves_it_out_of_all():
    old = [SessionMeans(value, 0.0) for value in OLD]
    assert compared(old, SessionMeans(0.0, 0.0)).relative
    assert not compared([*old, alone(0.0)], SessionMeans(0.0, 0.0)).relative
    assert not compared(old, alone(0.0)).relative


@pytest.mark.simulates
@pytest.mark.parametrize("own_s", [0.005, 0.02, 0.08])
def test_choosing_between_time_and_ratio_costs_less_than_two_per_cent(own_s):
    """20,000 simulations of a test that does not follow a reference with s = 4 %: 2.5 % in the tail
    without the choice, 4.2 at worst with it (seed 2).
    """
    draw = np.random.default_rng(2)
    called = [
        compared([SessionMeans(*pair) for pair in pairs[:5]], SessionMeans(*pairs[5])).outcome
        for pairs in (draw.normal(0, 1, (20_000, 6, 2)) * (own_s, 0.04)).tolist()
    ]
    assert called.count("slower") / len(called) < 0.046
