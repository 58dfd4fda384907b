"""Flags of samples and comparisons, as data. The words stand in ``report``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from steelyard.core.sample import Failures, Sample

Flag = Literal[
    "autocorrelated",
    "autocorrelated_few",
    "slow_mode",
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
    "constant",
    "undefined",
    "simulated",
    "crowded",
    "one_process",
    "sessions",
    "two_sessions",
    "other_code",
    "edited",
]

WITHHOLDING: Final[tuple[Literal["edited", "other_code", "crowded", "constant", "slow_mode"], ...]] = (
    "edited",
    "other_code",
    "crowded",
    "constant",
    "slow_mode",
)
"""Flags that withhold a verdict though no run failed; each is also the reason."""
EarlyDoubt = Literal["bimodal", "autocorrelated"]
"""Flags that make the precision of few blocks doubtful."""

ENOUGH: Final = 30
"""Blocks before a look may end a run whose first values fall into groups, or resemble their neighbours; or
which has no more than the precision that was wanted."""
EARLY: Final = 0.25
"""Part of the half-width wanted that fewer blocks must reach: where differences resemble their neighbours by
0.8, which so few blocks hardly tell, the interval would be four times as wide."""

FEW_BLOCKS: Final = 10
"""Below, optional stopping and skewed values cost coverage (docs/statistics.md)."""


def unequal(failures: Failures, second: Failures) -> bool:
    """Whether the fractions of failed runs differ at all."""
    if (failures.failed > 0) != (second.failed > 0):
        return True
    return failures.failed * second.attempted != second.failed * failures.attempted


def unjudgeable(samples: Sequence[Sample], *, ignore_failures: bool) -> bool:
    """Whether nothing is judged by these samples together: more ranks than CPUs, or other libraries.

    The other reason, unless it is ignored, is runs that timed out or failed unequally often, so that what is
    missing is not missing by chance.
    """
    if any(sample.provenance in ("crowded", "other_code") for sample in samples):
        return True
    return not ignore_failures and missing_not_by_chance(samples)


def missing_not_by_chance(samples: Sequence[Sample]) -> bool:
    """Whether runs timed out, or failed unequally often."""
    failures = [sample.failures for sample in samples]
    return any(failure.timed_out or unequal(failures[0], failure) for failure in failures)
