from __future__ import annotations

import pytest

from steelyard.stats.interval import Interval
from steelyard.stats.verdict import difference_of, relevance_of, verdict_of


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (1.03, 1.05, "above"),
        (0.90, 0.95, "above"),
        (0.99, 1.01, "inside"),
        (1.001, 1.019, "inside"),
        (0.98, 1.02, "inside"),
        (1.01, 1.03, "straddles"),
        (0.97, 0.99, "straddles"),
        (0.5, 2.0, "straddles"),
    ],
)
def test_relevance_is_where_the_interval_lies_against_1_plus_and_minus_the_margin(low, high, expected):
    assert relevance_of(Interval(low, high), 0.02) == expected


def test_an_interval_without_bounds_straddles_every_margin():
    assert relevance_of(None, 0.9) == "straddles"


@pytest.mark.parametrize(
    ("difference", "relevance", "verdict"),
    [
        ("faster", None, "faster"),
        ("slower", None, "slower"),
        ("not_resolved", None, "not_resolved"),
        ("faster", "above", "faster"),
        ("slower", "above", "slower"),
        ("faster", "inside", "equivalent"),
        ("slower", "inside", "equivalent"),
        ("not_resolved", "inside", "equivalent"),
        ("faster", "straddles", "not_resolved"),
        ("slower", "straddles", "not_resolved"),
        ("not_resolved", "straddles", "not_resolved"),
    ],
)
def test_the_verdict_joins_difference_and_relevance(difference, relevance, verdict):
    assert verdict_of(difference, relevance) == verdict


def test_a_difference_has_a_direction_only_where_the_test_rejected():
    assert difference_of(0.01, rejected=True) == "faster"
    assert difference_of(-0.01, rejected=True) == "slower"
    assert difference_of(9.0, rejected=False) == "not_resolved"


@pytest.mark.parametrize("bounds", [(2.0, 1.0), (float("nan"), 1.0), (0.0, float("inf"))])
def test_an_interval_refuses_bounds_that_are_none(bounds):
    with pytest.raises(ValueError, match="finite, ordered bounds"):
        Interval(*bounds)
