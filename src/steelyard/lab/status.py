"""How far a record is."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from steelyard.design import looks
from steelyard.spec.experiment import Experiment
from steelyard.store import Record
from steelyard.store.entries import Run


@dataclass(frozen=True, slots=True)
class Extent:
    """How far a record is, in blocks and in time.

    Attributes
    ----------
    complete : int
        Blocks that count.
    most : int or None
        Complete blocks at which it ends at the latest; ``None`` where only time limits it.
    spent_s : float
        Time spent running, over all runs; of a run that was killed, until its last trial.
    left_s : float or None
        Until ``most``, at the speed so far; ``None`` where that is unknown or nothing is left to do.
    """

    complete: int
    most: int | None
    trials: int
    spent_s: float
    left_s: float | None


def extent(record: Record) -> Extent:
    """Counts and times of a record; of a million trials in a tenth of a second."""
    progress, runs = record.progress(), record.runs()
    complete = progress.blocks.get("complete", 0)
    most = most_blocks(record.experiment)
    spent_s = sum(_end_ns(run, runs, progress.last_start_ns) - run.started_ns for run in runs) / 1e9
    goes_on = bool(runs) and runs[-1].state not in {"complete", "precision_not_reached"}
    left_s = spent_s / complete * (most - complete) if goes_on and complete and most else None
    return Extent(complete, most, progress.trials, spent_s, left_s)


def most_blocks(experiment: Experiment) -> int | None:
    """Complete blocks at which the experiment ends at the latest; ``None`` where only time limits it."""
    if experiment.design.order == "sequential":
        return 1
    stop = experiment.design.stop
    if stop is not None and stop.max_blocks is None and stop.max_time_s is not None:
        return None
    return max(looks(experiment))


def _end_ns(run: Run, runs: Sequence[Run], last_start_ns: int | None) -> int:
    if run.ended_ns is not None:
        return run.ended_ns
    if run is runs[-1] and run.state == "running":
        return time.time_ns()
    return max(run.started_ns, last_start_ns or 0) if run is runs[-1] else run.started_ns
