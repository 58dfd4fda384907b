"""What a job that was cut short leaves undone: trials that are missing at random, and those that failed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from steelyard.extensions.clusters.job import STOPPED, Job
from steelyard.extensions.clusters.scheduler import Scheduler
from steelyard.run.runner.journal import RawTrial

RANKS_FIRST_S: Final = 60.0
"""Time that a queue may take between ending the ranks of a job and ending its runner; Slurm's KillWait is
30 s by default."""


def was_taken_away(job: Job, scheduler: Scheduler) -> bool:
    """Whether the queue ended a job, whatever its programs did."""
    if (end := job.end) is not None:
        return end.exit == STOPPED
    return job.id is not None and scheduler.was_taken_away(job)


def last_words(job: Job, scheduler: Scheduler) -> str:
    """How a job ended, by the queue and by its log."""
    words = scheduler.last_words(job) if job.id else ""
    end = job.end
    text = words or ("it vanished" if end is None else f"the runner ended with exit code {end.exit}")
    return f"{text}; {tail}" if (tail := job.tail(400)) else text


def drop_ranks_ended_first(raw_trials: Sequence[RawTrial]) -> list[RawTrial]:
    """Return the trials of a job that was taken away, without those at its end that the queue ended.

    Slurm ends the ranks that ``srun`` started before the runner, and refuses to start others: to the runner,
    their ``srun`` has failed by itself. Those that failed last, in a row and within a minute, are as random
    as the one that ran when the runner was ended; where a program is at fault, it fails again.
    """
    in_time = sorted(raw_trials, key=lambda raw: raw.start_ns)
    if not in_time:
        return []
    last_end_ns = in_time[-1].start_ns + in_time[-1].wall_ns
    ended: set[int] = set()
    for raw in reversed(in_time):
        by_itself = raw.status == "timed_out" or (raw.exit_code == 0 and raw.status == "ok")
        if by_itself or last_end_ns - (raw.start_ns + raw.wall_ns) > RANKS_FIRST_S * 1e9:
            break
        ended.add(raw.trial)
    return [raw for raw in raw_trials if raw.trial not in ended]


def select_trials(raw_trials: Sequence[RawTrial], job: Job, scheduler: Scheduler) -> list[RawTrial]:
    """Return the trials of a journal that count, whichever way its job ended."""
    if (end := job.end) is not None and end.exit == 0:
        return list(raw_trials)
    return drop_ranks_ended_first(raw_trials) if was_taken_away(job, scheduler) else list(raw_trials)


def find_job(journal: Path, jobs: Path) -> Job | None:
    """Return the job that wrote a journal; ``None`` for the journal of a run itself."""
    _, _, number = journal.stem.partition("-")
    return Job(jobs / number) if number and (jobs / number).is_dir() else None
