"""Claims and their evidence in words, each by the module of its kind.

Such a module, the ``words`` of the kind, has two functions: ``text(claim, unit)`` says
what is claimed, ``evidence(claim, outcome, found)`` what a verdict in one stratum rests on.
A kind whose verdicts are told over all strata has a third, ``summary(verdict)``.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from steelyard.report.text.label import printable
from steelyard.spec.claims.claim import Claim, kind_of

if TYPE_CHECKING:  # with numpy, which a plan does without
    from steelyard.claims.verdict import Instance, Verdict


def format_claim_text(claim: Claim, unit: str = "") -> str:
    """``O3 faster than O2 by 1.02``; the name of the claim, where it has one, stands before it.

    ``unit`` is that of the metric, for bounds.
    """
    text: str = _make_words_of(claim).text(claim, unit)
    return f"{printable(claim.name)}: {text}" if claim.name else text


def format_evidence_words(claim: Claim, instance: Instance) -> str:
    """``1.34 × (95 % CI 1.30 to 1.38, 30 blocks)``."""
    words: str = _make_words_of(claim).evidence(claim, instance.outcome, instance.evidence)
    return words


def format_summary(verdict: Verdict) -> str | None:
    """Return a sentence over all strata; ``None`` where the words of the kind have no ``summary``."""
    summary = getattr(_make_words_of(verdict.claim), "summary", None)
    return None if summary is None else str(summary(verdict))


def _make_words_of(claim: Claim) -> Any:
    return import_module(kind_of(claim).words)
