"""``judge``: all claims of an experiment, each by the judge of its kind, then together as one family."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from typing import Any

from steelyard.claims.by_instance import judge_by_instance
from steelyard.claims.draft import Draft
from steelyard.claims.family import decide
from steelyard.claims.observed import Observed
from steelyard.claims.oversubscribed import judge_unless_crowded
from steelyard.claims.verdict import Verdict
from steelyard.spec.claims.claim import Claim, kind_of, module_of


def judge(claims: Sequence[Claim], observed: Observed) -> tuple[Verdict, ...]:
    """The verdicts, in the order of the claims.

    Raises
    ------
    UsageError
        A claim speaks of what was not measured.
    """
    drafts = [
        judge_unless_crowded(partial(judge_by_instance, _judge_of(claim)), claim, observed)
        for claim in claims
    ]
    return decide(claims, drafts, observed.alpha)


def _judge_of(claim: Claim) -> Callable[[Any, Observed], Draft]:
    """``judge_KIND`` of its module, imported when a spec claims such: models need more than comparisons."""
    module = import_module(f"steelyard.claims.{module_of(claim)}")
    found: Callable[[Any, Observed], Draft] = getattr(module, f"judge_{kind_of(claim)}")
    return found
