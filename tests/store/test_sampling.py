"""Iterations become one observation; the statistics module and arithmetic by hand are the witnesses."""

from __future__ import annotations

import statistics
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.store.sampling import REDUCTIONS

finite = st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=20)


@pytest.mark.parametrize(
    ("reduce", "odd", "even"),
    [
        ("median", 2.0, 3.5),
        ("mean", 10 / 3, 15 / 4),
        ("min", 1.0, 1.0),
        ("max", 7.0, 7.0),
        ("sum", 10.0, 15.0),
        ("first", 7.0, 7.0),
        ("last", 2.0, 5.0),
    ],
)
def test_each_reduction_gives_what_one_gets_by_hand(reduce, odd, even):
    assert REDUCTIONS[reduce]([7.0, 1.0, 2.0]) == odd
    assert REDUCTIONS[reduce]([7.0, 1.0, 2.0, 5.0]) == even


@given(finite)
def test_sums_and_means_are_exact_before_they_are_rounded_once(values):
    exact = sum(map(Fraction, values))
    assert REDUCTIONS["sum"](values) == float(exact)
    assert REDUCTIONS["mean"](values) == pytest.approx(float(exact / len(values)), rel=1e-15, abs=1e-300)
    assert REDUCTIONS["median"](values) == statistics.median(values)


@given(st.floats(-1e6, 1e6), st.sampled_from(sorted(REDUCTIONS)))
def test_one_iteration_is_its_own_reduction(value, reduce):
    assert REDUCTIONS[reduce]([value]) == value
