"""Judgement instance by instance, where problem instances are declared."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from steelyard.claims.draft import Draft
from steelyard.claims.observed import Observed
from steelyard.sample import Sample
from steelyard.spec.claims.claim import Best, Equivalent, Faster, Slower, Unperturbed, Validates
from steelyard.stats.compare.instances import pool

Judge = Callable[[Any, Observed], Draft]
_COMPARE = (Faster, Slower, Equivalent, Best, Unperturbed, Validates)
"""Claims that compare. A limit holds for every instance, and growth is that of each."""


def judge_by_instance(judge: Judge, claim: object, observed: Observed) -> Draft:
    """Judge where the levels of ``analysis.instances`` are one sample, each a unit of its own;
    as it is where none is declared, or the claim itself names one of the instances.
    """
    factor = observed.experiment.analysis.instances
    if factor is None or not isinstance(claim, _COMPARE) or _names(claim, factor):
        return judge(claim, observed)

    def compared(metric: str) -> Sequence[Sample]:
        found = observed.compared(metric)
        known = any(factor in {**each.labels, **each.treatment.levels} for each in found)
        return pool(found, factor) if known else found

    without = tuple(name for name in claim.strata if name != factor)
    return judge(msgspec.structs.replace(claim, strata=without), replace(observed, compared=compared))


def _names(claim: msgspec.Struct, factor: str) -> bool:
    said = [value for name, value in msgspec.structs.asdict(claim).items() if name != "strata"]
    return any(factor in value if isinstance(value, dict) else value == factor for value in said)
