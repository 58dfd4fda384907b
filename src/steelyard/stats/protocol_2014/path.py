"""Which test a pair takes: the decision table of docs/statistics.md, "The protocol"."""

from __future__ import annotations

from steelyard.answers.protocol import Checks, Path


def choose(checks: Checks, alpha: float) -> Path:
    """The row of the table for two samples that each have a shape."""
    if _normal(checks, alpha):
        return "student" if checks.variances is not None and checks.variances.p > alpha else "welch"
    return "shift" if checks.centred is None or checks.centred.p > alpha else "order"


def _normal(checks: Checks, alpha: float) -> bool:
    """Whether Shapiro and Wilk reject neither sample."""
    both = (checks.normality_baseline, checks.normality_treatment)
    return all(each is not None and each.p > alpha for each in both)
