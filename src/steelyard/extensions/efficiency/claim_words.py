"""``efficiency`` in words."""

from __future__ import annotations

from steelyard.extensions.efficiency.claims import EfficiencyClaim
from steelyard.extensions.efficiency.judging import EfficiencyEvidence
from steelyard.extensions.efficiency.text import format_percent
from steelyard.report.claims.phrases import format_reason, format_where
from steelyard.stats.compare.judgement import Outcome


def text(claim: EfficiencyClaim, _unit: str) -> str:
    """``strong-scaling efficiency of wall_s at least 70 % up to 256``."""
    over = f" over {claim.parameter}" if claim.parameter else ""
    up_to = "" if claim.up_to is None else f" up to {claim.up_to:g}"
    least = f"at least {format_percent(claim.at_least)}"
    bound = f"{least}{up_to}{format_where(None, claim.where)}"
    return f"{claim.scaling}-scaling efficiency of {claim.efficiency}{over} {bound}"


def evidence(_claim: EfficiencyClaim, _outcome: Outcome, tested: EfficiencyEvidence) -> str:
    """``58 % (95 % CI 56 to 60 %, 5 launches)``; the scale is that of the stratum."""
    if tested.efficiency is None or tested.interval is None:
        return f"no verdict: {format_reason(tested.reason)}"
    low, high = (f"{100 * end:.3g}" for end in (tested.interval.low, tested.interval.high))
    coverage = format_percent(1 - tested.level)
    interval = f"{coverage} CI {low} to {high} %"
    return f"{format_percent(tested.efficiency)} ({interval}, {tested.launches} launches)"
