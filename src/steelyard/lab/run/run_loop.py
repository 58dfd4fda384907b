"""The loop of a run: draw blocks, have them run, store what comes back, look whether it is enough."""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Final

from steelyard.core.errors import ProgramError
from steelyard.design import Block, BlockOutcome, BlockState, stream_until
from steelyard.lab.run.restarting import Boundary, RestartDueError, boundary
from steelyard.lab.run.stop_rule import End, StopRule
from steelyard.results.status import Progress
from steelyard.run.host import HostLoad
from steelyard.run.host.conditions import THROTTLED, compare_conditions
from steelyard.run.host.machine_counts import MachineCounts
from steelyard.run.launch.provenance import ProgramIdentity, describe_change
from steelyard.run.measure.measurement import Measurement
from steelyard.run.measure.ranks import are_at_fault, are_deadlocked
from steelyard.run.measure.verify import STOPPED
from steelyard.run.runner.block_orders import Work
from steelyard.store import LoadOfBatch, Record

if TYPE_CHECKING:
    from steelyard.lab.run.elsewhere import Session

BATCH_S: Final = 0.5
"""Work that the runner gets at once: long enough that Python's share is small, and that few programs start
in caches that Python has filled; short enough that the record is never far behind."""

DRAWN_AHEAD: Final = 4096
"""Blocks, more than any batch: after a trial that failed, all that are drawn are drawn again."""

ACCEPTING: Final = "other exit codes than 0 can be accepted:"
"""Begins the cure of a program that fails; the key of a spec follows, which a command replaces by its own."""
_FAILURES_IN_A_ROW: Final = 3

_INCOMPLETE_BLOCKS: Final = 20
"""Incomplete blocks that end a run if they are more than three quarters of all blocks: it might never end."""


Watch = Callable[[Progress], None]
"""Is told how far a run is."""


def watch_part(watch: Watch, done: int, total: int) -> Watch:
    """Watch a record of one block as the next of so many that belong together; the only one as it is."""
    if total == 1:
        return watch
    return lambda progress: watch(progress.add_before(done, total))


