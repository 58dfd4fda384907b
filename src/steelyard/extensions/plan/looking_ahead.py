"""Detectable effects for a number of units, at typical spreads and at those of a record."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from steelyard.extensions.plan.results import Outlook, OutlookRow, Pilot
from steelyard.results.undefined import LARGEST_LOG
from steelyard.results.unit import Judge, Unit
from steelyard.stats.planning.at_bound import units_at_bound
from steelyard.stats.planning.planned_test import PlannedTest
from steelyard.stats.planning.sample_size import n_precise, n_relied_on
from steelyard.stats.planning.slow_runs import units_to_trust

SPREADS: Final = (0.005, 0.01, 0.02, 0.05, 0.1)
"""Standard deviations of the log ratio of a block, as a quiet machine and a restless one have them."""
DIFFERENCES: Final = (0.01, 0.02, 0.05)
POWER_OF_EQUIVALENCE: Final = 0.9


def outlook(  # noqa: PLR0913 -- a design has this many properties
    *,
    unit: Unit,
    units: int,
    comparisons: int,
    alpha: float,
    target: float | None = None,
    margin: float | None = None,
    pilots: Sequence[Pilot] = (),
    judge: Judge = "t",
    passes: int = 1,
    decided: bool = False,
) -> Outlook | None:
    """Look ahead; ``None`` where nothing is compared, or one unit can show nothing.

    A context takes ``passes`` blocks; where it ends when verdicts are ``decided``, the first look is after
    ``units``.
    """
    if comparisons < 1 or units < 2:
        return None
    level = alpha / comparisons
    test = PlannedTest(unit, judge, level, units * passes if decided else None, passes)
    effect = test.detectable(units)
    spreads: list[tuple[float, str | None]] = [(pilot.s, pilot.treatment) for pilot in pilots if pilot.s > 0]
    spreads += [(s, None) for s in SPREADS]
    rows = tuple(
        OutlookRow(
            s=s,
            pilot=pilot,
            shows=_compute_ratio(effect, s),
            needed=tuple(test.units_needed(math.log1p(value) / s) for value in DIFFERENCES),
            precise=None
            if target is None or unit == "run"
            else _compute_precise(unit, target, s, passes, units),
            equivalent=None if margin is None or unit == "run" else _compute_equivalent(test, margin, s),
        )
        for s, pilot in spreads
    )
    fewest = math.ceil(1 - math.log2(test.level_after(units))) if judge == "sign" else 2
    return Outlook(
        unit,
        units,
        comparisons,
        level,
        target,
        margin,
        rows,
        DIFFERENCES,
        fewest if units < fewest else None,
        decided,
    )


def _compute_ratio(effect: float | None, s: float) -> float | None:
    """Relative; ``None`` where that leaves the range of numbers."""
    return None if effect is None or effect * s >= LARGEST_LOG else math.expm1(effect * s)


def _compute_equivalent(test: PlannedTest, margin: float, s: float) -> int | None:
    """Units that show equivalence, and that slow runs which carry a mean over the margin would show in."""

    def count_units(times: float) -> int | None:
        return test.equivalent(math.log1p(margin) / s / times, POWER_OF_EQUIVALENCE)

    units = units_at_bound(count_units) if test.in_time else count_units(1.0)
    if units is None or test.judge == "sign" or test.unit == "instance":
        return units
    return units_to_trust(math.log1p(margin), s, POWER_OF_EQUIVALENCE, least=units, passes=test.passes)


def _compute_precise(unit: Unit, target: float, s: float, passes: int, first: int) -> int | None:
    if unit == "instance":
        # No more of them come with the blocks that a stop rule adds.
        return n_precise(target, s)
    count = n_relied_on(target, s, blocks=passes)
    return None if count is None else max(count, first)
