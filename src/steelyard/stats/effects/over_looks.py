"""Effects whose p-values and intervals are valid at every look at their blocks."""

from __future__ import annotations

from typing import TypeVar

from msgspec.structs import replace

from steelyard.results.effects import ConditionalEffect, ContrastEffect, Effect, LevelEffect, LogEstimate
from steelyard.stats.effects.estimate import interval_of
from steelyard.stats.sequential.looks import Looks

Estimated = TypeVar("Estimated", Effect, LevelEffect, ConditionalEffect, ContrastEffect)


def correct_for_looks(estimated: Estimated, looks: Looks | None) -> Estimated:
    """Return the same with p and ``ci95`` that hold over the looks, as those of comparisons do.

    Without any look, it is the same.

    Intervals at other levels are those of the estimate at what the looks leave of the level.
    """
    if looks is None:
        return estimated
    ratio = estimated.ratio
    if ratio is not None:
        estimate: LogEstimate = replace(ratio, p=_compute_overall(ratio.p, looks))
        estimated = replace(estimated, ratio=estimate, ci95=interval_of(ratio, looks.level(0.05)))
    if isinstance(estimated, Effect):
        estimated = replace(
            estimated,
            p=_compute_overall(estimated.p, looks),
            p_flips=_compute_overall(estimated.p_flips, looks),
        )
    return estimated


def _compute_overall(p: float | None, looks: Looks) -> float | None:
    return None if p is None else looks.overall(p)
