"""From a record to verdicts on the claims of its spec."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import islice
from typing import Final

import msgspec
from msgspec.structs import replace

from steelyard.claims.draft import Draft
from steelyard.claims.family import decide
from steelyard.claims.judging import prepare_drafts
from steelyard.claims.observed import Observed
from steelyard.claims.verdict import Checked
from steelyard.core.errors import UsageError
from steelyard.core.sample import Sample
from steelyard.lab.answer.analyze import declared_of
from steelyard.lab.answer.series_of_record import series_of_samples
from steelyard.spec.claims.claim import Claim
from steelyard.spec.experiment import Experiment
from steelyard.store import Reading
from steelyard.store.differences import differences


def _compare(record: Reading, metric: str, samples: Callable[[str], list[Sample]]) -> list[Sample]:
    """Return the samples to compare: if declared so, times to the limit of the runs that reached it."""
    limit = record.experiment.limit
    if limit is not None and declared_of(record, metric).failures == "as-limit":
        return record.times_to_limit(limit, metric)
    return samples(metric)


_MAY_DIFFER: Final = ("build", "claims", "name", "source")
"""Parts of an experiment in which a change may differ from its baseline and is judged as declared there."""


def _list_departures(baseline: Experiment, experiment: Experiment) -> list[str]:
    old, new = (
        {key: value for key, value in msgspec.to_builtins(side).items() if key not in _MAY_DIFFER}
        for side in (baseline, experiment)
    )
    old["design"]["seed"] = new["design"]["seed"]
    return differences(old, new)


class Drafted(msgspec.Struct, frozen=True):
    """Claims of a record with all that does not depend on others; ``checked`` still lacks the verdicts."""

    claims: tuple[Claim, ...]
    drafts: Sequence[Draft]
    checked: Checked


def check(
    record: Reading, claims: Sequence[Claim] | None = None, baseline: Experiment | None = None
) -> Checked:
    """Judge the claims of a record, or others that are asked of it afterwards.

    Parameters
    ----------
    baseline : Experiment, optional
        Whose claims are judged too, whatever the experiment has made of them; where the rest of it differs,
        the verdicts have reservations.

    Raises
    ------
    UsageError
        No claims, or one about something that was not measured.
    """
    with record.snapshot():
        (checked,) = judge_together([prepare_claims(record, claims, baseline)])
    return checked


def _count_failures(record: Reading) -> Iterator[str]:
    """Yield how many runs of each treatment failed, where any did."""
    labels = {treatment.id: treatment.label for treatment in record.treatments}
    for id_, counts in record.failures().items():
        if counts.failed:
            late = f", {counts.timed_out} of them timed out" if counts.timed_out else ""
            name = labels[id_] or record.experiment.name
            reason = f": {counts.reason}" if counts.reason and counts.timed_out < counts.failed else ""
            yield f"{name}: {counts.failed} of {counts.attempted} runs failed{late}{reason}."


def judge_together(members: Sequence[Drafted]) -> list[Checked]:
    """Decide the claims of several records as one family.

    Any wrong verdict in any of them has a probability of at most alpha. Their records are still open.
    """
    claims = [claim for member in members for claim in member.claims]
    drafts = [entry for member in members for entry in member.drafts]
    verdicts = iter(decide(claims, drafts, min(member.checked.alpha for member in members)))
    decided = [
        replace(member.checked, verdicts=tuple(islice(verdicts, len(member.claims))), records=len(members))
        for member in members
    ]
    return [checked.judging_nothing() if checked.edited else checked for checked in decided]


def prepare_claims(
    record: Reading, claims: Sequence[Claim] | None = None, baseline: Experiment | None = None
) -> Drafted:
    """Judge the claims of a record as far as that goes without other claims; as ``check``."""
    experiment = record.experiment
    claims_given = experiment.claims if claims is None else tuple(claims)
    declared = (
        () if baseline is None else tuple(claim.resolve_files(baseline.source) for claim in baseline.claims)
    )
    asked_claims = (*declared, *(claim for claim in claims_given if claim not in declared))
    if not asked_claims:
        raise UsageError(
            f"{record.directory}: {experiment.name} has no claims to check",
            hint="add [[claims]] to the spec and check the spec: docs/checking.md has all kinds",
        )
    # Several claims ask for the same metric, and reading it may take a second.
    samples = cache(record.samples)
    observed = Observed(
        experiment=experiment,
        declared=cache(lambda metric: declared_of(record, metric)),
        samples=samples,
        list_compared=cache(lambda metric: _compare(record, metric, samples)),
        series=lambda metric, parameters: series_of_samples(
            samples(metric),
            parameters,
            record.directory,
            ignore_failures=experiment.analysis.failures == "ignore",
        ),
        unknown_contexts=record.imported,
    )
    # What the experiment claims itself has to be right.
    drafts = prepare_drafts(
        asked_claims, observed, [claim for claim in declared if claim not in claims_given]
    )
    runs = record.runs()
    state = runs[-1].state if runs else "interrupted"
    proof = record.prove_briefly()
    checked = Checked(
        experiment=experiment.name,
        record=record.directory,
        alpha=observed.alpha,
        verdicts=(),
        precise=state != "precision_not_reached",
        finished=state in ("complete", "precision_not_reached"),
        afterwards=any(claim not in experiment.claims and claim not in declared for claim in asked_claims)
        or (baseline is None and asked_claims != experiment.claims),
        failed=state == "failed",
        departures=() if baseline is None else tuple(_list_departures(baseline, experiment)),
        has_baseline=baseline is not None,
        edited=proof.words if proof.refuted else "",
        notes=(*_count_failures(record), *(warning.text for warning in record.warnings())),
    )
    return Drafted(asked_claims, drafts, checked)
