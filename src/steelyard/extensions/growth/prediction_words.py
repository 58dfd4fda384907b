"""A predicted value in words."""

from __future__ import annotations

from steelyard.core.units import format_quantity
from steelyard.extensions.growth.evidence import PredictedEvidence
from steelyard.report.claims.phrases import format_interval, format_reason


def format_prediction(predicted_evidence: PredictedEvidence) -> str:
    """``61.0 s predicted at p = 512 (95 % CI 58.0 s to 64.0 s, by O(p) from 6 points)``."""
    if predicted_evidence.value is None or predicted_evidence.model is None:
        return f"not predicted: {predicted_evidence.reason or 'no model'}"
    at = ", ".join(f"{name} = {value:g}" for name, value in predicted_evidence.at.items())
    value = format_quantity(predicted_evidence.value, predicted_evidence.unit)
    ci = format_interval(predicted_evidence.interval, predicted_evidence.unit, 0.05)
    words = (
        f"{value} predicted at {at} ({ci}, by {predicted_evidence.model.growth()} from"
        f" {predicted_evidence.points} points)"
    )
    return f"{words}, but {format_reason(predicted_evidence.reason)}" if predicted_evidence.reason else words
