"""Noise on simulated machines: a library that SimGrid is started with, compiled when first asked for."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from pathlib import Path
from typing import Final

from steelyard.core.errors import MachineError
from steelyard.run.launch.launcher.simulator import Simulator
from steelyard.spec.simulated import Shares

SOURCE: Final = Path(__file__).with_name("noise.cpp")
_FLAGS: Final = ("-std=c++17", "-O2", "-shared", "-fPIC")
_TIMEOUT_S: Final = 120.0


def settings_of(shares: Shares, seed: str) -> tuple[str, ...]:
    """Return settings for SimGrid, which knows the flag only with the library and refuses it without."""
    return (f"steelyard/noise:{shares.links!r}:{shares.hosts!r}:{seed}",)


def noise_library(directory: Path, simulator: Simulator) -> Path:
    """Return the library for this SimGrid; named by all that it is made of, so that it never changes.

    Raises
    ------
    MachineError
        It cannot be compiled here.
    """
    made_of = (*_FLAGS, simulator.version, simulator.path, SOURCE.read_text(encoding="utf-8"))
    library = directory / f"{hashlib.sha256(chr(0).join(made_of).encode()).hexdigest()[:24]}.so"
    if {" ", ":"} & set(str(library)):
        raise MachineError(
            f"noise needs a cache whose path has neither blank nor colon, and it is {directory}",
            hint="set XDG_CACHE_HOME to another directory",
        )
    if not library.is_file():
        directory.mkdir(parents=True, exist_ok=True)
        # Whole or not there: another run may want it now.
        half = library.with_suffix(f".{os.getpid()}")
        try:
            _compile(half, simulator)
            half.replace(library)
        finally:
            half.unlink(missing_ok=True)
    return library


def _compile(library: Path, simulator: Simulator) -> None:
    compiler = shutil.which("c++")
    if compiler is None:
        raise MachineError(
            "noise on a simulated machine is compiled when it is first used, and c++ was not found in PATH",
            hint="apt-get install g++, or leave noise out of [launch]",
        )
    # SimGrid is in the process already: nothing to link with.
    words = [compiler, *_FLAGS, f"-I{simulator.prefix / 'include'}", str(SOURCE), "-o", str(library)]
    try:
        done = subprocess.run(
            words,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise MachineError(f"{compiler} cannot be run: {error}", hint="leave noise out of [launch]") from None
    if done.returncode:
        first = next((line for line in done.stderr.splitlines() if "error" in line), done.stderr.strip())
        raise MachineError(
            f"noise cannot be compiled for SimGrid {simulator.version}: {first[-300:]}",
            hint="it is written for SimGrid 3.32 (apt-get install libsimgrid-dev g++)",
        )
