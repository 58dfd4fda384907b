"""Trials that run on other machines, in jobs: what a run asks of the extension that starts them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from steelyard.core.errors import UsageError
from steelyard.core.extension import find_launcher, load
from steelyard.core.units import Scalar
from steelyard.run.host.conditions import Conditions
from steelyard.run.launch.launch_plan import LaunchPlan
from steelyard.run.launch.modules import ModuleNotes
from steelyard.run.measure.measure import Measurer
from steelyard.run.measure.measurement import Measurement
from steelyard.run.runner.block_orders import Work
from steelyard.run.runner.journal import RawTrial
from steelyard.spec.experiment import Experiment
from steelyard.spec.tables.launch import QueueLaunch
from steelyard.store import Record
from steelyard.store.entries import Journal

Tell = Callable[[str, int, int], None]
"""What jobs do, and how many of their trials have ended, of how many."""


class Session(Protocol):
    """Runs blocks, and gives their measurements."""

    @property
    def queued(self) -> bool:
        """Whether trials run elsewhere, in jobs that take all blocks up to the next look."""

    def run(self, works: Sequence[Work]) -> None:
        """Run the blocks to their end."""

    def store(self, works: Sequence[Work]) -> list[Measurement]:
        """Move what was measured into the record, and return it."""

    def read_conditions(self) -> Conditions | None:
        """Return the conditions under which programs start now; ``None`` where they are not known."""

    def take_modules(self) -> ModuleNotes:
        """Return what programs have mapped in discarded runs since the last call."""

    def leave_levels(self) -> None:
        """Undo what entering levels did."""


class Elsewhere(Protocol):
    """The machines on which the trials of one experiment run."""

    def check(self) -> None:
        """Refuse what cannot start a job.

        Raises
        ------
        MachineError
        """

    def foresee(self) -> None:
        """Refuse what ``check`` would, as far as it shows with none of the spec's commands started.

        Raises
        ------
        MachineError
        """

    def list_unasked(self) -> tuple[str, ...]:
        """List machines that only a command of the spec can ask, which ``foresee`` leaves alone."""

    def list_nodes(self) -> tuple[str, ...]:
        """List the nodes from which contexts may be drawn.

        Raises
        ------
        MachineError
            They cannot be asked for.
        """

    def attach(self, record: Record, tell: Callable[[str], None]) -> None:
        """Wait for jobs of an earlier run that are still at work."""

    def select_trials(self, raw_trials: list[RawTrial], journal: Journal, record: Record) -> list[RawTrial]:
        """Return the trials of a journal that count, whichever way its job ended."""

    def list_jobs(self, record: Record) -> frozenset[str]:
        """List the jobs that the record has."""

    def describe_nodes(self, record: Record, before: frozenset[str]) -> dict[str, Scalar]:
        """Return host facts of the nodes that jobs had, without the jobs of ``before``."""

    def note_shares(self, record: Record) -> None:
        """Note in the record what jobs of their own mean for comparisons."""

    def note_nodes(self, record: Record, run: int) -> None:
        """Warn of nodes that nobody drew."""

    def open_session(
        self, record: Record, run: int, launches: LaunchPlan, measurer: Measurer, tell: Tell
    ) -> Session:
        """Open the session of a run."""


def find_elsewhere(experiment: Experiment) -> Elsewhere | None:
    """Find the machines that ``[launch]`` names; ``None`` where trials run on this one.

    Raises
    ------
    UsageError
        The extension of this kind of launch is not installed, or refuses what the table says.
    """
    if not isinstance(experiment.launch, QueueLaunch):
        return None
    kind = experiment.launch.kind
    place = find_launcher(kind)
    if place is None:
        raise UsageError(
            f"launch.kind = {kind!r} needs an extension that is not installed",
            hint='install it, or run here: launch.kind = "local"',
        )
    elsewhere: Elsewhere = load(place)(experiment)
    return elsewhere
