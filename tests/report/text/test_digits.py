from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.report.text.digits import (
    bounds,
    decimals,
    factor,
    percent,
    percent_bounds,
    probability,
    quantity,
    ratio,
    scale,
)
from steelyard.results.interval import Interval


@pytest.mark.parametrize(
    ("uncertainty", "places"),
    [(0.008, 3), (0.012, 3), (0.0354, 3), (0.0356, 2), (0.3, 2), (0.9, 1), (7, 0), (20, 0), (80, -1), (0, 0)],
)
def test_one_digit_of_the_uncertainty_is_shown_or_two_where_it_begins_low(uncertainty, places):
    assert decimals(uncertainty) == places


@pytest.mark.parametrize(
    ("value", "low", "high", "output"),
    [
        (1.0213, 1.0124, 1.0281, "1.021 | 1.012 to 1.028"),
        (8.71, 7.8, 9.6, "8.7 | 7.8 to 9.6"),
        (1.00015, 1.000101, 1.000199, "1.00015 | 1.00010 to 1.00020"),
        (3.2, 0.5, 20, "3.20 | 0.50 to 20.00"),
        (152.3, 140.2, 165.1, "152 | 140 to 165"),
        (1.5, 1.5, 1.5, "1.500 | 1.500 to 1.500"),
        (1.00002, 1.00002, 1.00002, "1.000020 | 1.000020 to 1.000020"),
        (2.5e9, 2e9, 3e9, "2.5e+09 | 2e+09 to 3e+09"),
        (1e-9, 1e-10, 1e-8, "1e-09 | 1e-10 to 1e-08"),
    ],
)
def test_a_ratio_and_its_interval_have_equal_digits_and_no_more_than_they_know(value, low, high, output):
    interval = Interval(low, high)
    assert f"{ratio(value, interval)} | {bounds(value, interval)}" == output


@pytest.mark.parametrize(
    ("value", "low", "high", "output"),
    [
        (1.15, 1.0004, 1.32, "1.15 | 1.0004 to 1.32"),
        (0.9, 0.81, 0.99993, "0.90 | 0.81 to 0.9999"),
        (4.1, 1.002, 16.7, "4.1 | 1.002 to 16.7"),
        (1.000003, 1.0000004, 1.2, "1.000003 | 1.0000004 to 1.20"),
        (1.15, 0.9996, 1.32, "1.15 | 1.00 to 1.32"),
    ],
)
def test_a_bound_that_would_round_to_1_beside_a_verdict_has_a_digit_more(value, low, high, output):
    interval = Interval(low, high)
    assert f"{ratio(value, interval)} | {bounds(value, interval)}" == output


@given(st.floats(1e-6, 1e6), st.floats(0, 5))
def test_the_numbers_shown_exclude_1_where_the_interval_does(value, log_half):
    interval = Interval(value * 2.718**-log_half, value * 2.718**log_half)
    low, _, high = bounds(value, interval).split(" ")
    if interval.low > 1:
        assert float(low) > 1
    if interval.high < 1:
        assert float(high) < 1
    if interval.excludes(1) and interval.low <= value <= interval.high:
        assert (float(ratio(value, interval)) > 1) == (value > 1)


@pytest.mark.parametrize(
    ("value", "output"),
    [(1.284, "1.28"), (0.9998, "0.9998"), (1.00002, "1.00002"), (1, "1.00"), (1234, "1.23e+03")],
)
def test_a_factor_without_interval_is_told_from_1(value, output):
    assert factor(value) == output


@pytest.mark.parametrize(
    ("low", "high", "margin", "output"),
    [
        (0.052, 0.07, 0.0, "+5.2 to +7.0"),
        (0.0003, 0.07, 0.0, "+0.03 to +7.0"),
        (-0.07, -0.00004, 0.0, "-7.0 to -0.004"),
        (0.03002, 0.05, 0.03, "+3.002 to +5.0"),
        (-0.05, -0.03002, 0.03, "-5.0 to -3.002"),
        (-0.0003, 1.2, 0.03, "-0.0 to +120"),
    ],
)
def test_bounds_in_percent_show_what_they_exclude(low, high, margin, output):
    assert percent_bounds(Interval(low, high), 1, margin) == output


@given(st.floats(-0.9, 5), st.floats(0, 5), st.floats(0, 0.2))
def test_no_bound_in_percent_lies_on_a_margin_it_excludes(low, width, margin):
    interval = Interval(low, low + width)
    first, _, last = percent_bounds(interval, 1, margin).split(" ")
    for at in (0.0, margin, -margin):
        if interval.low - at > 1e-12:
            assert float(first) > 100 * at
        if at - interval.high > 1e-12:
            assert float(last) < 100 * at


@pytest.mark.parametrize(
    ("share", "output"),
    [
        (0.006, "0.6 %"),
        (0.0062, "0.62 %"),
        (0.095, "9.5 %"),
        (0.0996, "10 %"),
        (1.2, "120 %"),
        (1e9, "1e+11 %"),
    ],
)
def test_shares_have_two_digits(share, output):
    assert percent(share) == output


@pytest.mark.parametrize(
    ("p", "output"),
    [
        (1.0, "1.00"),
        (0.35, "0.35"),
        (0.0996, "0.10"),
        (0.0123, "0.012"),
        (0.00012, "0.00012"),
        (9e-5, "<0.0001"),
        (0, "<0.0001"),
    ],
)
def test_p_values_have_two_digits_down_to_where_nobody_cares(p, output):
    assert probability(p) == output


@pytest.mark.parametrize(
    ("value", "unit", "uncertainty", "output"),
    [
        (0.00123456, "s", 0.0000047, "1.235 ms"),
        (0.00123456, "s", None, "1.23 ms"),
        (0.00123456, "s", 0.0005, "1.2 ms"),
        (4.2e8, "B", 1e3, "420.000 MB"),
        (0.0, "s", 0.1, "0.00 s"),
    ],
)
def test_a_quantity_has_the_digits_that_its_uncertainty_leaves(value, unit, uncertainty, output):
    assert quantity(value, unit, uncertainty) == output


def test_a_column_has_one_unit_and_one_number_of_decimals():
    column = scale([0.98e-3, 1.2345e-3], [4e-6, 5e-6], "s")
    assert (column.unit, column.text(0.98e-3), column.text(1.2345e-3)) == ("ms", "0.980", "1.234")


@pytest.mark.parametrize(
    ("values", "uncertainties", "unit", "output"),
    [
        ([2.5e9], [1e7], "1/s", "2.500 G/s"),
        ([2.5e6], [], "B/s", "2.50 MB/s"),
        ([3.2e8], [1e5], "B", "320.00 MB"),
        ([120.0, 7.0], [], "", "120 "),
        ([0.123], [], "", "0.12 "),
        ([0.123], [], "1", "0.12 "),
        ([55.5], [2.0], "W", "55.5 W"),
        ([123456.0], [0.0001], "s", "123,456 s"),
        ([1.234e-9, 9e-10], [3e-11], "", "1.234 10⁻⁹"),
        ([2.5e-4], [], "J", "250 10⁻⁶ J"),
        ([5e-324], [], "", "0.00 "),
    ],
)
def test_the_unit_of_a_column_is_that_of_its_largest_value(values, uncertainties, unit, output):
    column = scale(values, uncertainties, unit)
    assert f"{column.text(values[0])} {column.unit}" == output


def test_what_is_not_there_is_a_dash():
    assert scale([], [], "s").text(None) == "–"
