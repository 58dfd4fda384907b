"""Size of a fresh run that would resolve the effects that are not resolved."""

from __future__ import annotations

import math

from msgspec.structs import replace

from steelyard.core.analysis import Analysis
from steelyard.results.analysis import DesignFacts
from steelyard.results.comparison import FreshRun
from steelyard.results.effects import Effect, Factorial
from steelyard.stats.planning.planned_test import MOST_BLOCKS
from steelyard.stats.planning.power import POWER
from steelyard.stats.planning.sample_size import n_paired


def add_fresh_runs(factorial: Factorial, declared: Analysis, facts: DesignFacts) -> Factorial:
    """Return the same, with the run that each unresolved effect of a single contrast would need.

    That run is judged as here.
    """
    if factorial.by in ("launch", "instance"):
        return factorial
    tested = sum(effect.p is not None for effect in factorial.effects)
    alpha = declared.alpha / max(1, tested)
    effects = tuple(
        effect
        if effect.resolved is not False
        else replace(effect, fresh=_make_fresh(effect, factorial, alpha, facts))
        for effect in factorial.effects
    )
    return replace(factorial, effects=effects)


def _make_fresh(effect: Effect, factorial: Factorial, alpha: float, facts: DesignFacts) -> FreshRun | None:
    ratio = effect.ratio
    if ratio is None or not ratio.se or not ratio.log or factorial.units < 2:
        return None
    units = n_paired(abs(ratio.log) / (ratio.se * math.sqrt(factorial.units)), alpha, POWER)
    blocks = None if units is None else units * (facts.passes if factorial.by == "context" else 1)
    if blocks is None or blocks > MOST_BLOCKS:
        return None
    seconds = None if facts.pace is None else blocks * facts.pace.block_s
    return FreshRun(math.expm1(abs(ratio.log)), None, blocks, seconds)
