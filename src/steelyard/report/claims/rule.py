"""``rule`` in words."""

from __future__ import annotations

from steelyard.claims.evidence import RuleEvidence
from steelyard.report.claims.phrases import where_text, why
from steelyard.report.text.digits import share
from steelyard.report.text.label import printable
from steelyard.spec.claims.claim import Rule
from steelyard.stats.compare.judgement import Outcome


def text(claim: Rule, _unit: str) -> str:
    """``allreduce <= reduce + bcast``."""
    return f"{printable(claim.rule)}{where_text(claim.metric, claim.where)}"


def evidence(_claim: Rule, _outcome: Outcome, found: RuleEvidence) -> str:
    """The probability that the rule is kept, and where the models cross."""
    answer = found.answer
    if answer is None:
        return f"no verdict: {why(found.reason)}"
    if answer.breaks_at is None:
        where = "the fitted models never cross"
    elif answer.measured:
        where = f"the left side is larger already at {answer.breaks_at:.3g}"
    else:
        where = f"the fitted models cross at {answer.breaks_at:.3g}"
    return f"{share(answer.probability)} sure that the left side grows no faster; {where}"
