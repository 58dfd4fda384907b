"""From a record to verdicts on the claims of its spec."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

import msgspec

from steelyard.claims.judging import judge
from steelyard.claims.observed import Observed
from steelyard.claims.verdict import Verdict
from steelyard.errors import ProgramError, UsageError
from steelyard.lab.answer.analyze import declared_of
from steelyard.lab.answer.series_of_record import series_of_samples
from steelyard.sample import Sample
from steelyard.spec.claims.claim import Claim
from steelyard.store import Record


class Checked(msgspec.Struct, frozen=True):
    """All claims of one experiment, judged.

    Attributes
    ----------
    experiment : str
    record : Path or None
        ``None`` where data came from elsewhere.
    alpha : float
        Probability of any wrong verdict among the tests.
    precise : bool
        False where the run ended before the precision that the spec wants.
    finished : bool
        Whether the run had come to its end.
    afterwards : bool
        Whether the claims are not those with which the record was run.
    failed : bool
        Whether the last run ended because a program failed.
    """

    experiment: str
    record: Path | None
    alpha: float
    verdicts: tuple[Verdict, ...]
    precise: bool = True
    finished: bool = True
    afterwards: bool = False
    failed: bool = False

    def exit_code(self, *, strict: bool) -> int:
        """5 where the run failed; 1 where a claim fails; 3 under ``strict`` where one is not resolved."""
        if self.failed:
            return ProgramError.exit_code
        outcomes = {each.outcome for each in self.verdicts}
        if "fails" in outcomes:
            return 1
        return 3 if strict and ("not_resolved" in outcomes or not self.precise) else 0


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
