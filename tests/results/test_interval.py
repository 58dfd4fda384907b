from __future__ import annotations

import math

import pytest

from steelyard.results.interval import Interval


def test_it_is_closed():
    interval = Interval(1.0, 2.0)
    assert [interval.excludes(value) for value in (1.0, 1.5, 2.0)] == [False] * 3
    assert interval.excludes(math.nextafter(1.0, 0.0))
    assert interval.excludes(math.nextafter(2.0, 3.0))


def test_the_reciprocal_turns_it_over():
    assert Interval(0.5, 4.0).reciprocal() == Interval(0.25, 2.0)


@pytest.mark.parametrize(
    "bounds", [(2.0, 1.0), (math.nan, 1.0), (1.0, math.nan), (-math.inf, 1.0), (1.0, math.inf)]
)
def test_bounds_are_finite_and_in_order(bounds):
    with pytest.raises(ValueError, match="finite, ordered bounds"):
        Interval(*bounds)


def test_a_point_is_one():
    assert not Interval(1.0, 1.0).excludes(1.0)
