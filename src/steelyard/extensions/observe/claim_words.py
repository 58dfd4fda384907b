"""``unperturbed`` and ``validates`` in words; their evidence is that of ratios."""

from __future__ import annotations

from steelyard.extensions.observe.claims import Unperturbed, Validates
from steelyard.report.claims.phrases import format_levels_text, format_where
from steelyard.report.claims.ratio import evidence
from steelyard.report.text.digits import percent

__all__ = ["evidence", "text"]


def text(claim: Unperturbed | Validates, _unit: str) -> str:
    """``wall_s unperturbed by probe within 1 %``."""
    place = format_where(None, claim.where)
    if isinstance(claim, Unperturbed):
        margin = f"within {percent(claim.within)}{place}"
        return f"{claim.unperturbed} unperturbed by {format_levels_text(claim.probe)} {margin}"
    by = "" if claim.least == 1 else f" by {claim.least:g}"
    better = "" if claim.outcome_least == 1 else f" by {claim.outcome_least:g}"
    return (
        f"{format_levels_text(claim.intervention)} makes {claim.validates} {claim.direction}{by}"
        f" and {claim.outcome} better{better}{place}"
    )
