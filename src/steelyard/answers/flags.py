"""Flags of samples and comparisons, as data. The words stand in ``report``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from steelyard.sample import Failures, Sample

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
"""Flags that make the precision of few blocks doubtful."""

FEW_BLOCKS: Final = 10
"""Below, optional stopping and skewed values cost coverage (docs/statistics.md)."""


def unequal(one: Failures, other: Failures) -> bool:
    """Whether the fractions of failed runs differ at all."""
    if (one.failed > 0) != (other.failed > 0):
        return True
    return one.failed * other.attempted != other.failed * one.attempted


def unjudgeable(samples: Sequence[Sample], *, ignore_failures: bool) -> bool:
    """Whether nothing is judged by these samples together: more ranks than CPUs; or, unless that is ignored,
    runs that timed out or failed unequally often, so that what is missing is not missing by chance.
    """
    if any(sample.provenance == "crowded" for sample in samples):
        return True
    return not ignore_failures and missing_not_by_chance(samples)


def missing_not_by_chance(samples: Sequence[Sample]) -> bool:
    """Whether runs timed out, or failed unequally often."""
    failures = [sample.failures for sample in samples]
    return any(each.timed_out or unequal(failures[0], each) for each in failures)
