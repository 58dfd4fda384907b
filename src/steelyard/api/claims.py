"""Verdicts with their evidence, and claims as data."""

from __future__ import annotations

from steelyard.claims.evidence import MeanEvidence, RatioEvidence, RulePointEvidence, ScalesEvidence
from steelyard.claims.verdict import Checked, Instance, Verdict
from steelyard.claims.verdict import combine as combine_outcomes
from steelyard.lab.answer.check import check
from steelyard.lab.answer.check_data import check_data
from steelyard.report.claims.phrases import WORST as ORDER_OF_OUTCOMES
from steelyard.report.claims.text import SIGNS, format_claim
from steelyard.report.claims.text import lines as render_verdicts
from steelyard.report.claims.text import words as format_verdict
from steelyard.spec.claims.rule import TOLERANCE as RULE_TOLERANCE
from steelyard.spec.claims.rule import Rule
from steelyard.spec.claims.scales import Scales
from steelyard.stats.compare.judgement import Outcome

__all__ = [
    "ORDER_OF_OUTCOMES",
    "RULE_TOLERANCE",
    "SIGNS",
    "Checked",
    "Instance",
    "MeanEvidence",
    "Outcome",
    "RatioEvidence",
    "Rule",
    "RulePointEvidence",
    "Scales",
    "ScalesEvidence",
    "Verdict",
    "check",
    "check_data",
    "combine_outcomes",
    "format_claim",
    "format_verdict",
    "render_verdicts",
]
