"""Restarts of the machine between blocks or treatments: the run ends before them, and the next one goes on.

The command runs when the record is closed. A run never goes over a boundary: what it did not measure itself
it does not restart for, so that a machine which starts ``run`` on its own cannot restart for ever.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import msgspec

from steelyard.core.errors import InterruptedRunError, ProgramError
from steelyard.core.sample import Treatment
from steelyard.design import Block
from steelyard.run.launch.launch_plan import LaunchPlan
from steelyard.run.runner.orders import Hook
from steelyard.run.runner.runner import HookError, Runner
from steelyard.spec.experiment import Program

Between = Literal["between_blocks", "between_treatments"]


class Boundary(msgspec.Struct, frozen=True):
    """Two blocks between which commands are to be run.

    Attributes
    ----------
    key : {"between_blocks", "between_treatments"}
        Of ``[program]``.
    after : str
        What was measured before it, in words.
    """

    key: Between
    after: str


class RestartDueError(Exception):
    """Not an error: the run reached a boundary, and ends so that the machine can restart."""

    def __init__(self, boundary: Boundary) -> None:
        super().__init__(boundary.after)
        self.boundary = boundary


def boundary(
    program: Program, before: Block, after: Block, treatments: Sequence[Treatment]
) -> Boundary | None:
    """Find the boundary that the spec wants between two blocks, if any."""
    last, first = before.order[-1], after.order[0]
    if program.between_treatments and last != first:
        label = next(treatment.label for treatment in treatments if treatment.id == last)
        return Boundary("between_treatments", f"the runs of {label}")
    if program.between_blocks:
        return Boundary("between_blocks", f"block {before.id}")
    return None


def restart(boundary: Boundary, launches: LaunchPlan, directory: Path) -> InterruptedRunError:
    """Run the commands of a boundary, and return the error with which the run ends.

    Raises
    ------
    ProgramError
        A command of the boundary failed.
    """
    commands = getattr(launches.experiment.program, boundary.key)
    memory = os.memfd_create("journal")
    try:
        with Runner(Path(f"/proc/{os.getpid()}/fd/{memory}")) as runner:
            hooks = launches.hooks(launches.treatments[0], commands)
            runner.run([Hook(runner.define(hook)) for hook in hooks])
    except HookError as error:
        raise ProgramError(
            f"{boundary.key} failed after {boundary.after}: {error.message}",
            hint=f"run the command by itself to see why; {_go_on(directory)} goes on without it",
        ) from error
    finally:
        os.close(memory)
    return InterruptedRunError(
        f"{boundary.key} has run after {boundary.after}, and this run ends here; the next one goes on",
        hint=f"when the machine has restarted: {_go_on(directory)}",
    )


def _go_on(directory: Path) -> str:
    return f"steelyard run {shlex.quote(str(directory))}"
