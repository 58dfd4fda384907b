"""``QueuedSession``: blocks on machines that a queue gives out."""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import msgspec
from msgspec.structs import replace

from steelyard.core.errors import MachineError, ProgramError
from steelyard.extensions.clusters.awaiting import (
    CANCEL_TIMEOUT_S,
    JobWatch,
    Pauses,
    await_job,
    await_last_word,
    describe_job,
    describe_lost,
    job_name,
    note_number,
)
from steelyard.extensions.clusters.job import TRAVELLING, Job, jobs_in
from steelyard.extensions.clusters.losses import last_words, select_trials, was_taken_away
from steelyard.extensions.clusters.payload import list_needed
from steelyard.extensions.clusters.scheduler import Handover
from steelyard.extensions.clusters.submission import Share, Submission
from steelyard.files.plain import open_plain
from steelyard.interventions.node import Node
from steelyard.run.host.conditions import Conditions
from steelyard.run.launch.launch import Launch
from steelyard.run.launch.launch_plan import LaunchPlan
from steelyard.run.launch.modules import ModuleNotes
from steelyard.run.measure.measure import Measurer
from steelyard.run.measure.measurement import Measurement
from steelyard.run.native import RUNNER, native_file
from steelyard.run.runner.block_orders import BlockOrders, Work
from steelyard.run.runner.journal import lost_trial, read_journal
from steelyard.run.runner.orders import define, encode_batch
from steelyard.run.runner.runner_errors import (
    HEAD,
    ReplyKind,
    RunnerDiedError,
    decode_failed,
    explain_failure,
)
from steelyard.run.session import Take

LOST_IN_A_ROW: Final = 3
"""Jobs that end without having finished a trial; then something is wrong that another job will not cure."""

Tell = Callable[[str, int, int], None]
"""What jobs do, and how many of their trials have ended, of how many."""


class Journals(msgspec.Struct, frozen=True):
    """The journals of one run's jobs: how each is made, moved into the record, and deleted."""

    add: Callable[[str], Path]
    take: Take
    drop: Callable[[str], None]


class _Lot(msgspec.Struct, frozen=True):
    """Trials for one job, of ``node`` where drawn; ``in_vain`` jobs before it, in a row, finished none."""

    share: Share
    works: Sequence[Work]
    node: str | None = None
    in_vain: int = 0


class _Flight(msgspec.Struct):
    """A job that was handed in, and what it is to do.

    ``ended`` of its trials were in the journal, up to byte ``read_to``, when it was last looked into.
    """

    job: Job
    lot: _Lot
    journal: Path
    watch: JobWatch
    commands: Sequence[Sequence[str]]
    trials: int
    programs: Sequence[Path] = ()
    ended: int = 0
    read_to: int = 0


def _group_by_node(works: Sequence[Work]) -> dict[str | None, list[Work]]:
    """Group blocks by the node that was drawn for each, so that a node needs one job.

    Groups are in the order of the first of their blocks.
    """
    groups: dict[str | None, list[Work]] = {}
    for work in works:
        context = work.block.context
        drawn = None if context is None else context.settings.get(Node.name)
        groups.setdefault(None if drawn is None else str(drawn), []).append(work)
    return groups


