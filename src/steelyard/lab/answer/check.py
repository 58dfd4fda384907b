"""From a record to verdicts on the claims of its spec."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

from steelyard.claims.judging import judge
from steelyard.claims.observed import Observed
from steelyard.claims.verdict import Checked
from steelyard.errors import UsageError
from steelyard.lab.answer.analyze import declared_of
from steelyard.lab.answer.series_of_record import series_of_samples
from steelyard.sample import Sample
from steelyard.spec.claims.claim import Claim
from steelyard.store import Record


def _compared(record: Record, metric: str, samples: Callable[[str], list[Sample]]) -> list[Sample]:
    """Samples to compare: if the spec declares so, times to the limit, with the runs that reached it."""
    limit_s = record.experiment.program.timeout_s
    if limit_s is not None and declared_of(record, metric).failures == "as-limit":
        return record.times_to_limit(limit_s)
    return samples(metric)


def check(record: Record, claims: Sequence[Claim] | None = None) -> Checked:
    """Judge the claims of a record, or others that are asked of it afterwards.

    Raises
    ------
    UsageError
        No claims, or one about something that was not measured.
    """
    experiment = record.experiment
    wanted = experiment.claims if claims is None else tuple(claims)
    if not wanted:
        raise UsageError(
            f"{record.directory}: {experiment.name} has no claims to check",
            hint="add [[claims]] to the spec and check the spec: docs/checking.md has all kinds",
        )
    with record.snapshot():
        # Several claims ask for the same metric, and reading it may take a second.
        samples = cache(record.samples)
        observed = Observed(
            experiment=experiment,
            declared=cache(lambda metric: declared_of(record, metric)),
            samples=samples,
            compared=cache(lambda metric: _compared(record, metric, samples)),
            series=lambda metric, parameters: series_of_samples(
                samples(metric),
                parameters,
                record.directory,
                ignore_failures=experiment.analysis.failures == "ignore",
            ),
        )
        verdicts = judge(wanted, observed)
        runs = record.runs()
    state = runs[-1].state if runs else "interrupted"
    return Checked(
        experiment=experiment.name,
        record=record.directory,
        alpha=observed.alpha,
        verdicts=verdicts,
        precise=state != "precision_not_reached",
        finished=state in ("complete", "precision_not_reached"),
        afterwards=wanted != experiment.claims,
        failed=state == "failed",
    )
