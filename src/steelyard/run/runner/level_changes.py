"""The user's own commands for levels: which are entered, and what has to be run when a treatment follows."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from struct import Struct, iter_unpack
from typing import Final

from steelyard.core.errors import ProgramError
from steelyard.core.units import Scalar
from steelyard.files.plain import read_plain, remove_plain, write_plain
from steelyard.run.launch.launch import Launch
from steelyard.run.launch.launch_plan import LaunchPlan
from steelyard.run.runner.orders import Enter, Entry, Hook, Leave
from steelyard.run.runner.runner import HookError, Runner
from steelyard.spec.experiment import LevelCommands
from steelyard.spec.text.placeholders import format_level

_NUMBER: Final = Struct("<I")

Define = Callable[[Launch], int]
"""Makes a launch known to the runner and returns its number."""


class LevelChanges:
    """The levels that are entered, as far as the orders go that were made so far."""

    def __init__(self, launches: LaunchPlan) -> None:
        self._launches = launches
        self._levels = launches.experiment.levels
        self._hard = frozenset(launches.experiment.hard)
        self.entered: dict[str, int] = {}
        """Factor to the number of its level, for those that have commands; in the order of entering."""

    def change(self, levels: Mapping[str, Scalar], define: Define) -> list[Entry]:
        """Entries that lead to a treatment: other levels are left, then its own are entered."""
        if not self._levels:  # as in most experiments, and this is asked for every trial
            return []
        changes = {
            commands.factor: number
            for number, commands in enumerate(self._levels)
            if commands.level == levels[commands.factor] and (commands.enter or commands.leave)
        }
        gone = [factor for factor, number in self.entered.items() if changes.get(factor) != number]
        entries: list[Entry] = [self._leave(factor, define) for factor in reversed(gone)]
        for factor, number in changes.items():
            if factor not in self.entered:
                level_commands = self._levels[number]
                entries.append(
                    Enter(
                        number,
                        self._read_number(level_commands.enter, define),
                        self._read_number(level_commands.leave, define),
                    )
                )
                self.entered[factor] = number
        return entries

    def leave_hard(self, define: Define) -> list[Entry]:
        """Leave the levels of factors that are hard to change."""
        if not self.entered:
            return []
        hard = [factor for factor in self.entered if factor in self._hard]
        return [self._leave(factor, define) for factor in reversed(hard)]

    def leave(self, define: Define) -> list[Entry]:
        """Leave all levels."""
        return [self._leave(factor, define) for factor in reversed(list(self.entered))]

    def _leave(self, factor: str, define: Define) -> Leave:
        number = self.entered.pop(factor)
        return Leave(number, self._read_number(self._levels[number].leave, define))

    def _read_number(self, words: tuple[str, ...] | None, define: Define) -> int | None:
        return (
            None if words is None else define(self._launches.hooks(self._launches.treatments[0], [words])[0])
        )


def leave_levels(launches: LaunchPlan, journal: Path) -> None:
    """Leave what the runner of a journal entered and did not leave: it was killed, or a command failed.

    Raises
    ------
    ProgramError
        A command failed; then the level stays written down.
    """
    file = levels_file(journal)
    content = read_plain(file, within=file.parent.parent)
    if content is None:
        return
    numbers = [number for (number,) in iter_unpack("<I", content)]
    while numbers:
        level = launches.experiment.levels[numbers[-1]]
        if level.leave is not None:
            _leave(launches, level, file)
        numbers.pop()
        write_plain(file, b"".join(map(_NUMBER.pack, numbers)), within=file.parent.parent)
    remove_plain(file, within=file.parent.parent)


def levels_file(journal: Path) -> Path:
    """Return the file in which the runner of a journal notes which levels are entered."""
    return journal.with_name(f"{journal.name}.levels")


def _leave(launches: LaunchPlan, level: LevelCommands, file: Path) -> None:
    # A journal in memory: that of the runner which entered the level may be read and deleted already.
    memory = os.memfd_create("journal")
    try:
        with Runner(Path(f"/proc/{os.getpid()}/fd/{memory}")) as runner:
            (launch,) = launches.hooks(launches.treatments[0], [level.leave or ()])
            runner.run([Hook(runner.define(launch))])
    except HookError as error:
        # What the run ended with: often an enter that failed, so that there was nothing to leave.
        cause = error.__context__
        before = f"{cause.message}; after that, " if isinstance(cause, ProgramError) else ""
        raise ProgramError(
            f"{before}{level.factor} = {format_level(level.level)} could not be left: {error.message}",
            hint=f"undo its changes by hand, then delete {file}",
        ) from error
    finally:
        os.close(memory)
