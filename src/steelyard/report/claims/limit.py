"""``limit`` in words."""

from __future__ import annotations

from steelyard.claims.evidence import BreaksEvidence, Evidence, MeanEvidence
from steelyard.core.extension import find_predictor, load
from steelyard.core.units import format_quantity
from steelyard.report.claims.phrases import format_interval, format_reason, format_units_text
from steelyard.report.text.digits import percent, scale_text
from steelyard.report.text.label import named_levels, plural, printable
from steelyard.spec.claims.limit import Limit
from steelyard.stats.compare.judgement import Outcome

FEWEST_FOR_P90 = 36
"""Runs from which the 90th percentile has an upper bound at 95 %: 0.9^36 is below 2.5 %."""


def text(claim: Limit, unit: str) -> str:
    """``wall_s at most 60.0 s at p = 64``."""
    side, bound = ("at most", claim.max) if claim.max is not None else ("at least", claim.min)
    at = f" at {named_levels(claim.at)}" if claim.at else ""
    prefix = "" if claim.quantile is None else f"{_name_quantile(claim.quantile)} of "
    return f"{prefix}{claim.limit} {side} {format_quantity(bound or 0.0, unit)}{at}"


def evidence(claim: Limit, outcome: Outcome, value: Evidence) -> str:
    """Return the mean, or the prediction of a model."""
    if not isinstance(value, MeanEvidence):
        predictor = find_predictor()
        return "" if predictor is None else str(load(predictor.words)(value))
    beside = _format_beside(claim, value)
    return f"{beside}; {_format_mean(outcome, value)}" if beside else _format_mean(outcome, value)


def format_breaks_words(breaks_evidence: BreaksEvidence, bound: str) -> str:
    """Return the scale from which a limit breaks."""
    name = f"{printable(breaks_evidence.name)}: " if breaks_evidence.name else ""
    falls = (
        f"{breaks_evidence.parameter} = {scale_text(breaks_evidence.above_until)}"
        if breaks_evidence.above_until
        else ""
    )
    if breaks_evidence.at is None:
        exact = (
            f"from {falls} on, as far as was searched" if falls else "over the whole range that was searched"
        )
        return f"{name}its model stays within {bound} {exact}"
    ends = [
        scale_text(end) if end is not None else "never"
        for end in (breaks_evidence.earliest, breaks_evidence.latest)
    ]
    beyond = ", beyond what was measured" if breaks_evidence.at > breaks_evidence.measured else ""
    place = f"{breaks_evidence.parameter} = {scale_text(breaks_evidence.at)}"
    first = f"up to {falls}, and again " if falls else ""
    return f"{name}its model breaks {bound} {first}from {place} on (95 %: {ends[0]} to {ends[1]}{beyond})"


def _format_beside(claim: Limit, value: MeanEvidence) -> str | None:
    """``41 of 41 runs above 1.00 µs (median 2.05 s)``, where that decides and not the mean."""
    if value.decided_by in (None, "mean") or value.beyond is None or value.median is None:
        return None
    side, bound = ("above", claim.max) if claim.max is not None else ("below", claim.min)
    unit = value.metric.unit
    runs = plural(value.n, "run" if value.by in ("launch", "two-sessions") else value.by)
    limit = format_quantity(bound or 0.0, unit)
    words = f"{value.beyond} of {runs} {side} {limit} (median {format_quantity(value.median, unit)})"
    return words if value.decided_by == "typical" else f"{words}, which no mean of {limit} allows"


def _format_mean(outcome: Outcome, mean_evidence: MeanEvidence) -> str:
    if mean_evidence.mean is None:
        return format_reason(mean_evidence.reason) or "the mean is undefined"
    unit = mean_evidence.metric.unit
    ci = format_interval(mean_evidence.interval, unit, mean_evidence.level)
    noun = "mean" if mean_evidence.quantile is None else _name_quantile(mean_evidence.quantile)
    words = (
        f"{noun} {format_quantity(mean_evidence.mean, unit)} ({ci},"
        f" {format_units_text(mean_evidence)}{_format_allowed(mean_evidence, outcome)})"
    )
    if outcome == "not_resolved" and mean_evidence.units_needed and not mean_evidence.reason:
        return f"{words}{_suggest_action(mean_evidence)}"
    return f"{words}, but {format_reason(mean_evidence.reason)}" if mean_evidence.reason else words


def _format_allowed(mean_evidence: MeanEvidence, outcome: Outcome) -> str:
    """Return what a verdict takes for granted of runs that it has not seen."""
    if outcome != "holds" or mean_evidence.unseen is None:
        return ""
    return f", unseen runs included: up to {percent(mean_evidence.unseen)}, {_format_slow(mean_evidence)}"


def _suggest_action(mean_evidence: MeanEvidence) -> str:
    """Why enough runs leave a limit open, and what would decide it."""
    quantile = 0.9 if mean_evidence.n >= FEWEST_FOR_P90 else 0.5
    runs = plural(
        mean_evidence.units_needed or 0, "run" if mean_evidence.by == "launch" else mean_evidence.by
    )
    return (
        f", but up to {percent(mean_evidence.unseen or 0.0)} of runs could be"
        f" {_format_slow(mean_evidence)} and"
        " unseen;"
        f" use {runs}, or quantile = {quantile:g}"
    )


def _format_slow(mean_evidence: MeanEvidence) -> str:
    return "at half of the mean" if mean_evidence.metric.better == "higher" else "at twice the mean"


def _name_quantile(quantile: float) -> str:
    """``p99``, ``p99.9``, ``median``."""
    return "median" if quantile == 0.5 else f"p{100 * quantile:g}"
