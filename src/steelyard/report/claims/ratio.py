"""``faster``, ``slower``, ``not_slower`` and ``equivalent`` in words."""

from __future__ import annotations

from typing import Final

from steelyard.claims.evidence import RatioEvidence, TypicalEvidence, Unit
from steelyard.report.answer.words import format_comparative
from steelyard.report.claims.phrases import (
    ci,
    format_levels_text,
    format_reason,
    format_units_text,
    format_where,
)
from steelyard.report.text.digits import percent, ratio
from steelyard.report.text.label import plural
from steelyard.report.text.typical import format_typical, format_wait
from steelyard.spec.claims.claim import Claim
from steelyard.spec.claims.ratio import Equivalent, Faster, NotSlower, Slower
from steelyard.stats.compare.judgement import Outcome
from steelyard.stats.planning.unseen import unseen_share

NOTHING: Final = 10.0
"""A smallest resolvable difference above 1,000 % says that there was nothing to see it with."""


def text(claim: Faster | Slower | NotSlower | Equivalent, _unit: str) -> str:
    """``O3 faster than O2 by 1.02``."""
    place = format_where(claim.metric, claim.where)
    if isinstance(claim, Equivalent):
        first, second = format_levels_text(claim.equivalent), format_levels_text(claim.to)
        return f"{first} equivalent to {second} within {percent(claim.within)}{place}"
    second = format_levels_text(claim.than)
    if isinstance(claim, NotSlower):
        return (
            f"{format_levels_text(claim.not_slower)} not slower than {second} by {percent(claim.by)}{place}"
        )
    if isinstance(claim, Faster):
        return (
            f"{format_levels_text(claim.faster)} {_format_better('faster', 'slow', claim.by, second)}{place}"
        )
    return f"{format_levels_text(claim.slower)} {_format_better('slower', 'fast', claim.by, second)}{place}"


def evidence(claim: Claim, outcome: Outcome, ratio_evidence: RatioEvidence) -> str:
    """``1.34 × (95 % CI 1.30 to 1.38, 30 blocks)``, behind the typical run where that decides."""
    if ratio_evidence.decided_by == "typical" and ratio_evidence.typical is not None:
        mean = _format_mean(claim, outcome, ratio_evidence)
        return f"{_format_typical(ratio_evidence, ratio_evidence.typical)}; mean {mean}"
    words = _format_mean(claim, outcome, ratio_evidence)
    typical = ratio_evidence.typical
    if typical is None or not _is_contrary(ratio_evidence, typical):
        return words
    return f"{words}; but a typical run is {_format_typical(ratio_evidence, typical)}"


def _format_mean(claim: Claim, outcome: Outcome, ratio_evidence: RatioEvidence) -> str:
    if ratio_evidence.ratio is None:
        return format_reason(ratio_evidence.reason) or "the ratio is undefined"
    words = (
        f"{ratio(ratio_evidence.ratio, ratio_evidence.interval)} ×"
        f" ({ci(ratio_evidence.ratio, ratio_evidence.interval, ratio_evidence.level)},"
        f" {format_units_text(ratio_evidence)})"
    )
    if ratio_evidence.reason:
        return f"{words}, but {format_reason(ratio_evidence.reason)}"
    if outcome == "not_resolved" and ratio_evidence.runs_to_show is not None:
        units = "block" if ratio_evidence.by in ("block", "context") else "run"
        return f"{words}; {format_wait(ratio_evidence.runs_to_show, units, 'the bound')}"
    if outcome == "holds" and isinstance(claim, Equivalent) and ratio_evidence.by in ("block", "launch"):
        words += f"; slow runs, up to {percent(unseen_share(ratio_evidence.n))} of all, could be unseen"
    if (
        outcome == "not_resolved"
        and ratio_evidence.resolvable is not None
        and ratio_evidence.resolvable <= NOTHING
    ):
        words += f"; these runs could have detected {percent(ratio_evidence.resolvable)}"
    return words


_PAIRS: Final[dict[Unit, str]] = {
    "launch": "run pair",
    "repetition": "run pair",
    "two-sessions": "run pair",
    "session": "session pair",
}
"""What is counted of runs that nothing pairs."""


def _is_contrary(mean: RatioEvidence, typical: TypicalEvidence) -> bool:
    """Whether a typical run goes the other way than the mean: the better of both is worse in most runs."""
    if mean.ratio is None or typical.interval is None or not typical.interval.excludes(1):
        return False
    return (mean.ratio > 1) != (typical.ratio > 1)


def _format_typical(mean: RatioEvidence, typical: TypicalEvidence) -> str:
    """``slower in 19 of 20 blocks; one slow run of base; 3.00 × (98.8 % CI 2.97 to 3.02, typical run)``."""
    is_better = typical.better >= typical.worse
    units = plural(typical.n, _PAIRS.get(mean.by, mean.by))
    count = format_typical(
        format_comparative(mean.metric, better=is_better),
        max(typical.better, typical.worse),
        units,
        typical.slow,
        typical.slow_runs,
    )
    size = ratio(typical.ratio, typical.interval)
    return f"{count}; {size} × ({ci(typical.ratio, typical.interval, typical.level)}, typical run)"


def _format_better(claimed: str, opposite: str, by: float, opponent: str) -> str:
    """``faster than O2 by 1.02``; a factor below 1 allows a loss, and is said as one."""
    if by < 1:
        return f"at most {1 / by:.3g} × as {opposite} as {opponent}"
    return f"{claimed} than {opponent}" + ("" if by == 1 else f" by {by:g}")
