"""``BlockOrders``: blocks as entries for one runner, and the launches that it knows by then."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import msgspec

from steelyard.core.sample import Treatment
from steelyard.design.plan import Block, Context
from steelyard.run.launch.launch import Launch
from steelyard.run.launch.launch_plan import LaunchPlan, set_trial
from steelyard.run.launch.modules import ModuleObserver
from steelyard.run.runner.level_changes import LevelChanges
from steelyard.run.runner.orders import BlockEnd, Entry, Hook, TrialOrder

_BLOCK_END: Final = BlockEnd()


class Work(msgspec.Struct, frozen=True, gc=False):
    """A block, and what of it is to be done.

    Attributes
    ----------
    finished : frozenset of int
        Its trials that are done already.
    treatments : frozenset of int or None
        Those whose trials belong to this work; ``None``: all.
    """

    block: Block
    finished: frozenset[int] = frozenset()
    treatments: frozenset[int] | None = None

    def places(self) -> list[tuple[int, int]]:
        """(trial, treatment) of what is still to be done, in order."""
        numbered = enumerate(self.block.order, start=self.block.first_trial)
        if not self.finished and self.treatments is None:
            return list(numbered)
        return [
            (trial, treatment)
            for trial, treatment in numbered
            if trial not in self.finished and (self.treatments is None or treatment in self.treatments)
        ]


class BlockOrders:
    """Entries for one runner.

    Parameters
    ----------
    define : callable
        Makes a launch known to the runner and returns its number.
    observer : ModuleObserver, optional
        Notes what programs map in runs that are discarded.
    """

    def __init__(
        self,
        launches: LaunchPlan,
        define: Callable[[Launch], int],
        observer: ModuleObserver | None = None,
    ) -> None:
        self._launches = launches
        self._define_launch = define
        self._observer = observer
        self._treatments = {treatment.id: treatment for treatment in launches.treatments}
        self._defined: dict[Launch, int] = {}
        self._launches_in: tuple[Context | None, dict[int, Launch]] | None = None
        self._numbers: dict[int, int] = {}
        self._levels = LevelChanges(launches)

    @property
    def definitions(self) -> int:
        """How many launches the runner knows."""
        return len(self._defined)

    def forget(self) -> None:
        """Note that the runner has forgotten all launches."""
        self._defined.clear()
        self._numbers.clear()

    def entries(self, work: Work) -> list[Entry]:
        """Entries that do the work, with the commands around its block."""
        program = self._launches.experiment.program
        launches = self._take_context(work.block.context)
        places = work.places()
        first = self._treatments[places[0][1] if work.treatments and places else work.block.order[0]]
        entries = self._make_hooks(first, program.before_block)
        # Each block has its own: what is hard to change is set up again, or its plots would be one.
        entries += self._levels.leave_hard(self._define)
        for trial, treatment in places:
            entries += self._levels.change(self._treatments[treatment].levels, self._define)
            entries.append(
                TrialOrder(trial, self._read_number(launches[treatment], treatment, trial, work.block))
            )
        entries += self._make_hooks(first, program.after_block)
        entries.append(_BLOCK_END)
        return entries

    def hooks(self, commands: Sequence[Sequence[str]]) -> list[Entry]:
        """Untimed commands that belong to no block."""
        return self._make_hooks(self._launches.treatments[0], commands)

    def leave_levels(self) -> list[Entry]:
        """Entries that leave all levels that are entered."""
        return list(self._levels.leave(self._define))

    def _make_hooks(self, treatment: Treatment, commands: Sequence[Sequence[str]]) -> list[Entry]:
        """Untimed commands under the levels of a treatment."""
        if not commands:  # as in most experiments, and this is asked for every block
            return []
        hooks = self._launches.hooks(treatment, commands)
        return [Hook(self._define(set_trial(hook, 0))) for hook in hooks]

    def _name_iteration(self, block: Block) -> str:
        """Return the number of a block, from 0 without those that are discarded, as hyperfine writes it."""
        if block.discard:
            return f"warmup-{block.id - 1}"
        return str(block.id - 1 - self._launches.experiment.design.discard)

    def _take_context(self, context: Context | None) -> dict[int, Launch]:
        """Make launches once for blocks in a row that share a context.

        All blocks do where no context is drawn: making it takes longer than an empty program runs.
        """
        if self._launches_in is None or self._launches_in[0] != context:
            self._launches_in = context, self._launches.start_in_context(context)
            self._numbers.clear()
        return self._launches_in[1]

    def _read_number(self, launch: Launch, treatment: int, trial: int, block: Block) -> int:
        """Return the number of a trial's launch; looked up once where all trials of a treatment share it."""
        if block.discard and self._observer is not None:
            numbered = set_trial(launch, trial, self._name_iteration(block))
            return self._define(self._observer.wrap_launch(numbered))
        number = self._numbers.get(treatment)
        if number is None:
            numbered = set_trial(launch, trial, self._name_iteration(block))
            number = self._define(numbered)
            if numbered is launch:
                self._numbers[treatment] = number
        return number

    def _define(self, launch: Launch) -> int:
        if launch not in self._defined:
            self._defined[launch] = self._define_launch(launch)
        return self._defined[launch]
