from __future__ import annotations

import math
import statistics

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import stats as witness

from steelyard.results.samples import Summary
from steelyard.stats.describe.summary import summarise

times = st.lists(st.floats(1e-9, 1e6), min_size=2, max_size=60)


def test_table_1_of_firoz_et_al_is_summarised_to_all_digits_given(run_2, run_5):
    two, five = summarise(run_2), summarise(run_5)
    assert two.n == five.n == 8
    assert two.mean == pytest.approx(88.080239300, abs=5e-10)
    assert five.mean == pytest.approx(85.783855712, abs=5e-10)
    assert (two.s, five.s) == (pytest.approx(45.156664, abs=5e-7), pytest.approx(23.393177, abs=5e-7))
    assert (two.u, five.u) == (pytest.approx(15.965292, abs=5e-7), pytest.approx(8.270737, abs=5e-7))
    assert (two.cv, five.cv) == (pytest.approx(0.512676, abs=5e-7), pytest.approx(0.272699, abs=5e-7))
    assert (two.rsu, five.rsu) == (pytest.approx(0.181258, abs=5e-7), pytest.approx(0.096414, abs=5e-7))
    assert (two.median, five.median) == (
        pytest.approx(70.096389, abs=5e-7),
        pytest.approx(75.742141, abs=5e-7),
    )
    assert (two.quartiles.low, two.quartiles.high) == pytest.approx((66.912736, 84.887817), abs=5e-7)
    assert (five.quartiles.low, five.quartiles.high) == pytest.approx((67.810757, 100.332691), abs=5e-7)
    assert (two.min, two.max) == (58.2407584, 196.359002)


def test_the_deviation_is_not_the_one_that_divides_by_n(run_2):
    assert summarise(run_2).s != pytest.approx(42.240192, rel=1e-3)


@given(times)
def test_every_field_agrees_with_the_standard_library_and_numpy(values):
    summary = summarise(values)
    assert summary.mean == pytest.approx(statistics.fmean(values), rel=1e-12)
    assert summary.median == pytest.approx(statistics.median(values), rel=1e-12)
    assert summary.s == pytest.approx(statistics.stdev(values), rel=1e-9, abs=1e-12 * max(values))
    assert summary.u == pytest.approx(witness.sem(values), rel=1e-9, abs=1e-12 * max(values))
    first, third = np.quantile(values, [0.25, 0.75], method="linear")
    assert (summary.quartiles.low, summary.quartiles.high) == pytest.approx((first, third), rel=1e-12)


@given(times, st.floats(1e-6, 1e6))
def test_scaling_all_values_scales_what_has_a_unit_and_leaves_the_rest(values, factor):
    first, second = summarise(values), summarise([factor * value for value in values])
    floor = 1e-12 * max(values)
    assert second.mean == pytest.approx(factor * first.mean, rel=1e-9)
    assert second.s == pytest.approx(factor * first.s, rel=1e-6, abs=factor * floor)
    assert second.cv == pytest.approx(first.cv, rel=1e-6, abs=1e-9)


def test_no_value_gives_no_number_and_says_so():
    assert summarise([]) == Summary(0, reason="no_values")


def test_one_value_has_a_place_but_no_spread():
    summary = summarise([2.5])
    assert (summary.mean, summary.median, summary.min, summary.max) == (2.5, 2.5, 2.5, 2.5)
    assert (summary.s, summary.u, summary.cv, summary.rsu) == (None, None, None, None)
    assert summary.reason == "one_value"


@pytest.mark.parametrize("value", [0.1, 1 / 3, 1e-300, 1e300, -7.3])
@pytest.mark.parametrize("n", [2, 3, 10, 31])
def test_equal_values_have_no_spread_at_all_whatever_rounding_does(value, n):
    summary = summarise([value] * n)
    assert (summary.mean, summary.s, summary.u, summary.cv) == (value, 0.0, 0.0, 0.0)
    assert summary.reason is None


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_a_value_that_is_not_finite_leaves_no_number(bad):
    assert summarise([1.0, bad, 2.0]) == Summary(3, reason="not_finite")


def test_a_mean_of_zero_has_a_spread_but_no_relative_one():
    summary = summarise([-1.0, 1.0])
    assert summary.s == pytest.approx(math.sqrt(2))
    assert (summary.cv, summary.rsu, summary.reason) == (None, None, "zero_mean")


def test_all_zeros_are_equal_values_with_a_zero_mean():
    summary = summarise([0.0] * 5)
    assert (summary.mean, summary.s, summary.cv, summary.reason) == (0.0, 0.0, None, "zero_mean")


@pytest.mark.parametrize("scale", [1e-300, 1e300])
def test_values_at_the_ends_of_the_range_of_double_keep_their_spread(scale):
    assert summarise([1.0 * scale, 2.0 * scale, 3.0 * scale]).cv == pytest.approx(0.5)


def test_a_spread_beyond_the_range_of_double_is_left_out_and_said():
    summary = summarise([1.7e308, -1.7e308])
    assert (summary.s, summary.reason) == (None, "out_of_range")


def test_quartiles_lie_between_the_ends_where_the_least_values_underflow():
    summary = summarise([5e-324, 5e-324, 1.0])
    assert (summary.min, summary.quartiles.low, summary.median) == (5e-324, 5e-324, 5e-324)


def test_a_large_offset_does_not_eat_the_spread():
    offset = 1e9
    noise = [0.1, -0.2, 0.3, 0.05, -0.25]
    assert summarise([offset + x for x in noise]).s == pytest.approx(statistics.stdev(noise), rel=1e-6)


@given(st.lists(st.floats(allow_nan=True, allow_infinity=True), max_size=12))
@example([1.7976931348623157e308, -1.7976931348623157e308, 1.0])  # a mean that is next to nothing
def test_no_field_is_ever_nan_or_infinite(values):
    summary = summarise(values)
    numbers = [summary.mean, summary.median, summary.s, summary.u, summary.cv, summary.rsu, summary.min]
    assert all(number is None or math.isfinite(number) for number in numbers)
    assert (None in numbers) == (summary.reason is not None)
