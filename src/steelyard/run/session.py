"""Blocks on this machine: handed to the runner, read back from its journal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import msgspec

from steelyard.core.errors import ProgramError
from steelyard.run.host.conditions import ConditionReader, Conditions
from steelyard.run.launch.launch_plan import LaunchPlan
from steelyard.run.launch.modules import ModuleNotes, ModuleObserver
from steelyard.run.measure.measure import Measurer
from steelyard.run.measure.measurement import Measurement
from steelyard.run.runner.block_orders import BlockOrders, Work
from steelyard.run.runner.journal import read_journal
from steelyard.run.runner.runner import Runner, RunnerDiedError
from steelyard.run.runner.runner_errors import ANY_HOOK, HookError

_MOST_LAUNCHES: Final = 256
"""Definitions that the runner keeps before it is told to forget them: with contexts, every block has new
ones."""

Take = Callable[[Sequence[Measurement], str, int], None]
"""Moves measurements into the record, with the name of their journal and the byte up to which it was read."""


class RunnerSession:
    """One runner and its journal.

    Parameters
    ----------
    journal : Path
        Where the runner writes each trial before it starts the next one.
    take : callable
        Moves what is measured into the record.
    """

    queued = False
    """Trials run here, and the machine's load is theirs."""

    def __init__(
        self, launches: LaunchPlan, measurer: Measurer, runner: Runner, journal: Path, take: Take
    ) -> None:
        self._launches = launches
        self._measurer = measurer
        self._runner = runner
        # A file that is shown through an overlay has other numbers than on the host.
        is_observed = launches.starts_programs and not launches.experiment.program.isolate
        self._modules = ModuleObserver() if is_observed else None
        self._orders = BlockOrders(launches, runner.define, self._modules)
        self._journal = journal
        self._offset = 0
        self._take = take
        self._conditions = ConditionReader(runner.pid)

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
        if self._orders.definitions > _MOST_LAUNCHES:
            # The runner would forget how to leave them.
            self.leave_levels()
            self._runner.forget()
            self._orders.forget()
        try:
            self._runner.run([entry for work in works for entry in self._orders.entries(work)])
            if self._runner.stopped:
                raise RunnerDiedError(
                    "the runner was killed (by a signal, or because its guard process died);"
                    f" finished trials are in {self._journal}",
                    hint="give the same command again: it goes on where this ended",
                )
        except BaseException:
            self._runner.close()
            self._launches.remove_session()
            raise

    def read_conditions(self) -> Conditions | None:
        """Return the conditions under which programs start now; ``None`` where the runner is gone."""
        try:
            conditions = self._conditions.read()
        except ProcessLookupError:
            return None
        # The runner has the CPUs of its last trial.
        return msgspec.structs.replace(conditions, cpus=None) if self._launches.sets_affinity else conditions

    def take_modules(self) -> ModuleNotes:
        """Return what programs have mapped in discarded runs since the last call."""
        if self._modules is None:
            return ModuleNotes()
        notes = self._modules.collect()
        modules = tuple(item for item in notes.modules if not self._launches.is_built_in_context(item.path))
        return msgspec.structs.replace(notes, modules=modules)

    def run_hooks(self, key: str, commands: Sequence[Sequence[str]]) -> None:
        """Run the untimed commands of a key that belong to no trial.

        Raises
        ------
        ProgramError
            One fails; names the key.
        """
        if not (hooks := self._orders.hooks(commands)):
            return
        try:
            self._runner.run(hooks)
        except HookError as error:
            cause = error.message.removeprefix(f"{ANY_HOOK} failed: ")
            raise ProgramError(f"a {key} command failed: {cause}", hint=error.hint) from error

    def leave_levels(self) -> None:
        """Leave all levels that are entered. Raises ``ProgramError`` when a command fails."""
        if entries := self._orders.leave_levels():
            self._runner.run(entries)

    def store(self, works: Sequence[Work]) -> list[Measurement]:
        """Move what the journal holds by now into the record; gives it."""
        raw_trials, self._offset = read_journal(self._journal, self._offset)
        measurements = self._measurer.measure(raw_trials, [work.block for work in works])
        self._take(measurements, self._journal.name, self._offset)
        return measurements
