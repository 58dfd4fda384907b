"""Blocks on this machine: handed to the runner, read back from its journal."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from steelyard.design.plan import Block, Context
from steelyard.interventions.node import Node
from steelyard.run.launch.launch import Launch
from steelyard.run.launch.launch_plan import LaunchPlan, with_trial
from steelyard.run.launch.level_changes import LevelChanges
from steelyard.run.measure.measure import Measurer
from steelyard.run.measure.measurement import Measurement
from steelyard.run.runner.journal import read_journal
from steelyard.run.runner.runner import BlockEnd, Entry, Hook, Runner, RunnerDiedError, Trial

if TYPE_CHECKING:
    from steelyard.run.queue.queued_runner import QueuedRunner
from steelyard.sample import Treatment

_MOST_LAUNCHES: Final = 256
"""Definitions that the runner keeps before it is told to forget them: with contexts, every block has new
ones."""


_BLOCK_END: Final = BlockEnd()


class Work(msgspec.Struct, frozen=True, gc=False):
    """A block, and the trials of it that are done already."""

    block: Block
    finished: frozenset[int] = frozenset()

    def places(self) -> list[tuple[int, int]]:
        """(trial, treatment) of what is still to be done, in order."""
        numbered = enumerate(self.block.order, start=self.block.first_trial)
        if not self.finished:
            return list(numbered)
        return [(trial, treatment) for trial, treatment in numbered if trial not in self.finished]


def _group_by_node(works: Sequence[Work]) -> dict[str | None, list[Work]]:
    """Blocks by the node that was drawn for each, so that a node needs one job; in the order of the first."""
    groups: dict[str | None, list[Work]] = {}
    for work in works:
        context = work.block.context
        drawn = None if context is None else context.settings.get(Node.name)
        groups.setdefault(None if drawn is None else str(drawn), []).append(work)
    return groups


class Session:
    """One runner and its journal.

    Parameters
    ----------
    journal : Path
        Where the runner writes each trial before it starts the next one.
    """

    def __init__(
        self, launches: LaunchPlan, measurer: Measurer, runner: Runner | QueuedRunner, journal: Path
    ) -> None:
        self._launches = launches
        self._measurer = measurer
        self._runner = runner
        self._treatments = {treatment.id: treatment for treatment in launches.treatments}
        self._defined: dict[Launch, int] = {}
        self._made: tuple[Context | None, dict[int, Launch]] | None = None
        self._numbers: dict[int, int] = {}
        self._levels = LevelChanges(launches)
        self.journal = journal
        self.offset = 0
        """Byte up to which the journal was read."""

    @property
    def queued(self) -> bool:
        """Whether trials run elsewhere, in jobs that take all blocks up to the next look."""
        return not isinstance(self._runner, Runner)

    def run(self, works: Sequence[Work]) -> None:
        """Run the blocks; returns when all of it is in the journal, having slept meanwhile.

        After an error the runner is closed and the journal final.

        Raises
        ------
        ProgramError
            A command before or after a block failed.
        RecordError
            The journal cannot be written.
        RunnerDiedError
            The runner was killed or stopped.
        """
        if len(self._defined) > _MOST_LAUNCHES:
            # The runner would forget how to leave them.
            self.leave_levels()
            self._runner.forget()
            self._defined.clear()
            self._numbers.clear()
        try:
            if isinstance(self._runner, Runner):
                self._runner.run([entry for work in works for entry in self._entries(work)])
            else:
                for node, members in _group_by_node(works).items():
                    self._runner.run([entry for work in members for entry in self._entries(work)], node)
            if self._runner.stopped:
                raise RunnerDiedError(
                    "the runner was stopped in the middle of its work, by a signal or since its guard died;"
                    f" finished trials are in {self.journal}",
                    hint="give the same command again: it goes on where this ended",
                )
        except BaseException:
            self._runner.close()
            self._launches.remove_session()
            raise

    def run_hooks(self, commands: Sequence[Sequence[str]]) -> None:
        """Run untimed commands that belong to no trial. Raises ``ProgramError`` when one fails."""
        first = self._launches.treatments[0]
        hooks = [Hook(self._define(hook)) for hook in self._launches.hooks(first, commands)]
        if hooks:
            self._runner.run(hooks)

    def leave_levels(self) -> None:
        """Leave all levels that are entered. Raises ``ProgramError`` when a command fails."""
        if self._levels.entered:
            self._runner.run(self._levels.leave(self._define))

    def read(self, works: Sequence[Work]) -> list[Measurement]:
        """Measurements that the journal holds beyond ``offset``, which moves on."""
        raw_trials, self.offset = read_journal(self.journal, self.offset)
        if not isinstance(self._runner, Runner):
            raw_trials = sorted([*raw_trials, *self._runner.lost], key=lambda raw: raw.trial)
            self._runner.lost.clear()
        return self._measurer.measure(raw_trials, [work.block for work in works])

    def _entries(self, work: Work) -> list[Entry]:
        program = self._launches.experiment.program
        launches = self._in_context(work.block.context)
        first = self._treatments[work.block.order[0]]
        entries = self._hooks(first, program.before_block)
        # Each block has its own: what is hard to change is set up again, or its plots would be one.
        entries += self._levels.leave_hard(self._define)
        for trial, treatment in work.places():
            entries += self._levels.change(self._treatments[treatment].levels, self._define)
            entries.append(Trial(trial, self._number(launches[treatment], treatment, trial)))
        entries += self._hooks(first, program.after_block)
        entries.append(_BLOCK_END)
        return entries

    def _hooks(self, treatment: Treatment, commands: Sequence[Sequence[str]]) -> list[Entry]:
        """Untimed commands of a block, under the levels of its first treatment."""
        if not commands:  # as in most experiments, and this is asked for every block
            return []
        return [Hook(self._define(hook)) for hook in self._launches.hooks(treatment, commands)]

    def _in_context(self, context: Context | None) -> dict[int, Launch]:
        """Made once for blocks in a row that share a context, as all do where none is drawn: making it takes
        longer than an empty program runs.
        """
        if self._made is None or self._made[0] != context:
            self._made = context, self._launches.in_context(context)
            self._numbers.clear()
        return self._made[1]

    def _number(self, launch: Launch, treatment: int, trial: int) -> int:
        """Number of a trial's launch; looked up once where all trials of a treatment share it."""
        number = self._numbers.get(treatment)
        if number is None:
            own = with_trial(launch, trial)
            number = self._define(own)
            if own is launch:
                self._numbers[treatment] = number
        return number

    def _define(self, launch: Launch) -> int:
        if launch not in self._defined:
            self._defined[launch] = self._runner.define(launch)
        return self._defined[launch]
