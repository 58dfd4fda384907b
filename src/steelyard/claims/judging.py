"""``judge``: all claims of an experiment, each by the judge of its kind, then together as one family.

Where problem instances are declared, claims too compare instance by instance. Times of more ranks than CPUs
decide no claim: they are the work of all ranks together.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import Any

import msgspec
from msgspec.structs import replace

from steelyard.claims.draft import Draft
from steelyard.claims.family import decide
from steelyard.claims.observed import Observed
from steelyard.claims.verdict import Verdict
from steelyard.core.errors import UsageError
from steelyard.core.extension import load
from steelyard.core.sample import Sample
from steelyard.core.series import Series
from steelyard.spec.claims.claim import Claim, kind_of
from steelyard.stats.describe.instances import pool

Judge = Callable[[Any, Observed], Draft]


def judge(
    claims: Sequence[Claim], observed: Observed, foreign: Collection[Claim] = ()
) -> tuple[Verdict, ...]:
    """Return the verdicts, in the order of the claims; ``foreign`` and errors as of ``prepare_drafts``."""
    return decide(claims, prepare_drafts(claims, observed, foreign), observed.alpha)


def prepare_drafts(
    claims: Sequence[Claim], observed: Observed, foreign: Collection[Claim] = ()
) -> list[Draft]:
    """Each claim with all that does not depend on the others, in their order.

    Parameters
    ----------
    foreign : collection of Claim
        Those of another experiment, which are not judged where they speak of what was not measured.

    Raises
    ------
    UsageError
        Another claim speaks of what was not measured.
    """
    drafts = []
    for claim in claims:
        try:
            drafts.append(judge_unless_crowded(partial(judge_by_instance, _judge_of(claim)), claim, observed))
        except UsageError:
            if claim not in foreign:
                raise
            drafts.append(Draft())
    return drafts


def _judge_of(claim: Claim) -> Judge:
    """Import the judge of a claim when a spec has one: models need more than comparisons."""
    judge_of: Judge = load(kind_of(claim).judge)
    return judge_of


def judge_by_instance(judge: Judge, claim: Claim, observed: Observed) -> Draft:
    """Judge where the levels of ``analysis.instances`` are one sample, each a unit of its own.

    The claim is judged as it is where none is declared, or the claim itself names one of the instances.
    A limit holds for every instance, and growth is that of each.
    """
    factor = observed.experiment.analysis.instances
    if factor is None or not kind_of(claim).compares or _names(claim, factor):
        return judge(claim, observed)

    def list_compared(metric: str) -> Sequence[Sample]:
        samples = observed.list_compared(metric)
        varies = any(factor in {**sample.labels, **sample.treatment.levels} for sample in samples)
        return pool(samples, factor) if varies else samples

    without = tuple(name for name in claim.strata if name != factor)
    return judge(replace(claim, strata=without), replace(observed, list_compared=list_compared))


def _names(claim: msgspec.Struct, factor: str) -> bool:
    values = [value for name, value in msgspec.structs.asdict(claim).items() if name != "strata"]
    return any(factor in value if isinstance(value, dict) else value == factor for value in values)


class _Asked(msgspec.Struct):
    """Values that a judge asked for, and whether times of oversubscribed ranks were among them."""

    observed: Observed
    crowded: bool = False

    def samples(self, metric: str) -> Sequence[Sample]:
        return self._note_crowding(self.observed.samples(metric))

    def list_compared(self, metric: str) -> Sequence[Sample]:
        return self._note_crowding(self.observed.list_compared(metric))

    def series(self, metric: str, parameters: Sequence[str]) -> Sequence[Series]:
        functions = self.observed.series(metric, parameters)
        self.crowded |= any(function.crowded for function in functions)
        return functions

    def _note_crowding(self, samples: Sequence[Sample]) -> Sequence[Sample]:
        self.crowded |= any(sample.provenance == "crowded" for sample in samples)
        return samples


def judge_unless_crowded(judge: Judge, claim: object, observed: Observed) -> Draft:
    """Judge; nothing is decided where the judge asked for times of oversubscribed ranks."""
    question = _Asked(observed)
    draft = judge(
        claim,
        replace(
            observed, samples=question.samples, list_compared=question.list_compared, series=question.series
        ),
    )
    if not question.crowded:
        return draft
    return Draft(
        tested=tuple(replace(test, indicated=None, p=1.0, crowded=True) for test in draft.tested),
        settled=tuple(replace(instance, outcome="not_judged") for instance in draft.settled),
    )
