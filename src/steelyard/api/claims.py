"""Verdicts with their evidence, and claims as data."""

from __future__ import annotations

from steelyard.claims.evidence import MeanEvidence, RatioEvidence
from steelyard.claims.verdict import Checked, Instance, Verdict
from steelyard.claims.verdict import combine as combine_outcomes
from steelyard.extensions.growth.check_data import check_data
from steelyard.extensions.growth.evidence import RulePointEvidence, ScalesEvidence
from steelyard.extensions.growth.rule_claim import TOLERANCE as RULE_TOLERANCE
from steelyard.extensions.growth.rule_claim import Rule
from steelyard.extensions.growth.scales_claim import Scales
from steelyard.lab.answer.check import check
from steelyard.report.claims.phrases import WORST as ORDER_OF_OUTCOMES
from steelyard.report.claims.text import SIGNS, format_claim
from steelyard.report.claims.text import lines as render_verdicts
from steelyard.report.claims.text import words as format_verdict
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