class QueuedSession:
    """Has jobs run blocks: one for each combination of the levels that the queue is told, several at once.

    Parameters
    ----------
    jobs : Path
        A directory for the folders of jobs; on a file system that the nodes see too, as are the journals.
    name : str
        Of the record, by which a job can be found in the queue whose number was not written down.
    tell : callable
        Told what the jobs do.
    """

    queued = True
    """Trials run elsewhere, in jobs that take all blocks up to the next look."""

    def __init__(
        self,
        launches: LaunchPlan,
        measurer: Measurer,
        submission: Submission,
        jobs: Path,
        name: str,
        journals: Journals,
        tell: Tell,
    ) -> None:
        self._launches = launches
        self._measurer = measurer
        self._submission = submission
        self._jobs = jobs.absolute()
        self._name = name
        self._journals = journals
        self._tell = tell
        self._shares = submission.shares(launches.treatments)
        self._flights: list[_Flight] = []
        self._measured: list[Measurement] = []

    def run(self, works: Sequence[Work]) -> None:
        """Have jobs run the blocks until all trials are in the record, having slept meanwhile.

        What a lost job ran is a failed trial; what it had not begun is given to another job.

        Raises
        ------
        KeyboardInterrupt
            From outside; all jobs have been ended by then.
        MachineError
            The queue cannot be asked, or refuses.
        ProgramError
            Three jobs in a row were lost that had finished no trial; or a hook failed.
        RecordError
            A journal cannot be written.
        """
        waiting, lost = deque(self._make_lots(works)), []
        try:
            while waiting or self._flights:
                free = max(0, self._submission.jobs - len(self._flights))
                self._submit_all([waiting.popleft() for _ in range(min(free, len(waiting)))])
                for flight in self._await_some():
                    if flight.watch.lost:
                        self._flights.remove(flight)
                        lost.append(flight.job)
                    elif (rest := self._settle(flight)) is not None:
                        waiting.appendleft(rest)
        except BaseException:
            self._cancel_all()
            raise
        if lost:
            raise describe_lost(lost)

    def read_conditions(self) -> Conditions | None:
        """Read nothing: programs run on nodes."""
        return None

    def take_modules(self) -> ModuleNotes:
        """Note nothing: what programs map on nodes is not looked at."""
        return ModuleNotes()

    def leave_levels(self) -> None:
        """Leave nothing: levels with commands are refused where jobs run trials."""

    def store(self, works: Sequence[Work]) -> list[Measurement]:
        """Give what was moved into the record since this was last asked, by trial."""
        del works
        measured, self._measured = sorted(self._measured, key=lambda item: item.trial), []
        return measured

    def _make_lots(self, works: Sequence[Work]) -> list[_Lot]:
        single = len(self._shares) == 1
        lots = []
        for share in self._shares:
            treatments = None if single else share.treatments
            mine = [work for item in works if (work := replace(item, treatments=treatments)).places()]
            for node, members in _group_by_node(mine).items():
                dealt = self._split(members) if single and node is None else [members]
                lots += [_Lot(share, part, node) for part in dealt]
        return lots

    def _split(self, works: Sequence[Work]) -> list[Sequence[Work]]:
        """Deal blocks out to jobs in turn, so that each job has blocks of all times of the order drawn."""
        count = min(self._submission.jobs, len(works))
        return [works[first::count] for first in range(count)]

    def _submit_all(self, lots: Sequence[_Lot]) -> None:
        """Hand in jobs; those that the queue may have count as in flight from before it is asked."""
        if not lots:
            return
        flights = [self._prepare(lot) for lot in lots]
        self._flights += flights
        handovers = [
            Handover(flight.job, job_name(self._name, flight.job), flight.lot.share.levels, flight.programs)
            for flight in flights
        ]
        try:
            self._submission.scheduler.submit_all(handovers)
        except KeyboardInterrupt:
            # The queue may have some by now: they are withdrawn with the others.
            for flight in flights:
                note_number(flight.job, self._submission.scheduler, self._name)
            raise
        except MachineError:
            travels = self._submission.scheduler.travels
            self._flights = [flight for flight in self._flights if travels or flight.job.id is not None]
            raise

    def _prepare(self, lot: _Lot) -> _Flight:
        number = max((int(job.directory.name) for job in jobs_in(self._jobs)), default=0) + 1
        job = Job(self._jobs / f"{number:06}")
        job.directory.mkdir(parents=True)
        commands: list[tuple[str, ...]] = []
        definitions: list[bytes] = []
        programs: dict[Path, None] = {}
        # A job has files of its own: others may run at the same time.
        self._launches.mark(self._name, metrics_file=job.directory / "metrics")

        def define_one(launch: Launch) -> int:
            if self._submission.scheduler.travels:
                programs.update(dict.fromkeys(list_needed(launch)))
            return define(launch, commands, definitions.append)

        orders = BlockOrders(self._launches, define_one)
        entries = [entry for work in lot.works for entry in orders.entries(work)]
        job.write_orders(b"".join(definitions) + encode_batch(entries))
        # The journal is there before the job is, so that it can be looked into.
        journal = self._journals.add(job.directory.name)
        os.close(open_plain(journal, os.O_WRONLY | os.O_CREAT, within=journal.parent.parent))
        submission = self._submission
        job.note_journal(journal)
        quoted = TRAVELLING if submission.scheduler.travels else job.quote_files(native_file(RUNNER), journal)
        job.write_script(submission.script, submission.handed_on, quoted)
        trials = sum(len(work.places()) for work in lot.works)
        if lot.node is not None:
            job.note_node(lot.node)
        watch = JobWatch(job, submission.scheduler, [journal])
        return _Flight(job, lot, journal, watch, commands, trials, list(programs))

    def _await_some(self) -> list[_Flight]:
        """Sleep until at least one job has ended; gives those, which are no longer in flight."""
        pauses = Pauses(self._submission.poll_s)
        while not (ended := self._list_ended()):
            self._tell_of_jobs()
            pauses.sleep()
        for flight in ended:
            await_last_word(flight.job, self._submission)
        return ended

    def _list_ended(self) -> list[_Flight]:
        self._submission.scheduler.look_at([flight.job for flight in self._flights])
        return [flight for flight in self._flights if flight.watch.has_ended()]

    def _tell_of_jobs(self) -> None:
        for flight in self._flights:
            # From where the last look ended: the journal holds what the trials printed.
            raw_trials, flight.read_to = read_journal(flight.journal, flight.read_to)
            flight.ended += len(raw_trials)
        many = len(self._flights) > 1
        text = "; ".join(f"{describe_job(flight.job)}, {flight.watch.state}" for flight in self._flights)
        done = sum(flight.ended for flight in self._flights)
        self._tell(f"job{'s' * many} {text}", done, sum(flight.trials for flight in self._flights))

    def _settle(self, flight: _Flight) -> _Lot | None:
        """Move what a job measured into the record; gives what another job has to do."""
        job, lot, scheduler = flight.job, flight.lot, self._submission.scheduler
        self._flights.remove(flight)
        read, offset = read_journal(flight.journal)
        raw_trials = select_trials(read, job, scheduler)
        finished = {raw.trial for raw in raw_trials}
        job.settle()
        obeyed = job.end is not None and job.end.exit == 0
        rest = [
            remaining
            for work in lot.works
            if (remaining := replace(work, finished=work.finished | finished)).places()
        ]
        if not obeyed and rest and job.begun and not was_taken_away(job, scheduler):
            ((trial, _), *_) = rest[0].places()
            raw_trials.append(lost_trial(trial, 0, f"job {job.id}: {last_words(job, scheduler)}"))
            rest[0] = replace(rest[0], finished=rest[0].finished | {trial})
            rest = [work for work in rest if work.places()]
        raw_trials.sort(key=lambda raw: raw.trial)
        measured = self._measurer.measure(raw_trials, [work.block for work in lot.works])
        self._journals.take(measured, flight.journal.name, offset)
        self._journals.drop(flight.journal.name)
        self._measured += measured
        scheduler.forget(job)
        if obeyed:
            self._refuse_failure(flight)
            return None
        in_vain = 0 if finished else lot.in_vain + 1
        if in_vain == LOST_IN_A_ROW:
            raise ProgramError(
                f"{LOST_IN_A_ROW} jobs in a row ended without finishing a trial; of the last one, {job.id}:"
                f" {last_words(job, scheduler)}",
                hint=f"its log is {job.log}",
            )
        return _Lot(lot.share, rest, lot.node, in_vain) if rest else None

    def _refuse_failure(self, flight: _Flight) -> None:
        """Raise what the runner said that it could not do."""
        replies = memoryview(flight.job.read(flight.job.replies.name) or b"")
        while len(replies) >= HEAD.size:
            length, kind = HEAD.unpack_from(replies)
            end = HEAD.size - 1 + length
            body, replies = bytes(replies[HEAD.size : end]), replies[end:]
            if ReplyKind(kind) is ReplyKind.FAILED:
                raise explain_failure(decode_failed(body), flight.journal, flight.commands)
            if ReplyKind(kind) is ReplyKind.STOPPED:
                raise RunnerDiedError(
                    f"job {flight.job.id} was stopped",
                    hint="give the same command again: it goes on where this ended",
                )

    def _cancel_all(self) -> None:
        """End all jobs, and keep what they measured; all are cancelled before the first is waited for."""
        scheduler = self._submission.scheduler
        for flight in self._flights:
            if flight.job.id is not None or scheduler.travels:
                scheduler.cancel(flight.job)
        until = time.monotonic() + CANCEL_TIMEOUT_S
        for flight in self._flights:
            left_s = max(0.0, until - time.monotonic())
            watch = await_job(
                flight.job, self._submission, self._name, lambda _: None, [flight.journal], left_s
            )
            going_on = watch.state in ("waiting", "running", "unreachable") and flight.job.end is None
            if scheduler.travels and going_on:
                continue  # its host is away: the next run asks it
            scheduler.forget(flight.job)
            if flight.job.id is not None or not flight.job.begun:
                flight.job.settle()
            raw_trials, offset = read_journal(flight.journal)
            trials = sorted(select_trials(raw_trials, flight.job, scheduler), key=lambda raw: raw.trial)
            measured = self._measurer.measure(trials, [work.block for work in flight.lot.works])
            self._journals.take(measured, flight.journal.name, offset)
            self._journals.drop(flight.journal.name)
            self._measured += measured
        self._flights.clear()
