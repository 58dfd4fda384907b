"""``FreshRun``: what it would take to resolve a comparison that is not resolved."""

from __future__ import annotations

import math
from typing import Final

from steelyard.analysis import Analysis
from steelyard.answers.analysis import DesignFacts
from steelyard.answers.comparison import FreshRun, Speedup
from steelyard.estimand import meant
from steelyard.stats.planning.alpha_spending import level_before
from steelyard.stats.planning.power import POWER
from steelyard.stats.planning.sample_size import n_paired, n_tost

MOST_BLOCKS: Final = 1_000_000
"""Largest number of blocks that a design may have."""


def fresh_run(
    ratio: Speedup, comparisons: int, declared: Analysis, facts: DesignFacts, *, by_context: bool
) -> FreshRun | None:
    """Of one among so many comparisons of a family; ``by_context`` where contexts are its units. ``None``
    where nothing pairs them or they do not vary, and where no design has as many blocks.
    """
    if facts.order == "sequential" or not ratio.nu or not ratio.se:
        return None
    s = ratio.se * math.sqrt(ratio.n)
    seen, alpha = abs(ratio.log), level_before(declared.alpha, len(facts.extended_from)) / comparisons
    # Of another number of blocks than this record has, signs may be flipped where here they are not.
    flipped = ratio.unit == "block" and meant(declared.estimand, declared.interval) == "sign-flip"
    bound = 0.0 if declared.margin is None else math.log1p(declared.margin)
    if seen >= bound:
        units = n_paired((seen - bound) / s, alpha, POWER, flipped=flipped)
    else:
        units = n_tost(bound / s, alpha / 2, POWER, shift=seen / s, flipped=flipped)
    if units is None:
        return None
    blocks = units * facts.passes if by_context else units
    if blocks > MOST_BLOCKS:
        return None
    return FreshRun(
        difference=math.expm1(seen),
        margin=declared.margin,
        blocks=blocks,
        seconds=None if facts.pace is None else blocks * facts.pace.block_s,
    )
