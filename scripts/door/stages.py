"""Commands that are run one after the other, and shown only where they fail."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from subprocess import DEVNULL, PIPE, STDOUT
from textwrap import shorten
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = Path(__file__).resolve().parents[2]
VENV = ROOT / ".venv"


class DevError(Exception):
    """What went wrong; ``hint`` is its cure. Exit code 4: this machine lacks something, 2: wrong usage."""

    def __init__(self, message: str, *, hint: str | None = None, exit_code: int = 4) -> None:
        super().__init__(message)
        self.hint = hint
        self.exit_code = exit_code


def say(text: str, *, end: str = "\n") -> None:
    """Talk goes to stderr: stdout belongs to the program that a command runs."""
    print(text, end=end, file=sys.stderr, flush=True)


class Stage(NamedTuple):
    """How a stage ended, and what it printed."""

    name: str
    passed: bool
    output: str


def quietly(
    name: str, commands: Sequence[Sequence[str]], *, env: dict[str, str] | None = None, fatal: bool = True
) -> Stage:
    """Run the commands until one fails, and show their output only then; a fatal failure ends ``./dev``."""
    say(f"  {name:<58}", end=" ")
    start = time.monotonic()
    output, passed = "", True
    for command in commands:
        done = subprocess.run(
            command,
            cwd=ROOT,
            env=env or environment(),
            check=False,
            stdin=DEVNULL,
            stdout=PIPE,
            stderr=STDOUT,
        )
        output += done.stdout.decode(errors="replace")
        passed = done.returncode == 0
        if not passed:
            output += f"({shorten(' '.join(command), 200)}: exit code {done.returncode})\n"
            break
    say(f"{'ok' if passed else 'FAILED':<6} {time.monotonic() - start:6.1f} s")
    if not passed:
        say(output)
        if fatal:
            raise DevError(f"{name}: failed, see above", exit_code=1)
    return Stage(name, passed, output)


def environment() -> dict[str, str]:
    """The caller's environment with ``.venv`` active, and nothing that leads to another Steelyard."""
    dropped = ("PYTHONPATH", "PYTHONHOME", "PYTHONDONTWRITEBYTECODE", "STEELYARD_RUNNER")
    env = {name: value for name, value in os.environ.items() if name not in dropped}
    env["PATH"] = f"{VENV / 'bin'}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
    env.setdefault("CMAKE_BUILD_PARALLEL_LEVEL", str(os.cpu_count() or 1))
    return env


def tool(name: str) -> str:
    """The path of a program in ``.venv``."""
    return str(VENV / "bin" / name)
