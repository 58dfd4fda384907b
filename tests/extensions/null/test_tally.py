"""The margin that a null proposes."""

from __future__ import annotations

import numpy as np
import pytest

from steelyard.core.analysis import Analysis
from steelyard.extensions.null.tally import tally
from steelyard.stats.compare.comparison import compare


def compared(sample, rng, count, blocks=12):
    return [
        compare([sample(np.exp(rng.normal(0, 0.01, blocks)), treatment=t) for t in (1, 2)], Analysis())[0]
        for _ in range(count)
    ]


def test_inside_of_the_margin_lie_nine_of_ten_intervals(sample):
    rng = np.random.default_rng(1)
    result = compared(sample, rng, 40)
    margin = tally("blocks", result).margin
    inside = [item.ci95.low >= 1 - margin and item.ci95.high <= 1 + margin for item in result]
    assert sum(inside) >= 36  # of narrower intervals, which no margin is held to
    again = Analysis(margin=margin)
    output = [
        compare([sample(np.exp(rng.normal(0, 0.01, 12)), treatment=t) for t in (1, 2)], again)[0]
        for _ in range(40)
    ]
    inside = [item.ci_relevance.low >= 1 - margin and item.ci_relevance.high <= 1 + margin for item in output]
    assert sum(inside) >= 25  # 36 of 40 expected; P(fewer) below 1e-4


@pytest.mark.parametrize("blocks", [2, 5])
def test_unbounded_intervals_propose_none(sample, blocks):
    constant = [[sample([1.0] * blocks), sample([1.0] * blocks, treatment=2)] for _ in range(3)]
    assert tally("blocks", [compare(item, Analysis())[0] for item in constant]).margin is None
    assert tally("blocks", []).margin is None
