"""Published ranks are judged by both methods, and growth below an expectation reproduces none above it."""

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
    ("latency", "printed", "outcome"),
    [
        (lambda p: 3 + 2 * p, "match", "reproduced"),
        (lambda p: 3 + 2 * p, "none", "contradicted"),
        (lambda p: 3 + 2 * p**2, "none", "reproduced"),
        (lambda p: 3 + 2 * p**2, "match", "contradicted"),
    ],
)
def test_a_published_rank_is_judged_by_both_methods(latency, printed, outcome):
    assert ranking.judge_rank(printed, *both(latency)) == outcome


def test_no_match_of_less_growth_reproduces_no_match_of_more():
    by_paper, by_ours = both(lambda _: 3.0, "p^2")
    assert ranking.rank(by_paper) == "none"
    assert not ranking.grows_more(by_paper)
    assert ranking.judge_rank("none", by_paper, by_ours) != "reproduced"


def test_a_model_is_described_by_its_rank_and_growth():
    by_paper, _ = both(lambda p: 3 + 2 * p)
    assert ranking.describe(by_paper) == "✓ O(p)"
