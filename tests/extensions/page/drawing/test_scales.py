"""Scales: places, round ticks and domains that hold their values."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.extensions.page.drawing.scales import Rows, list_round, make_numeric

KINDS = ("linear", "log", "symlog")
NUMBERS = st.floats(1e-9, 1e9)


@given(
    st.lists(NUMBERS, min_size=1, max_size=20),
    st.sampled_from(KINDS),
    st.booleans(),
    st.sampled_from([0, 12]),
)
def test_every_value_lies_between_the_ends_in_its_order(values, kind, nice, padding):
    options = {"type": kind, "zero": False, "nice": nice, "padding": padding}
    scale = make_numeric(values, options, (10.0, 210.0))
    places = [scale.place(value) for value in sorted(values)]
    assert places == sorted(places)
    assert 10 - 1e-6 <= places[0] <= places[-1] <= 210 + 1e-6


@given(st.lists(NUMBERS, min_size=2, max_size=20, unique=True), st.sampled_from(KINDS))
def test_ticks_lie_inside_the_domain_and_differ(values, kind):
    scale = make_numeric(values, {"type": kind, "zero": False, "nice": True}, (0.0, 300.0))
    low, high = scale.domain
    ticks = scale.ticks(6)
    assert len(set(ticks)) == len(ticks)
    assert all(low * (1 - 1e-9) <= tick <= high * (1 + 1e-9) or tick == 0 for tick in ticks)


def test_half_as_fast_is_as_far_from_1_as_twice_as_fast():
    scale = make_numeric([0.5, 2.0], {"type": "log", "nice": False}, (0.0, 100.0))
    assert [scale.place(ratio) for ratio in (0.5, 1.0, 2.0)] == pytest.approx([0, 50, 100])


def test_symlog_is_the_logarithm_of_1_and_the_size_over_the_constant():
    scale = make_numeric([-9.0, 9.0], {"type": "symlog", "constant": 3, "nice": False}, (0.0, 100.0))
    assert scale.place(3.0) == pytest.approx(50 + 50 * math.log1p(1) / math.log1p(3))
    assert scale.place(-3.0) == pytest.approx(100 - scale.place(3.0))


def test_bars_begin_at_0_and_their_axis_ends_at_a_round_number():
    assert make_numeric([3.0, 9.7], {}, (0.0, 1.0)).domain == (0.0, 10.0)


@pytest.mark.parametrize("value", [0.0, 5.0, -3.0])
def test_a_single_value_has_room_on_both_sides(value):
    scale = make_numeric([value], {"zero": False, "nice": False}, (0.0, 100.0))
    assert scale.place(value) == pytest.approx(50)


def test_ticks_are_multiples_of_1_2_or_5():
    assert list_round(0.0, 1.0, 5) == [0, 0.2, 0.4, 0.6, 0.8, 1]
    assert list_round(-3.0, 12.0, 3) == [0, 5, 10]
    assert list_round(0.96, 1.04, 4) == [0.96, 0.98, 1, 1.02, 1.04]


def test_rows_share_a_length():
    rows = Rows(("a", "b"), 10.0, 40.0)
    assert [rows.middle(name) for name in "ab"] == [30, 70]
