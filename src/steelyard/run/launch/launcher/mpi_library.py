"""MPI libraries: the one behind an ``mpirun``, and the one that a program is linked to."""

from __future__ import annotations

import mmap
import os
import re
import subprocess
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Final

import msgspec

from steelyard.core.errors import MachineError

_TIMEOUT_S: Final = 20.0

NAMES: Final = {"openmpi": "Open MPI", "mpich": "MPICH", "impi": "Intel MPI"}

SONAMES: Final[Mapping[str, tuple[bytes, ...]]] = {
    "openmpi": (b"libmpi.so.40", b"libmpi.so.20"),
    # One binary interface (MPICH ABI Compatibility Initiative): either starts programs of the other.
    "mpich": (b"libmpi.so.12", b"libmpich.so.12"),
    "impi": (b"libmpi.so.12", b"libmpich.so.12"),
}

AS_ROOT: Final = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
"""Open MPI refuses root otherwise; in a container, root is the only user."""


class Library(msgspec.Struct, frozen=True):
    """``implementation`` is ``openmpi``, ``mpich`` or ``impi``."""

    implementation: str
    version: str


@lru_cache(maxsize=16)
def library_of(mpirun: str) -> Library:
    """Identify the library by ``mpirun --version``.

    Raises
    ------
    MachineError
        It cannot be started, or is of no known library.
    """
    # Intel MPI's is a script that looks for its own programs there.
    path = os.pathsep.join((str(Path(mpirun).parent), os.environ.get("PATH", os.defpath)))
    try:
        done = subprocess.run(
            [mpirun, "--version"],
            env={**os.environ, **AS_ROOT, "PATH": path},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise MachineError(
            f"{mpirun} --version cannot be run: {error}", hint="give another one: mpirun = in [launch]"
        ) from None
    text = done.stdout + done.stderr
    for implementation, pattern in (
        ("openmpi", r"\((?:Open MPI|OpenRTE|PRRTE)\)\s*([\w.]+)"),
        ("impi", r"Intel\(R\) MPI Library.*?Version\s+([\w.]+)"),
        ("mpich", r"HYDRA build details:\s*Version:\s*([\w.]+)"),
    ):
        if match := re.search(pattern, text, re.DOTALL):
            return Library(implementation, match[1])
    first = next(iter(text.strip().splitlines()), "nothing")
    raise MachineError(
        f"{mpirun} belongs to an unknown MPI library; it says: {first[:200]}",
        hint="Open MPI, MPICH and Intel MPI are known: give the path of one of theirs as mpirun in [launch]",
    )


def find_library(program: str) -> str | None:
    """Return ``openmpi``, ``mpich`` (Intel MPI's as well) or ``simgrid``.

    It is found by the library that the program asks its loader for; ``None`` where it asks for none: a
    script, or a program without MPI.
    """
    try:
        with Path(program).open("rb") as file:
            if file.read(4) != b"\x7fELF":
                return None
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
                # Names stand in the string table, each ended by NUL.
                if content.find(b"\0libsimgrid.so") >= 0:
                    return "simgrid"
                for implementation in ("openmpi", "mpich"):
                    if any(content.find(b"\0" + name + b"\0") >= 0 for name in SONAMES[implementation]):
                        return implementation
    except (OSError, ValueError):
        return None
    return None
