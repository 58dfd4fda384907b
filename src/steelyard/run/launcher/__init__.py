"""Where a launch goes when it is not simply started here: one file a kind."""

from __future__ import annotations

from steelyard.run.launcher.launcher import Launcher
from steelyard.run.launcher.mpi import Mpi
from steelyard.run.launcher.smpi import Smpi
from steelyard.spec.experiment import Experiment

__all__ = ["Launcher", "launcher_of"]


def launcher_of(experiment: Experiment) -> Launcher | None:
    """What ``[launch]`` asks for; ``None`` where the runner starts the program itself."""
    match experiment.launch.kind:
        case "mpi":
            return Mpi(experiment)
        case "smpi":
            return Smpi(experiment)
        case "local" | "slurm" | "template":
            return None
