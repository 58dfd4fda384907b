"""``tally``: how often comparisons of a program with itself called it different."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from steelyard.extensions.null.results import Tally, Way
from steelyard.results.comparison import Comparison, Speedup
from steelyard.stats.describe.dependence import allow_for
from steelyard.stats.hypothesis.clopper_pearson import clopper_pearson

RESOLVED: Final = 0.9
"""Fraction of comparisons that a margin must resolve."""


def tally(way: Way, comparisons: Sequence[Comparison]) -> Tally:
    """Count the comparisons of one way that call the program different."""
    different = sum(comparison.difference != "not_resolved" for comparison in comparisons)
    ratios = [
        comparison.speedup.value for comparison in comparisons if isinstance(comparison.speedup, Speedup)
    ]
    return Tally(
        way,
        comparisons=len(comparisons),
        different=different,
        share=different / len(comparisons) if comparisons else None,
        ci95=clopper_pearson(different, len(comparisons)) if comparisons else None,
        largest_ratio=max((max(ratio, 1 / ratio) for ratio in ratios), default=None),
        margin=_compute_margin(comparisons),
    )


def _compute_margin(comparisons: Sequence[Comparison]) -> float | None:
    reaches = sorted(map(_reach_out, comparisons))
    reach = reaches[math.ceil(RESOLVED * len(reaches)) - 1] if reaches else math.inf
    return reach if reach < math.inf else None


def _reach_out(comparison: Comparison) -> float:
    """How far from 1 the interval reaches that is held to a margin, which allows for more than ``ci95``."""
    ratio = comparison.speedup
    if comparison.ci95 is None or not isinstance(ratio, Speedup):
        return math.inf
    if "neighbours" not in ratio.allowances:
        ratio = allow_for(ratio, comparison.autocorrelation, at_bound=True)
    interval = ratio.interval()
    return math.inf if interval is None else max(interval.high - 1, 1 - interval.low)
