"""Phrases that the words of several kinds of claims share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from steelyard.claims.evidence import BestEvidence, MeanEvidence, RatioEvidence
from steelyard.core.units import Scalar, format_quantity
from steelyard.report.text.digits import bounds
from steelyard.report.text.label import named_levels, plural, printable
from steelyard.results.interval import Interval
from steelyard.results.undefined import REASONS
from steelyard.stats.compare.judgement import Outcome

WORST: Final[dict[Outcome, int]] = {"fails": 0, "not_judged": 1, "not_resolved": 2, "holds": 3}
"""Order of outcomes, those that need attention first."""


def format_levels_text(levels: Mapping[str, Scalar]) -> str:
    """``O3`` or ``n = 1000``: words speak for themselves, numbers do not."""
    return ", ".join(
        printable(level) if isinstance(level, str) else f"{name} = {level}" for name, level in levels.items()
    )


def format_where(metric: str | None, levels: Mapping[str, Scalar]) -> str:
    """``in cpu_s where n = 1000``, after a space; empty where the claim names neither."""
    by = f" in {metric}" if metric else ""
    return by + (f" where {named_levels(levels)}" if levels else "")


def coverage(level: float) -> str:
    """``95 % CI``; with as many digits as tell it from 100 %."""
    text = f"{100 * (1 - level):.3g}"
    return f"{text if float(text) < 100 else '>99.9'} % CI"


def format_reason(reason: str | None) -> str | None:
    """Return a reason in words."""
    if reason == "failures":
        return "runs failed or timed out, so the remaining runs are not a random sample"
    if reason == "contexts":
        return (
            "runs of one machine or context share its effect, which a model takes for independent runs; check"
            " the record of each machine alone"
        )
    return REASONS.get(reason, reason) if reason else None


def ci(value: float, interval: Interval | None, level: float) -> str:
    """``95 % CI 1.30 to 1.38``, of a ratio."""
    return f"{coverage(level)} {bounds(value, interval)}" if interval else f"no bounded {coverage(level)}"


def format_interval(interval: Interval | None, unit: str, level: float) -> str:
    """``95 % CI 1.30 ms to 1.38 ms``, of a quantity."""
    if interval is None:
        return f"no bounded {coverage(level)}"
    if interval.low == interval.high:
        return "all equal"
    low, high = (format_quantity(end, unit) for end in (interval.low, interval.high))
    return f"{coverage(level)} {low} to {high}"


def format_units_text(value: RatioEvidence | MeanEvidence | BestEvidence) -> str:
    """``30 blocks in one context``; with what is assumed of runs that nothing pairs."""
    if value.by == "repetition":
        return f"{plural(value.n, 'repetition')} in one process, if nothing drifted"
    if value.by == "session":
        return f"{plural(value.n, 'session')}, if nothing drifted"
    if value.by == "two-sessions":
        return f"{plural(value.n, 'run')} of these two sessions, if nothing drifted"
    scope = f" in one {value.scope}" if value.scope else ""
    if value.by == "launch":
        return f"{plural(value.n, 'run')}{scope} one after the other, if nothing drifted"
    return f"{plural(value.n, value.by)}{scope}"
