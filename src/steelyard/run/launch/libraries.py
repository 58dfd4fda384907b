"""Shared libraries that a program is linked to: half of what runs, and none of it in the program's file.

The program's own loader says which they are, in the environment of the program; nothing of the program runs
for that. What it opens later (``dlopen``, modules of an interpreter) is not among them.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final

from steelyard.run.launch.elf import read_elf

TIMEOUT_S: Final = 10.0
"""For which a loader is waited."""
MOST: Final = 500
"""Libraries of one program."""
_LINE: Final = re.compile(r"\s*(?:\S+ => )?(/.+?) \(0x[0-9a-f]+\)")


def list_libraries(path: str, env: Sequence[str] = ()) -> tuple[str, ...]:
    """List the libraries of a program, and its loader, by the paths at which they are found.

    Empty of a static program, of a script, and where the loader cannot say.

    Parameters
    ----------
    env : sequence of str
        ``NAME=value`` each, as the program gets them; those that its loader reads count.
    """
    variables = tuple(sorted(text for text in env if text.startswith("LD_")))
    try:
        elf = read_elf(Path(path))
    except OSError:
        return ()
    if elf is None or elf.loader is None or not os.access(elf.loader, os.X_OK):
        return ()
    return _ask_loader(elf.loader, os.path.realpath(path), variables)


@lru_cache(maxsize=256)
def _ask_loader(loader: str, path: str, variables: tuple[str, ...]) -> tuple[str, ...]:
    try:
        process = subprocess.run(
            [loader, "--list", path],
            env=dict(text.split("=", 1) for text in variables),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=TIMEOUT_S,
            encoding="utf-8",
            errors="surrogateescape",
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired, ValueError):
        return ()
    places = [match[1] for line in process.stdout.splitlines() if (match := _LINE.fullmatch(line))]
    return tuple(dict.fromkeys([*places, loader]))[:MOST] if process.returncode == 0 else ()
