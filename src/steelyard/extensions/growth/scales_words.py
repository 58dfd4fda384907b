"""``scales`` in words."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Final

from steelyard.extensions.growth.algebra import CONSTANT, Growth
from steelyard.extensions.growth.evidence import ScalesEvidence
from steelyard.extensions.growth.scales_claim import Scales
from steelyard.extensions.growth.scaling.model import RankAnswer, Validation
from steelyard.extensions.growth.text import format_bound
from steelyard.report.claims.phrases import format_reason, format_where
from steelyard.report.text.digits import share
from steelyard.report.text.label import printable
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
    """``O(log p), matches (98 % sure, 6 points)``."""
    model = scales_evidence.model
    if model is None or model.validation is None:
        return f"no verdict: {scales_evidence.reason or 'nothing is expected of it'}"
    if scales_evidence.reason:
        return f"{model.growth()} from {model.points} points, but {format_reason(scales_evidence.reason)}"
    validation = model.validation
    words = f"{model.growth()}, {_WORDS[format_bound(validation)][validation.rank]}"
    words += f" ({_format_rests_on(validation)}, {model.points} points)"
    if validation.rank == "none" and validation.divergence > CONSTANT and not validation.at_least:
        words += f"; {_format_excess(validation)}"
    if validation.rank == "approximate" and outcome == "not_resolved":
        words += "; --strict takes no approximation"
    if claim.at_most is not None and validation.at_least:
        words += f"; of {claim.scales} higher is better, and the bound is from below"
    exact = format_bound(validation) == "expected"
    if validation.rank == "none" and exact and validation.divergence < CONSTANT:
        words += "; slower growth than expected is allowed by at_most"
    return f"{words}; {_CAUSES[scales_evidence.cause]}" if scales_evidence.cause else words


def _format_rests_on(validation: Validation) -> str:
    """How sure the rank is; of an undecided one, how probable each is."""
    p = validation.probability
    if validation.rank != "undecided":
        tolerated = f", {_format_tolerance(validation)}" if validation.rank == "approximate" else ""
        return f"{share(p.probability(validation.rank))} sure{tolerated}"
    beyond = _WORDS[format_bound(validation)]
    shares = (
        (beyond["match"], p.match),
        (f"approximately ({validation.deviation} tolerated)", p.approximate),
        (beyond["none"], p.none),
    )
    return ", ".join(f"{words} {share(value)}" for words, value in shares if value >= 0.01)


def _format_excess(validation: Validation) -> str:
    """Say by what factor growth exceeds what is expected, and what would still have passed."""
    name, growth = validation.parameter, validation.divergence
    factor = f"outgrows {validation.expectation} by a factor of {_format_factor(growth, name)}"
    return f"{factor}, and {_format_tolerance(validation)}"


def _format_tolerance(validation: Validation) -> str:
    """Return in words how far off growth may be."""
    return "none is tolerated" if validation.deviation == "1" else f"{validation.deviation} is tolerated"


def _format_factor(growth: Growth, name: str) -> str:
    """``n^0.75 / log n``: negative exponents are below the bar."""
    zero = Fraction(0)
    above = Growth(max(growth.power, zero), max(growth.log, zero), max(growth.exp2, zero))
    below = above / growth
    if below.is_constant:
        return growth.text(name)
    return f"{above.text(name)} / {below.text(name)}"
