"""The verdict algebra: difference by the adjusted test, relevance by the interval against a margin, verdict
from both.
"""

from __future__ import annotations

from typing import Literal

from steelyard.stats.interval import Interval

Difference = Literal["faster", "slower", "not_resolved"]
Relevance = Literal["above", "inside", "straddles"]
Verdict = Literal["faster", "slower", "equivalent", "not_resolved"]


def difference_of(log_speedup: float, *, rejected: bool) -> Difference:
    """Which way the ratio lies, where the hypothesis that it is 1 was rejected in its family."""
    if not rejected:
        return "not_resolved"
    return "faster" if log_speedup > 0 else "slower"


def relevance_of(interval: Interval | None, margin: float) -> Relevance:
    """Where the interval of the ratio lies against 1 + margin and 1 - margin; an unbounded one straddles."""
    if interval is None:
        return "straddles"
    if interval.low > 1 + margin or interval.high < 1 - margin:
        return "above"
    return "inside" if interval.low >= 1 - margin and interval.high <= 1 + margin else "straddles"


def verdict_of(difference: Difference, relevance: Relevance | None) -> Verdict:
    """With a margin: the direction where all of the interval is beyond it, equivalent where all is inside,
    even of a resolved difference.
    """
    if relevance is None or relevance == "above":
        return difference
    return "equivalent" if relevance == "inside" else "not_resolved"
