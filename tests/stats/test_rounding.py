"""A constant has no spread, whatever arithmetic leaves of it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.core.analysis import Analysis
from steelyard.stats.compare.comparison import intervals
from steelyard.stats.compare.contrast import contrast
from steelyard.stats.compare.estimate import estimate
from steelyard.stats.describe.autocorrelation import autocorrelation
from steelyard.stats.describe.trend import trend
from steelyard.stats.rounding import constant, round_logs, steady


def test_a_constant_ratio_has_neither_trend_nor_likeness_of_neighbours(sample):
    # Left to rounding, 11 of 300 drifting machines had a trend and 9 a likeness of neighbours (seed 1).
    rng = np.random.default_rng(1)
    declared = [Analysis(estimand=text) for text in ("geomean_ratio", "ratio_of_means", "median_ratio")]
    for _ in range(100):
        old = np.sort(rng.uniform(1e-3, 2, 30))
        pair = (sample(old), sample(1.1 * old, treatment=2))
        for item in declared:
            (result,) = intervals(pair, item, metric="wall_s")
            assert {"autocorrelated", "trend"}.isdisjoint(result.flags)
            assert result.autocorrelation is None


@pytest.mark.parametrize("order", ["randomized-blocks", "sequential"])
def test_values_that_are_equal_but_for_rounding_differ_by_no_estimand(sample, order):
    # Left to rounding, 298 of 300 medians differed with p = 2e-9 in blocks (seed 2): equal signs of 1e-17.
    rng = np.random.default_rng(2)
    for _ in range(50):
        pair = [0.3 * (1 + rng.integers(-1, 2, 30) * 2.2e-16) for _ in range(2)]
        between = contrast(sample(pair[0]), sample(pair[1], treatment=2), order=order)
        for estimand in ("geomean_ratio", "ratio_of_means", "median_ratio"):
            assert estimate(between, estimand).p == 1


def test_a_constant_one_rounding_away_is_the_same(sample):
    between = contrast(sample([0.3] * 30), sample([math.nextafter(0.3, 1)] * 30, treatment=2))
    assert not between.differences.any()
    assert estimate(between, "median_ratio").p == 1


def test_equal_values_that_rounding_moved_have_neither():
    moved = 0.3 + np.tile([0.0, 0.0, 0.0, 5e-17], 5).cumsum()
    assert np.ptp(moved) > 0
    assert trend(moved) is None
    assert autocorrelation(moved) is None


def test_a_trend_of_a_part_in_a_billion_is_one():
    rising = 1 + 1e-9 * np.arange(20.0)
    assert trend(rising).significant
    assert autocorrelation(rising).significant


@given(st.lists(st.floats(-30, 30), min_size=2, max_size=9), st.floats(1e-9, 1))
def test_differences_stay_what_they_are_where_they_spread_by_more_than_rounding(logs, step):
    logs = np.array(logs)
    differences = step * np.arange(logs.size)
    assert steady(differences, round_logs(logs)) is differences


@pytest.mark.parametrize("old", [[1e-9, 2e-9, 5e-7], [1e300, 3e-300, 7.0]])
def test_ratios_are_equal_where_logarithms_of_their_size_could_not_tell_them_apart(sample, old):
    between = contrast(sample(old), sample([1.1 * item for item in old], treatment=2))
    assert np.ptp(between.differences) == 0
    assert between.differences[0] == pytest.approx(-math.log(1.1), abs=round_logs(between.old.logs))


def test_a_value_of_zero_is_left_as_it_is():
    differences = np.array([-np.inf, 0.0])
    assert steady(differences, round_logs(differences)) is differences


@pytest.mark.parametrize(
    ("values", "known"), [([1e-300, 1e-300], True), ([1e-300, 2e-300], False), ([0, 0], True)]
)
def test_a_constant_is_one_in_any_unit(values, known):
    assert constant(np.array(values, dtype=float)) == known
