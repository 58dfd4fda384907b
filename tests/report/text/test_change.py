"""A change between two commits: percent where it is small, a factor where it is large."""

from __future__ import annotations

import pytest

from steelyard.report.text.change import relative
from steelyard.results.interval import Interval


@pytest.mark.parametrize(
    ("value", "low", "high", "text"),
    [
        (1.051, 1.046, 1.056, "5.1 % more (95 % CI 4.6 to 5.6 %)"),
        (1.98, 1.97, 2.04, "98 % more (95 % CI 97 to 104 %)"),
        (0.9, 0.85, 1.002, "10 % less (95 % CI -0.2 to 15 %)"),
        (3.0, 2.0, 4.0, "3.0 × (95 % CI 2.0 to 4.0)"),
    ],
)
def test_bounds_of_a_change_have_no_exponent(value, low, high, text):
    assert relative(value, Interval(low, high)) == text
