"""Launchers: what stands between the runner and a program whose ranks it does not start itself.

One file a kind, loaded where it is asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from steelyard.core.units import Scalar
from steelyard.run.launch.launch import Launch
from steelyard.spec.experiment import Experiment
from steelyard.spec.tables.launch import (
    HostsLaunch,
    LocalLaunch,
    MpiLaunch,
    SimulatedLaunch,
    SlurmLaunch,
    TemplateLaunch,
)

__all__ = ["Launcher", "launcher_of"]


class Launcher(Protocol):
    """Starts the ranks of a program.

    The runner waits for it, kills it and what it started, and keeps what it prints, as with any program; so
    it needs no more than this.
    """

    def wrap_launch(self, launch: Launch, names: Mapping[str, str], run: str) -> Launch:
        """Return the launch that starts the ranks of ``launch``.

        Parameters
        ----------
        names : Mapping of str to str
            What placeholders stand for in this treatment.
        run : str
            By which what it keeps in files is told from that of other runs.

        Raises
        ------
        MachineError
            Something is not installed, or does not fit the program.
        UsageError
            The options contradict each other or the machine.
        """
        ...

    def check(self, launch: Launch, names: Mapping[str, str]) -> None:
        """Refuse what ``wrap_launch`` would, as far as that shows with nothing started or written.

        Raises
        ------
        MachineError, UsageError
            As ``wrap_launch``.
        """
        ...

    def facts(self) -> Mapping[str, Scalar]:
        """Facts to keep with those of the host."""
        ...


def launcher_of(experiment: Experiment) -> Launcher | None:
    """Return the launcher that ``[launch]`` asks for; ``None`` where the runner starts the program itself."""
    match experiment.launch:
        case MpiLaunch() as launch:
            from steelyard.run.launch.launcher.mpi import Mpi

            return Mpi(launch, experiment.source)
        case SimulatedLaunch() as launch:
            from steelyard.run.launch.launcher.smpi import Smpi

            return Smpi(launch, experiment.source)
        case SlurmLaunch(ranks=str(ranks)) as launch:
            from steelyard.run.launch.launcher.srun import Srun

            return Srun(launch, ranks)
        case LocalLaunch() | SlurmLaunch() | TemplateLaunch() | HostsLaunch():
            return None
