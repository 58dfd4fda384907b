"""The verdict algebra.

Difference is by the adjusted test of 1, relevance by the adjusted tests of the margin, verdict from both.
"""

from __future__ import annotations

from steelyard.results.comparison import Difference, Relevance, Verdict


def difference_of(log_speedup: float, *, rejected: bool) -> Difference:
    """Direction of the ratio, where the hypothesis that it is 1 was rejected in its family."""
    if not rejected:
        return "not_resolved"
    return "faster" if log_speedup > 0 else "slower"


def verdict_of(difference: Difference, relevance: Relevance | None, log_speedup: float) -> Verdict:
    """Verdict: without a margin, the difference.

    With a margin, it is the direction where all of the interval is beyond it, equivalent where all is inside,
    even of a resolved difference.
    """
    if relevance is None:
        return difference
    if relevance == "above":
        return "faster" if log_speedup > 0 else "slower"
    return "equivalent" if relevance == "inside" else "not_resolved"
