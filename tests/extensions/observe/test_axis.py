from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.extensions.observe.axis import axis_of


def test_a_probe_that_costs_six_times_the_run_leaves_no_room_below_zero():
    axis = axis_of([0.5, 1.2, 600.0, 624.0], 55)
    assert (axis.low, axis.high) == (0.0, 1000.0)
    assert axis.labels() == "0            +100 %   +200 %         +500 %    +1,000 %"


def test_small_changes_to_both_sides_have_0_between_them():
    axis = axis_of([-0.3, 0.4], 55)
    assert (axis.low, axis.high) == (-0.5, 0.5)
    assert axis.labels() == "-0.5 %       -0.2 %        0       +0.2 %        +0.5 %"


@pytest.mark.parametrize(("bounds", "low", "high"), [([], -1, 1), ([0, 0], -1, 1), ([-40, 3], -50, 5)])
def test_ends_are_round(bounds, low, high):
    axis = axis_of(bounds, 55)
    assert (axis.low, axis.high) == (low, high)


@given(st.lists(st.floats(-99, 1e6), max_size=8), st.integers(30, 100))
def test_every_change_has_a_column_and_larger_ones_stand_no_further_left(bounds, width):
    axis = axis_of(bounds, width)
    columns = [axis.place(item) for item in sorted([0.0, *bounds])]
    assert columns == sorted(columns)
    assert 0 <= columns[0] <= columns[-1] < width
    assert len(axis.labels()) <= width
    # A column is as wide as the next one in the logarithm of the ratio (within half a column).
    step = (math.log1p(axis.high / 100) - math.log1p(axis.low / 100)) / (width - 1)
    for bound in bounds:
        if axis.low <= bound <= axis.high:
            at = (math.log1p(bound / 100) - math.log1p(axis.low / 100)) / step
            assert abs(at - axis.place(bound)) <= 0.5 + 1e-9
