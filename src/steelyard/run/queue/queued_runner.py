"""``QueuedRunner``: the runner on a machine that a queue gives out."""

from __future__ import annotations

import math
import shlex
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import msgspec

from steelyard.errors import ProgramError, RecordBusyError
from steelyard.run.launch.launch import Launch
from steelyard.run.queue.job import STOPPED, End, Job, jobs_in
from steelyard.run.queue.scheduler import Scheduler
from steelyard.run.runner.journal import RawTrial, lost_trial, read_journal
from steelyard.run.runner.native import RUNNER, native_file
from steelyard.run.runner.orders import Entry, Trial, define, encode_batch
from steelyard.run.runner.runner_errors import HEAD, Reply, RunnerDiedError, decode_failed, explained

LOST_IN_A_ROW: Final = 3
"""Jobs that end without having finished a trial; then something is wrong that another job will not cure."""

_FIRST_PAUSE_S: Final = 0.1
CANCEL_TIMEOUT_S: Final = 60.0
"""Time for a cancelled job to end. One that had not begun says nothing, and not every queue reports it."""

Tell = Callable[[str, int, int], None]
"""What a job does, and how many of its trials have ended, of how many."""


class Submission(msgspec.Struct, frozen=True):
    """A scheduler, and how jobs are made and watched.

    Attributes
    ----------
    script : str
        With ``{run}`` where the trials are run.
    handed_on : sequence of str
        Beginnings of the names of variables that programs get from their job.
    poll_s : float
        Pause between two questions to the queue, in the long run.
    """

    scheduler: Scheduler
    script: str
    handed_on: Sequence[str] = ()
    poll_s: float = 10.0


class QueuedRunner:
    """Takes orders as ``Runner`` does, and has a job carry them out.

    Parameters
    ----------
    journal : Path
        As for ``Runner``; on a file system that the nodes see too, as is ``jobs``.
    jobs : Path
        A directory for the folders of jobs.
    name : str
        Of the record, by which a job can be found in the queue whose number was not written down.
    tell : callable
        Told what a job does.

    Attributes
    ----------
    stopped : bool
        Always false: a job that is cut short is followed by another.
    lost : list of RawTrial
        Trials that ran when their job was lost; they are in no journal.
    """

    stopped = False

    def __init__(self, journal: Path, jobs: Path, submission: Submission, name: str, tell: Tell) -> None:
        self._journal = journal.absolute()
        self._jobs = jobs.absolute()
        self._submission = submission
        self._name = name
        self._tell = tell
        self._commands: list[tuple[str, ...]] = []
        self._definitions: list[bytes] = []
        self.lost: list[RawTrial] = []

    def define(self, launch: Launch) -> int:
        """See ``Runner.define``."""
        return define(launch, self._commands, self._definitions.append)

    def forget(self) -> None:
        """See ``Runner.forget``."""
        self._commands.clear()
        self._definitions.clear()

    def close(self) -> None:
        """Nothing: a job ends by itself."""

    def run(self, entries: Sequence[Entry], node: str | None = None) -> int:
        """Have jobs, of ``node`` if one is given, run the entries until all trials are in the journal or
        lost; gives how many are.

        What a lost job ran is a failed trial; what it had not begun is given to another job.

        Raises
        ------
        KeyboardInterrupt
            From outside; the job has been ended by then.
        MachineError
            The queue cannot be asked, or refuses.
        ProgramError
            Three jobs in a row were lost that had finished no trial; or a hook failed.
        RecordError
            The journal cannot be written.
        """
        rest, offset, in_vain, done = list(entries), self._size(), 0, 0
        while any(isinstance(entry, Trial) for entry in rest):
            job = self._submit(rest, node)
            end = self._await(job, offset, sum(isinstance(entry, Trial) for entry in rest))
            raw_trials, offset = read_journal(self._journal, offset)
            finished = {raw.trial for raw in raw_trials}
            done += len(finished)
            job.settle()
            if end is not None and end.exit == 0:
                self._obeyed(job)
                break
            in_vain = 0 if finished else in_vain + 1
            rest = self._after_loss(job, rest, finished)
            if in_vain == LOST_IN_A_ROW:
                raise ProgramError(
                    f"{LOST_IN_A_ROW} jobs in a row ended without finishing a trial; of the last one,"
                    f" {job.id}: {self._epitaph(job)}",
                    hint=f"its log is {job.log}",
                )
        return done

    def _submit(self, entries: Sequence[Entry], node: str | None) -> Job:
        number = max((int(job.directory.name) for job in jobs_in(self._jobs)), default=0) + 1
        job = Job(self._jobs / f"{number:06}")
        job.directory.mkdir(parents=True)
        job.write_orders(b"".join(self._definitions) + encode_batch(entries))
        submission = self._submission
        job.write_script(submission.script, native_file(RUNNER), self._journal, submission.handed_on)
        # The journal is there before the job is, so that it can be looked into.
        self._journal.touch()
        if node is not None:
            job.note_node(node)
        name = job_name(self._name, job)
        job.note_id(submission.scheduler.submit(job.script, job.log, name, job.answer, node))
        return job

    def _await(self, job: Job, offset: int, trials: int) -> End | None:
        ended, read_to = 0, offset

        def tell(what: str) -> None:
            # From where the last look ended: the journal holds what the trials printed.
            nonlocal ended, read_to
            raw_trials, read_to = read_journal(self._journal, read_to)
            ended += len(raw_trials)
            self._tell(what, ended, trials)

        try:
            await_job(job, self._submission, self._name, tell, [self._journal])
        except BaseException:
            if job.id is not None:
                self._submission.scheduler.cancel(job.id)
                await_job(job, self._submission, self._name, tell, [self._journal], CANCEL_TIMEOUT_S)
                job.settle()
            raise
        return job.end

    def _obeyed(self, job: Job) -> None:
        """Raise what the runner said that it could not do."""
        replies = memoryview(job.replies.read_bytes())
        while len(replies) >= HEAD.size:
            length, kind = HEAD.unpack_from(replies)
            end = HEAD.size - 1 + length
            body, replies = bytes(replies[HEAD.size : end]), replies[end:]
            if Reply(kind) is Reply.FAILED:
                raise explained(decode_failed(body), self._journal, self._commands)
            if Reply(kind) is Reply.STOPPED:
                raise RunnerDiedError(
                    f"job {job.id} was stopped",
                    hint="give the same command again: it goes on where this ended",
                )

    def _after_loss(self, job: Job, entries: list[Entry], finished: set[int]) -> list[Entry]:
        """Entries that are left to run. The trial that ran is lost; if the queue took the job away, whatever
        its program did, that trial is missing at random and is run again.
        """
        left = [entry for entry in entries if not (isinstance(entry, Trial) and entry.number in finished)]
        running = next((place for place, entry in enumerate(left) if isinstance(entry, Trial)), None)
        if running is None or not job.begun:
            return left  # it never began
        if self._was_taken_away(job):
            return left
        trial = left[running]
        assert isinstance(trial, Trial)  # noqa: S101 - it was looked for
        self.lost.append(lost_trial(trial.number, trial.launch, f"job {job.id}: {self._epitaph(job)}"))
        return left[:running] + left[running + 1 :]

    def _was_taken_away(self, job: Job) -> bool:
        if (end := job.end) is not None:
            return end.exit == STOPPED
        return job.id is not None and self._submission.scheduler.was_taken_away(job.id)

    def _epitaph(self, job: Job) -> str:
        words = self._submission.scheduler.last_words(job.id) if job.id else ""
        end = job.end
        told = words or ("it vanished" if end is None else f"the runner ended with exit code {end.exit}")
        return f"{told}; {tail}" if (tail := job.tail(400)) else told

    def _size(self) -> int:
        return self._journal.stat().st_size if self._journal.exists() else 0


