"""What a treatment takes longer than its baseline: comparisons as the studies' pages say them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from steelyard.api import Comparison, Speedup
from steelyard.api.text import Scalar


class Change(NamedTuple):
    """Of a metric that is better where it is lower, as a fraction, with its 95 % interval; ``rejected`` where
    Holm's adjustment rejects that there is none.
    """

    levels: Mapping[str, Scalar]
    value: float
    low: float
    high: float
    rejected: bool


def changes(comparisons: Iterable[Comparison]) -> Iterator[Change]:
    """What each treatment takes longer than its baseline, paired by block."""
    for comparison in comparisons:
        assert isinstance(comparison.speedup, Speedup)  # noqa: S101 -- every treatment ran in every block
        assert comparison.ci95 is not None  # noqa: S101
        slowdown = comparison.ci95.reciprocal()
        yield Change(
            comparison.treatment.levels,
            1 / comparison.speedup.value - 1,
            slowdown.low - 1,
            slowdown.high - 1,
            comparison.verdict in ("faster", "slower"),
        )
