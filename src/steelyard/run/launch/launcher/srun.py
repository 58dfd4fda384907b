"""Ranks in jobs of Slurm: ``srun`` starts them, with what ``kind = "mpi"`` guards on this machine."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final

from msgspec.structs import replace

from steelyard.core.errors import MachineError
from steelyard.core.units import Scalar
from steelyard.run.launch.launch import Launch
from steelyard.run.launch.launcher.mpi_library import NAMES, find_library
from steelyard.run.launch.preloading import VARIABLE, preload
from steelyard.run.native import RANKS, native_file
from steelyard.spec.ranks import is_overcommitted, ranks_of
from steelyard.spec.tables.launch import SlurmLaunch
from steelyard.spec.text.placeholders import expand

_TIMEOUT_S: Final = 20.0
_PLUGINS: Final = {"openmpi": "pmix", "mpich": "pmi2"}
"""What the ranks of a library ask for their number. Without it, each of them is a job of one rank."""


class Srun:
    """Starts ranks within the job that the runner is in."""

    def __init__(self, launch: SlurmLaunch, ranks: str) -> None:
        self._method = launch
        self._ranks = ranks
        self._used: set[str] = set()

    def wrap_launch(self, launch: Launch, names: Mapping[str, str], run: str) -> Launch:
        """See ``Launcher``."""
        del run
        arguments = [expand(word, names) for word in self._method.arguments]
        srun = _find_srun()
        plugin = _choose_plugin(srun, launch.path, arguments)
        words = (
            srun,
            f"--ntasks={ranks_of(self._ranks, names)}",
            "--kill-on-bad-exit=1",
            *self._choose_binding(arguments),
            *([] if plugin is None else [f"--mpi={plugin}"]),
            *arguments,
            launch.path,
            *launch.argv[1:],
        )
        self._used |= set() if plugin is None else {plugin}
        if VARIABLE not in launch.env:
            launch = replace(launch, env=preload(launch.env, native_file(RANKS).absolute()))
        return replace(launch, path=srun, argv=words)

    def check(self, launch: Launch, names: Mapping[str, str]) -> None:
        """See ``Launcher``."""
        _choose_plugin(_find_srun(), launch.path, [expand(word, names) for word in self._method.arguments])

    def facts(self) -> Mapping[str, Scalar]:
        """Return the plugins of Slurm by which ranks found each other."""
        return {"srun_mpi": ", ".join(sorted(self._used))} if self._used else {}

    def _choose_binding(self, arguments: Sequence[str]) -> Sequence[str]:
        if self._method.binding == "library":
            return ()
        bound = self._method.binding == "core" and not is_overcommitted(arguments)
        return (f"--cpu-bind={'cores' if bound else 'none'}",)


def _find_srun() -> str:
    text = shutil.which("srun")
    if text is None:
        raise MachineError(
            'srun not found in PATH; ranks under kind = "slurm" need it',
            hint="run where the commands of Slurm are installed, or leave ranks out and start them in"
            " [program]",
        )
    return text


def _choose_plugin(srun: str, program: str, arguments: Sequence[str]) -> str | None:
    """Return the plugin that the program's library needs.

    ``None`` where it needs none, or ``arguments`` name one.

    Raises
    ------
    MachineError
        This Slurm does not have it, or the program is for a simulator.
    """
    linked = find_library(program)
    if linked == "simgrid":
        raise MachineError(
            f"{program} is built for the simulator SimGrid and cannot be started by {srun}",
            hint='build it with the library\'s own mpicc, or write kind = "smpi" in [launch]',
        )
    if linked is None or any(word.startswith("--mpi") for word in arguments):
        return None
    plugin = _PLUGINS[linked]
    available = _list_plugins(srun)
    if plugin not in available:
        raise MachineError(
            f"{program} is linked to {NAMES[linked]}, whose ranks ask for {plugin}, and this Slurm has"
            f" {', '.join(available) or 'no plugin for MPI'}: each rank would be a job of its own",
            hint="build the program with a library that this Slurm starts, or name a plugin that suits it:"
            ' arguments = ["--mpi=…"] in [launch]',
        )
    return plugin


@lru_cache(maxsize=4)
def _list_plugins(srun: str) -> tuple[str, ...]:
    """Return the plugins that ``srun --mpi=list`` names, a line each."""
    try:
        done = subprocess.run(
            [srun, "--mpi=list"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise MachineError(f"{srun} --mpi=list cannot be run: {error}", hint="see steelyard doctor") from None
    if done.returncode:
        texts = (done.stderr.strip() or done.stdout.strip()).splitlines()
        raise MachineError(
            f"srun does not say which plugins for MPI it has: {texts[-1] if texts else 'nothing'}",
            hint="run where `srun --mpi=list` answers",
        )
    listed = re.findall(r"^(?:srun: )?\s*(\w+)$", done.stdout + done.stderr, re.MULTILINE)
    return tuple(dict.fromkeys(listed))
