"""``rule`` in words."""

from __future__ import annotations

from typing import Final

from steelyard.claims.evidence import RuleEvidence
from steelyard.report.claims.phrases import where_text, why
from steelyard.report.text.digits import scale_text, share
from steelyard.report.text.label import printable
from steelyard.scaling.rules import RuleAnswer
from steelyard.spec.claims.claim import Rule
from steelyard.stats.compare.judgement import Outcome

NO_FASTER: Final = "the left side grows no faster"


def text(claim: Rule, _unit: str) -> str:
    """``allreduce <= reduce + bcast``."""
    return f"{printable(claim.rule)}{where_text(claim.metric, claim.where)}"


def evidence(_claim: Rule, _outcome: Outcome, found: RuleEvidence) -> str:
    """The probability that the rule is kept, and where the models cross."""
    answer = found.answer
    if answer is None:
        return f"no verdict: {why(found.reason)}"
    sure = "" if answer.probability is None else f"{share(answer.probability)} sure that {NO_FASTER}; "
    return sure + crossing(answer)


def crossing(answer: RuleAnswer) -> str:
    """Where the models of both sides cross."""
    if answer.breaks_at is None:
        return "the fitted models never cross"
    if answer.measured:
        return f"the left side is larger already at {scale_text(answer.breaks_at)}"
    return f"the fitted models cross at {scale_text(answer.breaks_at)}"