def job_name(record: str, job: Job) -> str:
    """The name of a job in the queue."""
    return f"steelyard-{record}-{job.directory.name}"


def await_job(
    job: Job,
    submission: Submission,
    record: str,
    tell: Callable[[str], None],
    journals: Sequence[Path] = (),
    cancelled_s: float | None = None,
) -> None:
    """Sleep until a job has ended, by its own word or by the queue's.

    The queue is not believed as long as a runner writes to one of ``journals``, and where it may err, not at
    once.

    Parameters
    ----------
    cancelled_s : float or None
        Of a job that was cancelled, the time to wait for; then the queue is believed at once.
    """
    until = time.monotonic() + (math.inf if cancelled_s is None else cancelled_s)
    scheduler = submission.scheduler
    denials, absent_since = 0, 0.0
    if job.id is None and (found := _number(job, scheduler, record)):
        job.note_id(found)
    pause_s = _FIRST_PAUSE_S
    while job.end is None and job.id is not None and time.monotonic() < until:
        state = scheduler.state(job.id)
        if state != "ended" or job.is_writing(journals):
            denials = 0
        else:
            absent_since = absent_since if denials else time.monotonic()
            denials += 1
            long_enough = time.monotonic() - absent_since >= scheduler.absence_s
            if cancelled_s is not None or (denials >= scheduler.denials and long_enough):
                # Its last word may be on its way through a shared file system.
                time.sleep(min(1.0, submission.poll_s))
                return
        tell(f"job {job.id}, {'not found in the queue' if denials else state}")
        time.sleep(pause_s)
        pause_s = min(submission.poll_s, pause_s * 1.5)


def attach(
    jobs: Path,
    submission: Submission,
    record: str,
    tell: Callable[[str], None],
    journals: Sequence[Path] = (),
) -> None:
    """Wait for jobs of an earlier run, which outlived it; then what they measured is in their journal.

    A job that has not begun finds no orders when it does, and so runs nothing.

    Raises
    ------
    RecordBusyError
        One has begun, has not said that it ended, and the queue cannot be asked for it by a number.
    """
    for job in jobs_in(jobs):
        if not job.settled:
            await_job(job, submission, record, tell, journals)
            if job.id is None and job.begun and job.end is None:
                name = job_name(record, job)
                raise RecordBusyError(
                    f"job {name} has begun, has not said that it ended, and its number is not known: the run"
                    " that handed it in was killed before the queue answered",
                    hint="run again when it has ended; if it was killed, so that it will not say so:"
                    f" touch {shlex.quote(str(job.directory / 'settled'))}",
                )
        job.settle()


def _number(job: Job, scheduler: Scheduler, record: str) -> str | None:
    """Find a job whose number was not noted, by the queue's answer or by its name in the queue."""
    answer = job.answer.read_text(encoding="utf-8", errors="replace") if job.answer.exists() else ""
    return scheduler.number(answer) or scheduler.find(job_name(record, job))
