from __future__ import annotations

import pytest

from steelyard.results.interval import Interval
from steelyard.stats.compare.verdict import difference_of, verdict_of


@pytest.mark.parametrize(
    ("difference", "relevance", "log_speedup", "verdict"),
    [
        ("faster", None, 0.1, "faster"),
        ("slower", None, -0.1, "slower"),
        ("not_resolved", None, 0.1, "not_resolved"),
        ("faster", "above", 0.1, "faster"),
        ("slower", "above", -0.1, "slower"),
        ("not_resolved", "above", -0.1, "slower"),
        ("faster", "inside", 0.1, "equivalent"),
        ("slower", "inside", -0.1, "equivalent"),
        ("not_resolved", "inside", 0.1, "equivalent"),
        ("faster", "straddles", 0.1, "not_resolved"),
        ("slower", "straddles", -0.1, "not_resolved"),
        ("not_resolved", "straddles", 0.1, "not_resolved"),
    ],
)
def test_the_verdict_joins_difference_and_relevance(difference, relevance, log_speedup, verdict):
    assert verdict_of(difference, relevance, log_speedup) == verdict


def test_a_difference_has_a_direction_only_where_the_test_rejected():
    assert difference_of(0.01, rejected=True) == "faster"
    assert difference_of(-0.01, rejected=True) == "slower"
    assert difference_of(9.0, rejected=False) == "not_resolved"


@pytest.mark.parametrize("bounds", [(2.0, 1.0), (float("nan"), 1.0), (0.0, float("inf"))])
def test_an_interval_refuses_bounds_that_are_none(bounds):
    with pytest.raises(ValueError, match="finite, ordered bounds"):
        Interval(*bounds)
