"""Where a launch goes when it is not simply started here: one file a kind, loaded where it is asked for."""

from __future__ import annotations

from steelyard.run.launch.launcher.launcher import Launcher
from steelyard.spec.experiment import Experiment

__all__ = ["Launcher", "launcher_of"]


def launcher_of(experiment: Experiment) -> Launcher | None:
    """What ``[launch]`` asks for; ``None`` where the runner starts the program itself."""
    match experiment.launch.kind:
        case "mpi":
            from steelyard.run.launch.launcher.mpi import Mpi

            return Mpi(experiment)
        case "smpi":
            from steelyard.run.launch.launcher.smpi import Smpi

            return Smpi(experiment)
        case "local" | "slurm" | "template":
            return None
