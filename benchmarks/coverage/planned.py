"""What a plan says that blocks show, and what differences need: how often they show, by ``compare`` itself.
Normal differences of independent blocks.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Final

import numpy as np
from noises import S, in_blocks, samples
from sequential import by_t, judged, levels

from steelyard.core.analysis import Analysis
from steelyard.core.arrays import Floats
from steelyard.core.look_schedule import looks_from
from steelyard.results.unit import Judge
from steelyard.stats.compare.comparison import compare
from steelyard.stats.planning.planned_test import PlannedTest
from steelyard.stats.planning.slow_runs import units_to_trust

SIZES: Final = (5, 8, 10, 15, 20, 30, 50, 100)
TESTS: Final[tuple[tuple[float, Judge], ...]] = (
    (0.05, "sign-flip"),
    (0.05 / 28, "sign-flip"),
    (0.05, "sign"),
)
"""Levels, and what judges at them: the default, and the median."""
EFFECTS: Final = (0.5, 1.0, 1.5, 2.0, 3.0, 4.0)
"""In standard deviations of a block."""
FIRST: Final = 10
"""Blocks at the first look of a rule that asks for verdicts."""
_SCREEN: Final = 3.0
"""Times its level up to which p by t may be for a look to be judged by the product."""


def planned(level: float = 0.05, judge: Judge = "sign-flip", first: int | None = None) -> PlannedTest:
    """The test of blocks."""
    return PlannedTest("block", judge, level, first)


def share_found(
    effect: float, n: int, experiments: int, seed: int, *, level: float = 0.05, judge: Judge = "sign-flip"
) -> float:
    """Percent of experiments in which a difference of so many s shows after ``n`` blocks."""
    declared = Analysis(alpha=level, estimand="median_ratio" if judge == "sign" else "geomean_ratio")
    old, new = _drawn(effect, n, experiments, seed)
    detections = (
        compare(samples(*arms), declared)[0].verdict == "faster" for arms in zip(old, new, strict=True)
    )
    return 100 * sum(detections) / experiments


def pairs_to_be_equal(margin: float) -> int:
    """Blocks that a plan names for a margin of so many s, slow runs that did not show included."""
    least = planned().equivalent(margin, 0.9)
    assert least is not None  # noqa: S101 -- these margins need few
    return units_to_trust(margin * S, S, 0.9, least=least)


def equal(margin: float, n: int, experiments: int, seed: int) -> float:
    """Percent of experiments in which treatments that are equal are so within a margin of so many s."""
    declared = Analysis(margin=math.expm1(margin * S))
    old, new = _drawn(0.0, n, experiments, seed)
    detections = (
        compare(samples(*arms), declared)[0].verdict == "equivalent" for arms in zip(old, new, strict=True)
    )
    return 100 * sum(detections) / experiments


@dataclass(frozen=True, slots=True)
class Decided:
    """Percent of experiments that the look at the number of blocks which is named, or one before it, has
    decided; and the look before that, ``None`` where it is the first.
    """

    blocks: int
    percent: float
    before: float | None


def decided(effect: float, experiments: int, seed: int) -> Decided:
    """Looked at until it is decided, at the looks of ``compare``."""
    blocks = planned(first=FIRST).units_needed(effect)
    assert blocks is not None  # noqa: S101 -- these differences need few
    at = tuple(takewhile(lambda look: look <= blocks, looks_from(FIRST)))
    old, new = _drawn(effect, blocks, experiments, seed)
    near = by_t(old - new, at) <= _SCREEN * levels(at)
    last = np.array([_first_shown(*arms, at) for arms in zip(old, new, near, strict=True)])
    by_look = [100 * float((last <= k).mean()) for k in range(len(at))]
    return Decided(blocks, by_look[-1], by_look[-2] if len(at) > 1 else None)


def _first_shown(old: Floats, new: Floats, near: Floats, at: Sequence[int]) -> int:
    return next(
        (k for k in map(int, np.flatnonzero(near)) if judged(old, new, at, k).verdict == "faster"), len(at)
    )


def _drawn(effect: float, n: int, experiments: int, seed: int) -> tuple[Floats, Floats]:
    rng = np.random.default_rng([seed, n])
    return in_blocks(rng, S * rng.normal(effect, 1, (experiments, n)))
