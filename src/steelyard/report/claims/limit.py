"""``limit`` in words."""

from __future__ import annotations

from steelyard.claims.evidence import BreaksEvidence, MeanEvidence, PredictedEvidence
from steelyard.report.claims.phrases import between, units_text, why
from steelyard.report.text.digits import percent, scale_text
from steelyard.report.text.label import counted, named_levels, printable
from steelyard.spec.claims.claim import Limit
from steelyard.stats.compare.judgement import Outcome
from steelyard.units import format_quantity

FEWEST_FOR_P90 = 36
"""Runs from which the 90th percentile has an upper bound at 95 %: 0.9^36 is below 2.5 %."""


def text(claim: Limit, unit: str) -> str:
    """``wall_s at most 60.0 s at p = 64``."""
    side, bound = ("at most", claim.max) if claim.max is not None else ("at least", claim.min)
    at = f" at {named_levels(claim.at)}" if claim.at else ""
    which = "" if claim.quantile is None else f"{_called(claim.quantile)} of "
    return f"{which}{claim.limit} {side} {format_quantity(bound or 0.0, unit)}{at}"


def evidence(_claim: Limit, outcome: Outcome, found: MeanEvidence | PredictedEvidence) -> str:
    """Return the mean, or the prediction of a model."""
    return _mean(outcome, found) if isinstance(found, MeanEvidence) else _predicted(found)


def breaks_words(found: BreaksEvidence, bound: str) -> str:
    """Return the scale from which a limit breaks."""
    name = f"{printable(found.name)}: " if found.name else ""
    falls = f"{found.parameter} = {scale_text(found.above_until)}" if found.above_until else ""
    if found.at is None:
        whole = (
            f"from {falls} on, as far as was searched" if falls else "over the whole range that was searched"
        )
        return f"{name}its model stays within {bound} {whole}"
    ends = [scale_text(end) if end is not None else "never" for end in (found.earliest, found.latest)]
    beyond = ", beyond what was measured" if found.at > found.measured else ""
    where = f"{found.parameter} = {scale_text(found.at)}"
    first = f"up to {falls}, and again " if falls else ""
    return f"{name}its model breaks {bound} {first}from {where} on (95 %: {ends[0]} to {ends[1]}{beyond})"


def _mean(outcome: Outcome, found: MeanEvidence) -> str:
    if found.mean is None:
        return why(found.reason) or "the mean is undefined"
    unit = found.metric.unit
    ci = between(found.interval, unit, found.level)
    what = "mean" if found.quantile is None else _called(found.quantile)
    words = (
        f"{what} {format_quantity(found.mean, unit)} ({ci}, {units_text(found)}{_allowed(found, outcome)})"
    )
    if outcome == "not_resolved" and found.units_needed and not found.reason:
        return f"{words}{_to_do(found)}"
    return f"{words}, but {why(found.reason)}" if found.reason else words


def _allowed(found: MeanEvidence, outcome: Outcome) -> str:
    """Return what a verdict takes for granted of runs that it has not seen."""
    if outcome != "holds" or found.unseen is None:
        return ""
    return f", unseen runs included: up to {percent(found.unseen)}, {_slow(found)}"


def _to_do(found: MeanEvidence) -> str:
    """Why enough runs leave a limit open, and what would decide it."""
    quantile = 0.9 if found.n >= FEWEST_FOR_P90 else 0.5
    more = counted(found.units_needed or 0, "run" if found.by == "launch" else found.by)
    return (
        f", but up to {percent(found.unseen or 0.0)} of runs could be {_slow(found)} and unseen;"
        f" use {more}, or quantile = {quantile:g}"
    )


def _slow(found: MeanEvidence) -> str:
    return "at half of the mean" if found.metric.better == "higher" else "at twice the mean"


def _called(quantile: float) -> str:
    """``p99``, ``p99.9``, ``median``."""
    return "median" if quantile == 0.5 else f"p{100 * quantile:g}"


def _predicted(found: PredictedEvidence) -> str:
    if found.value is None or found.model is None:
        return f"not predicted: {found.reason or 'no model'}"
    at = ", ".join(f"{name} = {value:g}" for name, value in found.at.items())
    value = format_quantity(found.value, found.unit)
    ci = between(found.interval, found.unit, 0.05)
    words = f"{value} predicted at {at} ({ci}, by {found.model.growth()} from {found.points} points)"
    return f"{words}, but {why(found.reason)}" if found.reason else words
