"""``FreshRun``: what it would take to resolve a comparison that is not resolved."""

from __future__ import annotations

import math

from steelyard.core.analysis import Analysis
from steelyard.core.estimand import choose_interval
from steelyard.results.analysis import DesignFacts
from steelyard.results.comparison import FreshRun, Speedup
from steelyard.results.unit import Unit
from steelyard.stats.compare.slow_mode import MEANS
from steelyard.stats.compare.speedup import tail_factor
from steelyard.stats.planning.at_bound import units_at_bound
from steelyard.stats.planning.planned_test import MOST_BLOCKS, PlannedTest
from steelyard.stats.planning.power import POWER
from steelyard.stats.planning.slow_runs import units_to_trust


def fresh_run(
    ratio: Speedup, comparisons: int, declared: Analysis, facts: DesignFacts, *, by_context: bool
) -> FreshRun | None:
    """Fresh run for one among so many comparisons of a family.

    ``by_context`` where contexts are its units. ``None`` where nothing pairs them or they do not vary, and
    where no design has as many blocks.
    """
    if facts.order == "sequential" or not ratio.nu or not ratio.se:
        return None
    s = ratio.se * math.sqrt(ratio.n)
    on_machines = by_context and bool(facts.machines)
    visits = max(1, round(facts.blocks / facts.contexts)) if on_machines else facts.passes
    size, passes = abs(ratio.log), visits if by_context else 1
    # Of another number of blocks than this record has, signs may be flipped where here they are not.
    flipped = ratio.unit == "block" and choose_interval(declared.estimand, declared.interval) == "sign-flip"
    unit: Unit = "context" if by_context else "instance" if ratio.unit == "instance" else "block"
    test = PlannedTest(
        unit,
        "sign-flip" if flipped else "t",
        declared.alpha / comparisons,
        (facts.looks or (facts.blocks,))[0] if facts.decided and unit != "instance" else None,
        passes,
    )
    bound = 0.0 if declared.margin is None else math.log1p(declared.margin)
    units = _count_units(ratio, test, bound, one_sided=declared.equivalence == "one-sided")
    if units is None:
        return None
    if size < bound and declared.estimand in MEANS and unit != "instance":
        units = units_to_trust(bound - size, s, POWER, least=units, passes=passes, estimand=declared.estimand)
    difference = math.expm1(size)
    if ratio.unit == "instance":
        seconds = None if facts.pace is None else facts.blocks * facts.pace.block_s * units / ratio.n
        return FreshRun(difference, declared.margin, facts.blocks, seconds, instances=units)
    blocks = units * passes
    if blocks > MOST_BLOCKS:
        return None
    return FreshRun(
        difference=difference,
        margin=declared.margin,
        blocks=blocks,
        seconds=None if facts.pace is None or on_machines else blocks * facts.pace.block_s,
        machines=units if on_machines else None,
    )


def _count_units(ratio: Speedup, test: PlannedTest, bound: float, *, one_sided: bool) -> int | None:
    """Count the units that decide on which side of a bound a ratio lies, if it is what it seems."""
    s, size = ratio.se * math.sqrt(ratio.n), abs(ratio.log)

    def count(times: float) -> int | None:
        if size >= bound:
            return test.units_needed((size - bound) / s / times)
        return test.equivalent(bound / s / times, POWER, shift=size / s / times, one_sided=one_sided)

    def count_allowed(times: float) -> int | None:
        if not (bound and test.in_time):
            return count(times)
        return units_at_bound(lambda allowed: count(times * allowed))

    units = count_allowed(1.0)
    if units is None or units > ratio.n or "tail" not in ratio.allowances:
        return units
    # By t this run would have shown it, and did not: the tail that was allowed for decides.
    factor = tail_factor(ratio, test.level)
    return None if math.isinf(factor) else count_allowed(factor)
