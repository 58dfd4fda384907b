"""Libraries that the loader puts before those of a program, by ``LD_PRELOAD``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from steelyard.core.errors import MachineError

VARIABLE: Final = "LD_PRELOAD="


def preload(env: Sequence[str], library: Path) -> tuple[str, ...]:
    """Return the environment with the library before any other that is preloaded.

    Raises
    ------
    MachineError
        The loader would split the name.
    """
    if {" ", ":"} & set(str(library)):
        raise MachineError(
            f"the loader cannot load {library}: it splits names at blanks and colons",
            hint="install Steelyard where no directory has them",
        )
    texts = [entry.removeprefix(VARIABLE) for entry in env if entry.startswith(VARIABLE)]
    rest = [entry for entry in env if not entry.startswith(VARIABLE)]
    return (*rest, VARIABLE + ":".join((str(library), *filter(None, texts))))
