"""Status of a record: how far it is, in blocks and in time."""

from __future__ import annotations

import time
from collections.abc import Sequence

import msgspec

from steelyard.design import last_look
from steelyard.results.status import Holder, State, Status
from steelyard.spec.experiment import Experiment, Stop
from steelyard.store import Look, Reading
from steelyard.store.entries import Run


class Extent(msgspec.Struct, frozen=True):
    """Extent of a record, in blocks and in time.

    Attributes
    ----------
    complete : int
        Blocks that count; where failures are outcomes, those with one, too.
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


def status(record: Reading) -> Status:
    """Report how far a record is, what failed, and which process runs it."""
    experiment, looks_so_far = record.experiment, record.looks()
    measured, holder = extent(record), record.holder()
    labels = {treatment.id: treatment.label for treatment in record.treatments}
    stop = experiment.design.stop
    proof = None if holder else record.prove_briefly()
    return Status(
        experiment=experiment.name,
        record=str(record.directory),
        state=_state(record.runs(), held=holder is not None),
        treatments=len(record.treatments),
        blocks_done=measured.complete,
        blocks_planned=measured.most,
        trials_done=measured.trials,
        spent_s=measured.spent_s,
        left_s=measured.left_s,
        failures={labels[key]: failures for key, failures in record.failures().items() if failures.failed},
        stops_at_precision=stop is not None and stop.looks,
        target=find_target(stop, looks_so_far),
        reached=looks_so_far[-1].rel_halfwidth if looks_so_far else None,
        holder=Holder(holder.pid or 0, holder.host or "", holder.since or "") if holder else None,
        versions=record.list_versions(),
        head=record.head(),
        edited=proof.words if proof and proof.refuted else "",
    )


def find_target(stop: Stop | None, looks: Sequence[Look]) -> float | None:
    """Relative half-width that ends a run; of a rule that asks for verdicts, what the last look wanted."""
    if stop is None or not stop.decided:
        return stop.rel_halfwidth if stop else None
    return looks[-1].target if looks else None


def _state(runs: Sequence[Run], *, held: bool) -> State:
    if not runs:
        return "planned"
    state = runs[-1].state
    if state == "died" or (state == "running" and not held):
        return "interrupted"
    return state


def extent(record: Reading) -> Extent:
    """Count the blocks and the time of a record; of a million trials in a tenth of a second."""
    progress, runs = record.progress(), record.runs()
    complete = progress.blocks.get("complete", 0)
    if record.experiment.keeps_failures:
        complete += progress.blocks.get("incomplete", 0)
    extensions = record.extensions()
    most = extensions[-1].to_blocks if extensions else most_blocks(record.experiment)
    spent_s = seconds_run(runs, progress.last_start_ns)
    goes_on = bool(runs) and runs[-1].state not in {"complete", "precision_not_reached"}
    left_s = spent_s / complete * (most - complete) if goes_on and complete and most else None
    return Extent(complete, most, progress.trials, spent_s, left_s)


def most_blocks(experiment: Experiment) -> int | None:
    """Complete blocks at which the experiment ends at the latest; ``None`` where only time limits it."""
    return 1 if experiment.design.order == "sequential" else last_look(experiment)


def seconds_run(runs: Sequence[Run], last_start_ns: int | None) -> float:
    """Sum the time of all runs.

    When a run was killed is not known: the last one counts until its last trial, an earlier one with the mean
    of the others.
    """
    numbers = [run.ended_ns - run.started_ns for run in runs if run.ended_ns is not None]
    killed = len(runs) - len(numbers)
    if runs and runs[-1].ended_ns is None:
        end_ns = time.time_ns() if runs[-1].state == "running" else last_start_ns or 0
        numbers.append(max(0, end_ns - runs[-1].started_ns))
        killed -= 1
    return sum(numbers) / 1e9 * (1 + killed / len(numbers)) if numbers else 0.0
