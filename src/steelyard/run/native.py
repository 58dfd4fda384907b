"""The programs and the libraries that are built from ``native/`` and installed with the package."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Final

from steelyard.core.errors import MachineError

RUNNER: Final = "steelyard-runner"
CACHE: Final = "steelyard-cache"
LOAD: Final = "steelyard-load"
MODULES: Final = "steelyard-modules"
"""Names, as word 0, under which the runner's binary treats the page cache, is a load, and notes modules."""
HEAP: Final = "steelyard-heap.so"
RANKS: Final = "steelyard-ranks.so"


def native_file(name: str) -> Path:
    """Return its path: beside ``$STEELYARD_RUNNER`` for developers, else installed with the package.

    Raises
    ------
    MachineError
        It is not there, or this is not Linux.
    """
    require_linux()
    named = os.environ.get("STEELYARD_RUNNER")
    if named:
        path = Path(named) if name == RUNNER else Path(named).with_name(name)
        if not os.access(path, _choose_right(name)):
            raise MachineError(
                f"STEELYARD_RUNNER is {named}, which cannot be executed"
                if name == RUNNER
                else f"{name} is missing beside the runner ({path})",
                hint="unset it to use the installed runner",
            )
        return path
    # Not by importlib.resources, which takes up to 15 ms to import and finds the same place.
    path = Path(__file__).parents[1] / "_native" / name
    if not os.access(path, _choose_right(name)):
        text = "its runner" if name == RUNNER else name
        raise MachineError(
            f"Steelyard was installed without {text} ({path} is missing)",
            hint="install it with pip, which builds the runner: pip install .",
        )
    return path


def _choose_right(name: str) -> int:
    """Return the right that a file needs: a library is read, and installed without that to execute it."""
    return os.R_OK if name.endswith(".so") else os.X_OK


def require_linux() -> None:
    """Refuse to measure on any other system, before the first of the features that it lacks is missed.

    Raises
    ------
    MachineError
        This is not Linux.
    """
    # Compared through a variable: for mypy every other system is unreachable code.
    system = sys.platform
    if system != "linux":
        raise MachineError(
            f"measuring needs Linux (subreapers, schedstat, memfd); this is {system}",
            hint="measure on Linux; records from there are read here: analyze, report, check --no-run,"
            " history, model, export, compare OLD.lab NEW.lab",
        )
