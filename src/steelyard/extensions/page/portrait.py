"""From a record to its portrait."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

from steelyard.lab.answer.status import status
from steelyard.results.portrait import Portrait
from steelyard.spec import dumps
from steelyard.store import Reading

WAITED: Final = 0.05
"""Fraction of its elapsed time above which a run that waited for a CPU is called disturbed."""


def portrait(record: Reading, *, metric: str | None = None) -> Portrait:
    """Collect everything that a record holds beside its answer, also where no block is complete yet.

    Raises
    ------
    UsageError
        The record has no such metric.
    """
    experiment = record.experiment
    with record.snapshot():
        runs = record.runs()
        return Portrait(
            status=status(record),
            id=record.id,
            created=f"{datetime.fromtimestamp(record.created_ns // 10**9, UTC):%Y-%m-%d %H:%M} UTC",
            treatments=record.treatments,
            samples=tuple(record.samples(metric or experiment.analysis.metric)),
            excluded=record.excluded_trials(),
            disturbed=record.disturbed_trials(WAITED),
            contexts={
                outcome.block.context.id: outcome.block.context.settings
                for outcome in (record.stream_outcomes() if experiment.contexts else ())
                if outcome.block.context is not None
            },
            host=runs[-1].host if runs else {},
            program=record.program,
            spec=dumps(experiment),
            proof=record.prove_briefly(),
        )
