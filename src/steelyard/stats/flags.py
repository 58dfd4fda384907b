"""Flags: what is odd about a sample or a comparison, as data. The words stand in ``report``."""

from __future__ import annotations

from typing import Final, Literal

from steelyard.sample import Failures

Flag = Literal[
    "autocorrelated",
    "trend",
    "outliers",
    "bimodal",
    "dominated",
    "resolution",
    "few_blocks",
    "failures",
    "failures_unequal",
    "failures_otherwise",
    "timed_out",
    "not_finite",
    "sequential_order",
    "unmatched_blocks",
    "unbalanced_contexts",
    "no_spread",
    "undefined",
    "simulated",
    "crowded",
]

EarlyDoubt = Literal["bimodal", "autocorrelated"]
"""What makes the precision of few blocks doubtful."""

FEW_BLOCKS: Final = 10
"""Below, optional stopping and skewed values cost coverage (docs/statistics.md)."""


def unequal(one: Failures, other: Failures) -> bool:
    """Whether the shares of failed runs differ at all."""
    if (one.failed > 0) != (other.failed > 0):
        return True
    return one.failed * other.attempted != other.failed * one.attempted
