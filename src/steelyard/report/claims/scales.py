"""``scales`` in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from steelyard.claims.evidence import ScalesEvidence
from steelyard.core.growth import CONSTANT
from steelyard.report.claims.phrases import format_reason, format_where
from steelyard.report.models.text import format_bound
from steelyard.report.text.digits import share
from steelyard.report.text.label import printable
from steelyard.scaling.model import RankAnswer, Validation
from steelyard.spec.claims.scales import Scales
from steelyard.stats.compare.judgement import Outcome

_WORDS: Final[Mapping[str, Mapping[RankAnswer, str]]] = {
    "expected": {
        "match": "matches", "approximate": "approximately", "none": "no match", "undecided": "undecided",
    },
    "at most": {
        "match": "no faster", "approximate": "approximately", "none": "faster", "undecided": "undecided",
    },
    "at least": {
        "match": "no slower", "approximate": "approximately", "none": "slower", "undecided": "undecided",
    },
}  # fmt: skip
"""By the kind of expectation."""
_CAUSES: Final = {
    "machine": "the litmus test misses it too: the machine is the likely cause",
    "library": "the litmus test keeps it: the program is the likely cause",
    "unknown": "the litmus test itself is undecided",
}


def text(claim: Scales, _unit: str) -> str:
    """``latency_s grows over p no faster than O(log p)``."""
    if claim.at_most is not None:
        growth = f"no faster than {claim.at_most}"
    elif claim.at_least is not None:
        growth = f"at least as fast as {claim.at_least}"
    elif claim.expect is not None:
        growth = f"as {claim.expect}"
    else:
        growth = f"as accepted in {printable(claim.accepted or '')}"
    over = f" over {claim.parameter}" if claim.parameter else ""
    return f"{claim.scales} grows{over} {growth}{format_where(None, claim.where)}"


def evidence(claim: Scales, outcome: Outcome, scales_evidence: ScalesEvidence) -> str:
    """``O(log p), matches (98 % sure, …, D = log p by default, …)``."""
    model = scales_evidence.model
    if model is None or model.validation is None:
        return f"no verdict: {scales_evidence.reason or 'nothing is expected of it'}"
    if scales_evidence.reason:
        return f"{model.growth()} from {model.points} points, but {format_reason(scales_evidence.reason)}"
    validation = model.validation
    words = (
        f"{model.growth()}, {_WORDS[format_bound(validation)][validation.rank]}"
        f" ({_format_rests_on(claim, validation)}, {model.points} points)"
    )
    if validation.rank == "approximate" and outcome == "not_resolved":
        words += "; --strict takes no approximation"
    if claim.at_most is not None and validation.at_least:
        words += f"; of {claim.scales} higher is better, and the bound is from below"
    if (
        validation.rank == "none"
        and format_bound(validation) == "expected"
        and validation.divergence < CONSTANT
    ):
        words += "; slower growth than expected is allowed by at_most"
    return f"{words}; {_CAUSES[scales_evidence.cause]}" if scales_evidence.cause else words


def _format_rests_on(claim: Scales, validation: Validation) -> str:
    """How sure the rank is, and the deviation D that it is about."""
    p = validation.probability
    default = " by default" if claim.deviation is None and claim.accepted is None else ""
    deviation = f"D = {validation.deviation}{default}"
    if validation.rank == "undecided":
        shares = {"match": p.match, "approximate": p.approximate, "none": p.none}
        return ", ".join(
            [*(f"{name} {share(value)}" for name, value in shares.items() if value >= 0.01), deviation]
        )
    sure = share(p.probability(validation.rank))
    return f"{sure} sure, divergence {validation.divergence.big_o(validation.parameter)}, {deviation}"