class RunLoop:
    """Runs one record to its end.

    What runs next follows from the record and the seed alone, so that a run that was killed anywhere goes on
    as if it had not been.
    """

    def __init__(
        self,
        record: Record,
        run: int,
        session: Session,
        identities: Sequence[ProgramIdentity],
        watch: Watch,
    ) -> None:
        self._record = record
        self._run = run
        self._session = session
        self._identities = list(identities)
        self._watch = watch
        self._experiment = record.experiment
        self._stopping = StopRule(record, self._experiment)
        self._extensions = record.extensions()
        self._outcomes = self._read_outcomes()
        # Kept up as blocks end: to count them all after each batch would take longer and longer.
        self._states = Counter(outcome.state for outcome in self._outcomes)
        self._incomplete_before = self._states["incomplete"]
        self._upcoming: deque[Work] = deque()
        self._failures: Counter[int] = Counter()
        self._started = time.monotonic()
        self._blocks_run = 0
        self._first: tuple[float, int] | None = None
        self._conditions = self._at_start = session.read_conditions()
        self._counts = None if session.queued else MachineCounts.read()

    def conduct(self) -> End:
        """Run blocks until the design, the precision or a cap says that it is enough.

        Raises
        ------
        ProgramError
            Three failures in a row of one treatment, or a program that is not the one measured so far.
        """
        try:
            return self._run_blocks()
        finally:
            self._note_throttling()
            self._note_counts()

    def _run_blocks(self) -> End:
        while True:
            elapsed_s = time.monotonic() - self._started
            end = self._stopping.look(self._states["complete"], len(self._outcomes), elapsed_s)
            if end:
                # Also where nothing ran: what is read of the journal can be deleted with it.
                self._store((), HostLoad.read())
                return end
            self._tell(elapsed_s)
            works = self._draw(elapsed_s)
            self._refuse_to_pass(works[0].block)
            self._record.add_blocks([work.block for work in works if work.block.id > len(self._outcomes)])
            before = HostLoad.read()
            try:
                self._session.run(works)
            finally:
                # Whatever stopped the runner: what is in the journal was measured and belongs in the
                # record.
                measurements = self._store(works, before)
                self._note_conditions(works)
                changes = [*self._note_modules(), *self._give_up_changed(works)]
            if changes:
                raise ProgramError(
                    f"the program changed during the experiment: {changes[0]}",
                    hint="measure the new program into a new record; this one keeps the old measurements",
                )
            self._blocks_run += len(works)
            self._note_outcomes(works, measurements)
            self._refuse_failures(measurements)
            self._refuse_too_few_complete()

    def _draw(self, elapsed_s: float) -> list[Work]:
        block_s = elapsed_s / self._blocks_run if self._blocks_run else BATCH_S
        if not self._upcoming:
            ahead = None if self._session.queued else DRAWN_AHEAD
            self._upcoming = deque(islice(self._yield_until_look(), ahead))
        most = self._limit_batch(block_s)
        works = [self._upcoming.popleft()]
        while (
            self._upcoming
            and len(works) < most
            and not self._find_boundary(works[-1].block, self._upcoming[0].block)
        ):
            works.append(self._upcoming.popleft())
        return works

    def _limit_batch(self, block_s: float) -> int:
        """Blocks to hand over at once: in a queue, all that may share an allocation."""
        return len(self._upcoming) if self._session.queued else max(1, int(BATCH_S / block_s))

    def _find_boundary(self, before: Block, after: Block) -> Boundary | None:
        return boundary(self._experiment.program, before, after, self._record.treatments)

    def _refuse_to_pass(self, upcoming: Block) -> None:
        """End here where the machine is to restart between what this run has measured and what comes."""
        if self._blocks_run and (reason := self._find_boundary(self._outcomes[-1].block, upcoming)):
            raise RestartDueError(reason)

    def _yield_until_look(self) -> Iterator[Work]:
        """Blocks to run until the next look: those that were begun, then new ones, as if none failed."""
        for outcome in self._outcomes:
            if outcome.state == "planned":
                yield Work(outcome.block, frozenset(self._record.finished_trials(outcome.block.id)))
        count = self._stopping.blocks_wanted()
        for block in stream_until(
            self._experiment, self._record.treatments, self._outcomes, count, self._extensions
        ):
            yield Work(block)

    def _store(self, works: Sequence[Work], before: HostLoad) -> list[Measurement]:
        measurements = self._session.store(works)
        if measurements and not self._session.queued:  # of jobs, the load of their nodes is not known
            load = HostLoad.read().since(before)
            self._record.add_batch(
                LoadOfBatch(
                    self._run,
                    measurements[0].trial,
                    measurements[-1].trial,
                    steal_s=load.steal_s,
                    psi_cpu_s=load.cpu_pressure_s,
                    psi_memory_s=load.memory_pressure_s,
                    psi_io_s=load.io_pressure_s,
                    load_1min=load.load_1m,
                )
            )
        return measurements

    def _read_outcomes(self) -> list[BlockOutcome]:
        """Read the blocks so far; where failures are outcomes, those whose trials have ended are complete."""
        outcomes = self._record.outcomes()
        if not self._experiment.keeps_failures:
            return outcomes
        return [
            BlockOutcome(outcome.block, "complete")
            if outcome.state == "incomplete"
            and len(self._record.finished_trials(outcome.block.id)) == len(outcome.block.order)
            else outcome
            for outcome in outcomes
        ]

    def _note_outcomes(self, works: Sequence[Work], measurements: Sequence[Measurement]) -> None:
        if works[0].block.id <= len(self._outcomes):
            # Blocks that an earlier run had begun: the record knows what became of their first trials.
            self._outcomes = self._read_outcomes()
            self._states = Counter(outcome.state for outcome in self._outcomes)
            return
        spoilt = {measurement.block for measurement in measurements if not self._is_outcome(measurement)}
        for work in works:
            state: BlockState = "complete"
            if work.block.discard:
                state = "discarded"
            elif work.block.id in spoilt:
                state = "incomplete"
            self._outcomes.append(BlockOutcome(work.block, state))
            self._states[state] += 1
        if any(not work.block.discard for work in works if work.block.id in spoilt):
            self._upcoming.clear()

    def _is_outcome(self, measurement: Measurement) -> bool:
        """Whether a trial ended as it should, or as it may: a hook that failed says nothing of a program."""
        endings = ("ok", "failed", "timed_out") if self._experiment.keeps_failures else ("ok",)
        return measurement.status in endings

    def _refuse_failures(self, measurements: Sequence[Measurement]) -> None:
        for measurement in measurements:
            if self._is_outcome(measurement):
                self._failures[measurement.treatment] = 0
                continue
            self._failures[measurement.treatment] += 1
            if self._failures[measurement.treatment] == _FAILURES_IN_A_ROW:
                label = next(t.label for t in self._record.treatments if t.id == measurement.treatment)
                raise ProgramError(
                    f"{label}: {_FAILURES_IN_A_ROW} trials in a row failed;"
                    f" the last one: {measurement.reason}",
                    hint=self._suggest_cure(measurement),
                )

    def _suggest_cure(self, last: Measurement) -> str:
        """Cure for a failure of this kind."""
        match last.status:
            case "timed_out" if are_deadlocked(last.reason or ""):
                cure = (
                    "every rank waits for another: look for a message that none sends; if the program is only"
                    " slow, give it more time: timeout in a spec"
                )
            case "timed_out" if (last.reason or "").startswith(STOPPED):
                cure = (
                    "more time does not help: a process of the program waits for SIGCONT since SIGSTOP,"
                    " SIGTSTP, SIGTTIN or SIGTTOU; leave the signal out"
                )
            case "timed_out":
                cure = (
                    "give it more time: timeout in [program] of a spec;"
                    ' on_failure = "continue" there makes timeouts outcomes that are counted'
                )
            case "hook_failed":
                cure = "run the prepare and cleanup commands by themselves to see why"
            case "failed" if last.exit_code and not are_at_fault(last.reason or ""):
                cure = f"{ACCEPTING} verify = {{ exit = {last.exit_code} }} under [program]"
            case _:
                cure = "run the command by itself to see its output"
        path = self._record.directory / "failed"
        return f"its output is in {path}; {cure}" if path.exists() else cure

    def _refuse_too_few_complete(self) -> None:
        # What earlier runs left incomplete says nothing of programs: blocks are also given up with a machine
        # that restarts, and lost with a record that is damaged.
        incomplete = self._states["incomplete"] - self._incomplete_before
        complete = self._states["complete"]
        if incomplete >= _INCOMPLETE_BLOCKS and incomplete > 3 * complete:
            raise ProgramError(
                f"{incomplete} blocks of this run are incomplete and {complete} complete in all:"
                " programs fail too often for blocks of all treatments",
                hint=f"steelyard status {self._record.directory} shows which; leave those treatments out",
            )

    def _give_up_changed(self, works: Sequence[Work]) -> list[str]:
        """Describe how the programs changed, and discard the blocks of the batch.

        It is not known when in the batch that happened.
        """
        changes = [text for identity in self._identities if (text := describe_change(identity))]
        if changes:
            self._record.set_block_states(
                {work.block.id: "incomplete" for work in works if not work.block.discard}
            )
        return changes

    def _note_conditions(self, works: Sequence[Work]) -> None:
        """Say which conditions changed while the batch ran, or just before."""
        before, now = self._conditions, self._session.read_conditions()
        if before is None or now is None:
            return
        for difference in compare_conditions(before.facts(), now.facts()):
            text = (
                f"{difference.name}: {difference.old} before block {works[0].block.id},"
                f" {difference.new} after block {works[-1].block.id};"
                " blocks before and after differ in more than time"
            )
            self._record.add_warning("host_changed", text, self._run)
        self._conditions = now

    def _note_throttling(self) -> None:
        """Add to the facts of the run for how long a CPU quota stopped the programs' control groups."""
        start, end = self._at_start, self._conditions
        if start is None or end is None or start.throttled_s is None or end.throttled_s is None:
            return
        self._record.note_host(self._run, {THROTTLED: end.throttled_s - start.throttled_s})

    def _note_counts(self) -> None:
        """Add to the facts of the run what the machine has counted of heat and swapping meanwhile."""
        if self._counts is not None and (facts := MachineCounts.read().list_facts_since(self._counts)):
            self._record.note_host(self._run, facts)

    def _note_modules(self) -> list[str]:
        """Add what warm-up runs mapped to what must stay as it is; describe what was replaced under them."""
        notes = self._session.take_modules()
        paths = {identity.resolved for identity in self._identities}
        modules = [module for module in notes.modules if module.resolved not in paths]
        if modules:
            self._record.add_modules({module.path: module for module in modules})
            self._identities += modules
        if notes.problem:
            text = f"what programs load while they run is not known: {notes.problem}"
            self._record.add_warning("modules", text, self._run)
        return [f"module {path} was replaced after a program had loaded it" for path in notes.replaced]

    def _block_s(self, elapsed_s: float) -> float | None:
        """Seconds per block.

        ``None`` where only a short batch has ended, most of which was start-up: such a batch predicted 31 s
        for a run of 2 s.
        """
        if self._first is None:
            self._first = (elapsed_s, self._blocks_run) if self._blocks_run else None
        first_s, first = self._first or (0.0, 0)
        if self._blocks_run > first:
            return (elapsed_s - first_s) / (self._blocks_run - first)
        return elapsed_s / self._blocks_run if self._blocks_run and elapsed_s > BATCH_S else None

    def _tell(self, elapsed_s: float) -> None:
        done, end = self._states["complete"], self._stopping.expected_end()
        count = end or self._stopping.blocks_wanted()
        rest, to_end = None, end is not None
        if (block_s := self._block_s(elapsed_s)) is not None:
            rest, limit_s = (count - done) * block_s, self._stopping.seconds_left(elapsed_s)
            if limit_s is not None:
                limit_s = max(limit_s, (self._stopping.least - done) * block_s)
            unknown = end is None and self._stopping.reached is not None
            if limit_s is not None and (limit_s <= rest or unknown):
                # Time that runs out before the next look is the end.
                rest, to_end = limit_s, True
        self._watch(
            Progress(
                done,
                count,
                self._stopping.seconds_spent(elapsed_s),
                rest,
                to_end=to_end or rest is None,
                target=self._stopping.target,
                reached=self._stopping.reached,
                speedup=self._stopping.speedup,
                interval=self._stopping.interval,
            )
        )
