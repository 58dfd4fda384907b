"""A command that failed in a tree: how it ended, what it said last, and how to run it there again."""

from __future__ import annotations

import shlex
import signal
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from steelyard.core.causes import find_cause
from steelyard.core.errors import ProgramError
from steelyard.files.plain import read_plain

LAST_LINES: Final = 20
CAUSE_LINES: Final = 5
"""From the line on that says why, where that is before the last lines."""
_NOT_FOUND: Final = 127
"""Exit code of a shell for a command that does not exist."""


def describe_red(
    noun: str, words: Sequence[str], directory: Path, code: int, *logs: Path, cure: str = ""
) -> ProgramError:
    """Return the error of a command that failed.

    Parameters
    ----------
    noun : str
        What failed, as in ``"its build"``.
    directory : Path
        Where it ran.
    code : int
        As of ``subprocess``: below 0 for a signal.
    logs : Path
        Files with all that it said, of which the last lines are quoted.
    cure : str
        Of this kind of failure, before the command that repeats it.
    """
    quoted = [line for log in logs for line in quote_end(log)]
    places = ", ".join(str(log) for log in logs if log.exists() and log.stat().st_size)
    files = f"\n    all of it: {places}" if places else ""
    if code == _NOT_FOUND:
        cure = cure or "a command of it is not installed, or not on PATH"
    again = f"cd {shlex.quote(str(directory))} && {format_command(words)}"
    return ProgramError(
        f"{noun} {format_end(code)}" + "".join(f"\n    {line}" for line in quoted) + files,
        hint=f"{cure}; to see it again: {again}" if cure else again,
    )


def quote_end(log: Path) -> list[str]:
    """Return the last lines that a command said, and before them those with the cause if it came earlier."""
    lines = (read_plain(log) or b"").decode(errors="replace").rstrip().splitlines()
    end = lines[-LAST_LINES:]
    earlier = lines[:-LAST_LINES]
    place = find_cause(earlier)
    if place is None:
        return end
    cause = earlier[place : place + CAUSE_LINES]
    return [*cause, *(["…"] if place + len(cause) < len(earlier) else []), *end]


def format_end(code: int) -> str:
    """Say how a process ended: ``ended with 2``, ``was killed by SIGSEGV``."""
    return f"ended with {code}" if code > 0 else f"was killed by {signal.Signals(-code).name}"


def format_command(words: Sequence[str]) -> str:
    """Return words as one would type them; of ``sh -c``, what it reads."""
    if len(words) == 3 and words[:2] == ["/bin/sh", "-c"]:
        return words[2]
    return shlex.join(words)
