"""What so many units could show, for spreads as machines have them and for those of a record."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from steelyard.stats.paired.flip_critical import flips_critical
from steelyard.stats.planning.outlook import Outlook, OutlookRow, Pilot, Unit
from steelyard.stats.planning.power import POWER, detectable_ratio
from steelyard.stats.planning.size import n_paired, n_precise, n_tost, n_welch
from steelyard.stats.student import detectable, t_quantile

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
    flipped: bool = False,
) -> Outlook | None:
    """``None`` where nothing is compared, or one unit can show nothing. ``flipped`` where the signs of blocks
    judge, as far as they do: from 7 to 64 of them.
    """
    if comparisons < 1 or units < 2:
        return None
    level = alpha / comparisons
    spreads: list[tuple[float, str | None]] = [(pilot.s, pilot.treatment) for pilot in pilots if pilot.s > 0]
    spreads += [(s, None) for s in SPREADS]
    # An equivalence is decided by an interval at 1 - level: two one-sided tests at half of it each.
    rows = tuple(
        OutlookRow(
            s=s,
            pilot=pilot,
            shows=_shows(unit, s, units, level, flipped=flipped),
            needed=tuple(_needed(unit, s, each, level, flipped=flipped) for each in DIFFERENCES),
            precise=None if target is None or unit == "run" else n_precise(target, s),
            equivalent=None
            if margin is None or unit == "run"
            else n_tost(math.log1p(margin) / s, level / 2, POWER_OF_EQUIVALENCE, flipped=flipped),
        )
        for s, pilot in spreads
    )
    return Outlook(unit, units, comparisons, level, target, margin, rows, DIFFERENCES)


def _shows(unit: Unit, s: float, units: int, level: float, *, flipped: bool) -> float | None:
    if unit != "run":
        critical = flips_critical(units, level) if flipped else t_quantile(units - 1, level)
        return detectable_ratio(s, units, critical, POWER)
    shift = detectable(2 * units - 2, level, POWER) * s * math.sqrt(2 / units)
    return math.expm1(shift) if shift < 700 else None


def _needed(unit: Unit, s: float, difference: float, level: float, *, flipped: bool) -> int | None:
    effect = math.log1p(difference) / s
    return n_welch(effect, level, POWER) if unit == "run" else n_paired(effect, level, POWER, flipped=flipped)
