"""Commands that are run one after the other or side by side, and shown only where they fail."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from subprocess import DEVNULL, PIPE, STDOUT
from textwrap import shorten
from threading import Event, current_thread, main_thread
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

ROOT = Path(__file__).resolve().parents[2]
VENV = ROOT / ".venv"


LACKING = 4
"""Exit code where this machine lacks something."""
CTRL_C_S = 0.5
"""How long after a failure nothing else begins: somebody may have pressed Ctrl-C."""


class DevError(Exception):
    """What went wrong; ``hint`` is its cure. Exit code 4: this machine lacks something, 2: wrong usage."""

    def __init__(self, message: str, *, hint: str | None = None, exit_code: int = LACKING) -> None:
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
    empty: bool = False
    """There was nothing to do, and so nothing failed."""


def quietly(
    name: str,
    commands: Sequence[Sequence[str]],
    *,
    env: dict[str, str] | None = None,
    cwd: Path = ROOT,
    fatal: bool = True,
    may_lack: bool = False,
    empty: int | None = None,
) -> Stage:
    """Run the commands until one fails, and show their output only then; a fatal failure ends ``./dev``.

    With ``may_lack``, a command that this machine lacks something for does not fail, but its output is shown;
    ``empty`` is the exit code of a command that has nothing to do, if that is no failure.
    """
    # Beside others it is told when it ends, in one piece.
    alone = current_thread() is main_thread()
    if alone:
        say(f"  {name:<58}", end=" ")
    start = time.monotonic()
    output, code, has_work = "", 0, True
    for command in commands:
        done = subprocess.run(
            command,
            cwd=cwd,
            env=env or environment(),
            check=False,
            stdin=DEVNULL,
            stdout=PIPE,
            stderr=STDOUT,
        )
        output += done.stdout.decode(errors="replace")
        code = done.returncode
        if code == empty:
            code = 0
            has_work = False
        elif code:
            output += f"({shorten(' '.join(command), 200)}: exit code {code})\n"
            break
    lacks = may_lack and code == LACKING
    passed = code == 0 or lacks
    ended = "lacks" if lacks else "FAILED" if not passed else "ok" if has_work else "none"
    line = f"{ended:<6} {time.monotonic() - start:6.1f} s" + (f"\n{output}" if code else "")
    say(line if alone else f"  {name:<58} {line}")
    if not passed and fatal:
        raise DevError(f"{name}: failed, see above", exit_code=1)
    return Stage(name, passed, output, empty=not has_work)


def side_by_side(*lanes: Sequence[Callable[[], Stage]]) -> list[Stage]:
    """Run the stages of a lane one after the other, and the lanes at the same time; a single lane here."""
    stopped = Event()

    def run(lane: Sequence[Callable[[], Stage]]) -> list[Stage]:
        done: list[Stage] = []
        for stage in lane:
            if stopped.is_set():
                break
            done.append(stage())
            if not done[-1].passed:
                # Ctrl-C may have ended it, of which the main thread learns at the same time.
                stopped.wait(CTRL_C_S)
        return done

    if len(lanes) < 2:
        return [stage for lane in lanes for stage in run(lane)]
    with ThreadPoolExecutor(len(lanes)) as pool:
        try:
            return [stage for lane in pool.map(run, lanes) for stage in lane]
        finally:
            # Ctrl-C ends what runs, and nothing else begins.
            stopped.set()


def environment() -> dict[str, str]:
    """The caller's environment with ``.venv`` active, nothing that leads to another Steelyard, and ccache, if
    it is installed.
    """
    dropped = ("PYTHONPATH", "PYTHONHOME", "PYTHONDONTWRITEBYTECODE", "STEELYARD_RUNNER")
    env = {name: value for name, value in os.environ.items() if name not in dropped}
    env["PATH"] = f"{VENV / 'bin'}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
    env.setdefault("CMAKE_BUILD_PARALLEL_LEVEL", str(os.cpu_count() or 1))
    if shutil.which("ccache", path=env["PATH"]):
        env.setdefault("CMAKE_CXX_COMPILER_LAUNCHER", "ccache")
    return env


def tool(name: str) -> str:
    """The path of a program in ``.venv``."""
    return str(VENV / "bin" / name)
