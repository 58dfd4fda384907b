"""Points have ranks by both methods, and growth below an expectation is told from growth above."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

STUDIES = Path(__file__).parents[2] / "studies"
sys.path.insert(0, str(STUDIES))

import ranking  # noqa: E402

SCALES = (16, 32, 64, 128, 256, 512)


def both(latency, expectation="p"):
    points = {float(p): latency(p) for p in SCALES}
    return [
        ranking.model_points(points, expectation, parameter="p", method=method, space="wide")
        for method in ("seed001", "posterior")
    ]


@pytest.mark.parametrize(
    ("latency", "rank"), [(lambda p: 3 + 2 * p, "match"), (lambda p: 3 + 2 * p**2, "none")]
)
def test_both_methods_rank_points_beside_an_expectation(latency, rank):
    assert [ranking.rank(model) for model in both(latency)] == [rank, rank]


def test_less_growth_than_expected_is_no_more_of_it():
    by_paper, _ = both(lambda _: 3.0, "p^2")
    assert ranking.rank(by_paper) == "none"
    assert not ranking.grows_more(by_paper)


def test_a_model_is_described_by_its_rank_and_growth():
    by_paper, _ = both(lambda p: 3 + 2 * p)
    assert ranking.describe(by_paper) == "✓ O(p)"


@pytest.mark.parametrize(
    ("printed", "growth", "has"),
    [("match", "p", False), ("none", "p^3", True), ("none", "p^0.5", False), ("none", "", True)],
)
def test_a_printed_rank_is_one_on_the_printed_side_of_the_expectation(printed, growth, has):
    import rank_claims

    by_paper, _ = both(lambda p: 3 + 2 * p**2, "p")
    cell = rank_claims.Cell(printed, "p", "p", "wide", growth=growth)
    assert rank_claims.has_printed_rank(by_paper, cell) == has


@pytest.mark.parametrize(("above", "is_rising"), [("2^(0.25*p)", True), ("p^0.25", True), ("log p", True)])
def test_factors_of_every_kind_are_seen_to_rise_and_to_fall(above, is_rising):
    from steelyard.api.scaling import parse_growth

    over = parse_growth(f"p^3 {above}", "p") / parse_growth("p^3", "p")
    assert ranking.is_rising(over) == is_rising
    assert ranking.is_rising(parse_growth("p^3", "p") / parse_growth(f"p^3 {above}", "p")) != is_rising
