"""Waiting for jobs: those of this run, and those of an earlier one that outlived it."""

from __future__ import annotations

import math
import shlex
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from steelyard.core.errors import MachineError, RecordBusyError
from steelyard.extensions.clusters.job import Job, jobs_in
from steelyard.extensions.clusters.scheduler import Scheduler
from steelyard.extensions.clusters.submission import Submission

_FIRST_PAUSE_S: Final = 0.1
CANCEL_TIMEOUT_S: Final = 60.0
"""Time for a cancelled job to end. One that had not begun says nothing, and not every queue reports it."""


class JobWatch:
    """Whether one job has ended, by its own word or by the queue's.

    The queue is not believed as long as a runner writes to one of ``journals``, and where it may err, not at
    once.

    Attributes
    ----------
    state : str
        What was last seen of it, in words.
    cancelled : bool
        It was cancelled: then the queue is believed at once.
    lost : bool
        Its machine has not answered for long: nobody knows whether it has ended.
    """

    def __init__(self, job: Job, scheduler: Scheduler, journals: Sequence[Path]) -> None:
        self._job = job
        self._scheduler = scheduler
        self._journals = journals
        self._denials, self._absent_since = 0, 0.0
        self.state = "waiting"
        self.cancelled = False
        self.lost = False
        self._silent_since: float | None = None

    def has_ended(self) -> bool:
        """Ask once.

        Raises
        ------
        MachineError
            The queue cannot be asked.
        """
        if self._job.end is not None or (self._job.id is None and not self._scheduler.travels):
            return True
        state = self._scheduler.state(self._job)
        if state == "unreachable":
            now = time.monotonic()
            self._silent_since = now if self._silent_since is None else self._silent_since
            self.lost = now - self._silent_since >= self._scheduler.patience_s
            self.state = state
            return self.lost
        self._silent_since = None
        if state != "ended" or self._job.is_writing(self._journals):
            self._denials = 0
            self.state = state
            return False
        self._absent_since = self._absent_since if self._denials else time.monotonic()
        self._denials += 1
        self.state = "not found in the queue"
        long_enough = time.monotonic() - self._absent_since >= self._scheduler.absence_s
        return self.cancelled or (self._denials >= self._scheduler.denials and long_enough)


class Pauses:
    """Sleeps between questions to a queue: short ones first."""

    def __init__(self, most_s: float) -> None:
        self._most_s = most_s
        self._next_s = _FIRST_PAUSE_S

    def sleep(self) -> None:
        """Sleep, each time longer, up to the most."""
        time.sleep(self._next_s)
        self._next_s = min(self._most_s, self._next_s * 1.5)


def await_job(
    job: Job,
    submission: Submission,
    record: str,
    tell: Callable[[str], None],
    journals: Sequence[Path] = (),
    cancelled_s: float | None = None,
) -> JobWatch:
    """Sleep until a job has ended; see ``JobWatch``, which is returned.

    Parameters
    ----------
    cancelled_s : float or None
        Of a job that was cancelled, the time to wait for; then the queue is believed at once.
    """
    until = time.monotonic() + (math.inf if cancelled_s is None else cancelled_s)
    note_number(job, submission.scheduler, record)
    watch = JobWatch(job, submission.scheduler, journals)
    watch.cancelled = cancelled_s is not None
    pauses = Pauses(submission.poll_s)
    while time.monotonic() < until and not watch.has_ended():
        tell(f"job {describe_job(job)}, {watch.state}")
        pauses.sleep()
    await_last_word(job, submission)
    return watch


def await_last_word(job: Job, submission: Submission) -> None:
    """Give the last word of a job that the queue calls ended time on its way through a shared file system."""
    if job.end is None and job.id is not None:
        time.sleep(min(1.0, submission.poll_s))


def attach(
    jobs: Path,
    submission: Submission,
    record: str,
    tell: Callable[[str], None],
    journals: Sequence[Path] = (),
) -> None:
    """Wait for jobs of an earlier run, which outlived it; then what they measured is in their journals.

    A job that has not begun finds no orders when it does, and so runs nothing.

    Raises
    ------
    RecordBusyError
        One has begun, has not said that it ended, and the queue cannot be asked for it by a number.
    """
    for job in jobs_in(jobs):
        if not job.settled:
            if await_job(job, submission, record, tell, journals).lost:
                raise describe_lost([job])
            if job.id is None and job.begun and job.end is None:
                name = job_name(record, job)
                raise RecordBusyError(
                    f"job {name} has begun, has not said that it ended, and its number is not known: the run"
                    " that handed it in was killed before the queue answered",
                    hint="run again when it has ended; if it was killed, so that it will not say so:"
                    f" touch {shlex.quote(str(job.directory / 'settled'))}",
                )
            submission.scheduler.forget(job)
        job.settle()


def describe_lost(jobs: Sequence[Job]) -> MachineError:
    """Return what is said of jobs whose machines do not answer."""
    named = ", ".join(dict.fromkeys(job.node or "the host" for job in jobs))
    return MachineError(
        f"{named} cannot be reached: what was begun there may go on, and is not in the record",
        hint="give the same command again when it answers; if it never will, so that its trials may run"
        f" again: touch {' '.join(shlex.quote(str(job.directory / 'settled')) for job in jobs)}",
    )


def job_name(record: str, job: Job) -> str:
    """Return the name of a job in the queue."""
    return f"steelyard-{record}-{job.directory.name}"


def describe_job(job: Job) -> str:
    """Its number in the queue, or the host on which it is."""
    return str(job.id) if job.node is None or job.id is None or " " not in job.id else f"on {job.node}"


def note_number(job: Job, scheduler: Scheduler, record: str) -> None:
    """Find a job whose number was not noted, by the queue's answer or by its name in the queue."""
    if job.id is None and not scheduler.travels:
        answer = job.leader.read(job.answer.name) or b""
        number = scheduler.number(answer.decode(errors="replace")) or scheduler.find(
            job, job_name(record, job.leader)
        )
        if number:
            job.note_id(f"{number}{job.task}")
