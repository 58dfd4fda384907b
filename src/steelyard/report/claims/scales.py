"""``scales`` in words."""

from __future__ import annotations

from typing import Final

from steelyard.claims.evidence import ScalesEvidence
from steelyard.report.claims.phrases import where_text, why
from steelyard.report.text.digits import share
from steelyard.report.text.label import printable
from steelyard.spec.claims.claim import Scales
from steelyard.stats.compare.judgement import Outcome

_CAUSES: Final = {
    "machine": "the litmus test misses it too: the machine is the likely cause",
    "library": "the litmus test keeps it: the program is the likely cause",
    "unknown": "the litmus test itself is undecided",
}


def text(claim: Scales, _unit: str) -> str:
    """``latency_s grows over p as O(log p)``."""
    expected = claim.expect if claim.expect is not None else f"accepted in {printable(claim.accepted or '')}"
    over = f" over {claim.parameter}" if claim.parameter else ""
    return f"{claim.scales} grows{over} as {expected}{where_text(None, claim.where)}"


def evidence(claim: Scales, _outcome: Outcome, found: ScalesEvidence) -> str:
    """``O(log p), matches (98 % sure, …)``."""
    model = found.model
    if model is None or model.validation is None:
        return f"no verdict: {found.reason or 'nothing is expected of it'}"
    its = model.validation
    shares = {
        "match": its.probability.match,
        "approximate": its.probability.approximate,
        "none": its.probability.none,
    }
    rank = {"match": "matches", "approximate": "approximately", "none": "no match", "undecided": "undecided"}
    if found.reason:
        return f"{model.growth()} from {model.points} points, but {why(found.reason)}"
    words = f"{model.growth()}, {rank[its.rank]}"
    if its.rank == "undecided":
        parts = (f"{name} {share(p)}" for name, p in shares.items() if p >= 0.01)
        words += f" ({', '.join(parts)}; {model.points} points)"
    else:
        words += f" ({share(shares[its.rank])} sure, divergence {its.divergence.big_o(its.parameter)}"
        if its.rank == "none" and claim.expect is not None and claim.deviation is None:
            words += f", D = {its.deviation} by default"
        words += f", {model.points} points)"
    return f"{words}; {_CAUSES[found.cause]}" if found.cause else words
