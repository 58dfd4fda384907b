"""Both ends of a search, judged by the steps of a comparison, at each look at them."""

from __future__ import annotations

import math
from typing import Final

import msgspec

from steelyard.core.analysis import Analysis
from steelyard.core.errors import ProgramError
from steelyard.core.sample import Sample
from steelyard.results.interval import Interval
from steelyard.results.undefined import LARGEST_LOG, Undefined
from steelyard.stats.compare.comparison import compare

LOOKS: Final = (4, 8, 16)
"""Batches of blocks of the ends alone after which it is asked whether they differ."""


class EndsComparison(msgspec.Struct, frozen=True):
    """How the bad end differs from the good one.

    Attributes
    ----------
    ratio, ci95 : float and Interval
        Bad over good.
    p : float
        That ends which are equal differ as much, over all looks.
    differs : bool
        At the level of one look.
    refused : bool
        No verdict, since slow or failed runs of unknown share would decide it.
    resolvable : float
        The smallest relative difference that a look of so many blocks shows in 80 % of cases.
    """

    ratio: float
    ci95: Interval
    p: float
    differs: bool
    refused: bool
    resolvable: float


def compare_ends(good: Sample, bad: Sample, error: float) -> EndsComparison:
    """Compare the ends; each look has its part of the error (Bonferroni).

    Raises
    ------
    ProgramError
        There is no ratio.
    """
    metric = good.metric
    declared = Analysis(metric=metric.name, alpha=error / len(LOOKS), baseline=good.treatment.levels)
    (compared,) = compare([good, bad], declared)
    speedup, interval = compared.speedup, compared.ci95
    if isinstance(speedup, Undefined) or interval is None:
        why = speedup.words if isinstance(speedup, Undefined) else "blocks are too few"
        raise ProgramError(
            f"{metric.name}: no ratio of both ends, since {why}", hint="choose another --metric"
        )
    # A speedup is old over new where less is better.
    is_inverse = metric.better != "higher"
    resolvable = compared.resolvable
    if resolvable is None:
        resolvable = math.expm1(LARGEST_LOG) if speedup.se else 0.0
    return EndsComparison(
        ratio=math.exp(-speedup.log if is_inverse else speedup.log),
        ci95=Interval(1 / interval.high, 1 / interval.low) if is_inverse else interval,
        p=min(1.0, len(LOOKS) * speedup.p),
        differs=compared.difference not in (None, "not_resolved"),
        refused=compared.refused,
        resolvable=resolvable,
    )


def decide(look: int, ends: EndsComparison) -> bool | None:
    """Whether the ends differ, at the look after ``LOOKS[look]`` batches; ``None`` to look again."""
    if ends.differs:
        return True
    return None if look + 1 < len(LOOKS) else False
