"""Detectable effects for a number of units, at typical spreads and at those of a record."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from steelyard.answers.plan import Judge, Outlook, OutlookRow, Pilot, Unit
from steelyard.stats.distributions.sign_test import signs_detectable
from steelyard.stats.distributions.student import detectable, t_quantile
from steelyard.stats.hypothesis.sign_flip_critical import sign_flip_critical
from steelyard.stats.planning.power import POWER, detectable_ratio
from steelyard.stats.planning.sample_size import n_paired, n_precise, n_signs, n_tost, n_welch

SPREADS: Final = (0.005, 0.01, 0.02, 0.05, 0.1)
"""Standard deviations of the log ratio of a block, as a quiet machine and a restless one have them."""
DIFFERENCES: Final = (0.01, 0.02, 0.05)
POWER_OF_EQUIVALENCE: Final = 0.9


def outlook(
    *,
    unit: Unit,
    units: int,
    comparisons: int,
    alpha: float,
    target: float | None = None,
    margin: float | None = None,
    pilots: Sequence[Pilot] = (),
    judge: Judge = "t",
) -> Outlook | None:
    """``None`` where nothing is compared, or one unit can show nothing."""
    if comparisons < 1 or units < 2:
        return None
    level = alpha / comparisons
    spreads: list[tuple[float, str | None]] = [(pilot.s, pilot.treatment) for pilot in pilots if pilot.s > 0]
    spreads += [(s, None) for s in SPREADS]
    rows = tuple(
        OutlookRow(
            s=s,
            pilot=pilot,
            shows=_shows(unit, s, units, level, judge),
            needed=tuple(_needed(unit, math.log1p(each) / s, level, judge) for each in DIFFERENCES),
            precise=None if target is None or unit == "run" else n_precise(target, s),
            equivalent=None
            if margin is None or unit == "run"
            else _equivalent(math.log1p(margin) / s, level, judge),
        )
        for s, pilot in spreads
    )
    fewest = math.ceil(1 - math.log2(level)) if judge == "sign" else 2
    return Outlook(
        unit, units, comparisons, level, target, margin, rows, DIFFERENCES, fewest if units < fewest else None
    )


def _shows(unit: Unit, s: float, units: int, level: float, judge: Judge) -> float | None:
    shift: float | None
    if unit == "run":
        shift = detectable(2 * units - 2, level, POWER) * s * math.sqrt(2 / units)
    elif judge == "sign":
        shown = signs_detectable(units, level, POWER)
        shift = None if shown is None else shown * s
    else:
        critical = sign_flip_critical(units, level) if judge == "sign-flip" else t_quantile(units - 1, level)
        return detectable_ratio(s, units, critical, POWER)
    return math.expm1(shift) if shift is not None and shift < 700 else None


def _needed(unit: Unit, effect: float, level: float, judge: Judge) -> int | None:
    if unit == "run":
        return n_welch(effect, level, POWER)
    if judge == "sign":
        return n_signs(effect, level, POWER)
    return n_paired(effect, level, POWER, flipped=judge == "sign-flip")


def _equivalent(margin: float, level: float, judge: Judge) -> int | None:
    """An equivalence is decided by an interval at 1 - level: two one-sided tests at half of it each."""
    if judge == "sign":
        # Of the two ends, each may lie outside as often as both together may; hardly ever do both.
        return n_signs(margin, level, (1 + POWER_OF_EQUIVALENCE) / 2)
    return n_tost(margin, level / 2, POWER_OF_EQUIVALENCE, flipped=judge == "sign-flip")
