"""Sessions of pytest with the plugin, on a clock that the functions under test move: no time is measured."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from steelyard.store import Record

CONFTEST = """\
import os
import random
from pathlib import Path

import pytest

from steelyard.extensions.pytest import reference, turns
from steelyard.extensions.pytest import loop

# Each session has noise of its own, and so has each process of a comparison in turns.
KEPT = len(list(Path(__file__).parent.glob(".steelyard/main/*.lab")))
DRAW = random.Random(f"{KEPT} {os.environ.get('PYTHONHASHSEED')}")
SLOWED = float(os.environ.get("SLOWED", 1))

# Fewer processes, whose start takes longest.
turns.LOOKS, turns.BLOCKS, turns.MOST_BLOCKS = {2: 1.0}, 3, 3


class Clock:
    ns = 0

    def perf_counter_ns(self):
        return Clock.ns

    def perf_counter(self):
        return Clock.ns / 1e9


def unchanging():
    Clock.ns += round(100_000 * DRAW.uniform(0.99, 1.01))


loop.time = Clock()
reference.work = unchanging


@pytest.fixture
def work():
    def of(ns):
        def function():
            Clock.ns += round(SLOWED * ns * DRAW.uniform(0.99, 1.01))
            return ns

        return function

    return of
"""


class Sessions:
    """Sessions of pytest in a directory of its own."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        (directory / "conftest.py").write_text(CONFTEST)
        (directory / "pytest.ini").write_text("[pytest]\n")

    def write(self, text: str, name: str = "test_it.py") -> None:
        (self.directory / name).write_text(text)

    def run(
        self, *arguments: str, found: bool = False, slowed: float = 1
    ) -> subprocess.CompletedProcess[str]:
        """A session with the plugin; ``found``: by its entry point, and with all others that are installed,
        which take longer to import than most sessions. ``slowed``: all work takes so many times as long.
        """
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q", *arguments]
        env = {**os.environ, "PYTEST_ADDOPTS": "", "COLUMNS": "120", "SLOWED": str(slowed)}
        if found:
            command += ["-p", "no:benchmark"]
        else:
            command += ["-p", "steelyard.extensions.pytest.plugin"]
            env["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
        return subprocess.run(
            command,
            cwd=self.directory,
            env=env,
            capture_output=True,
            encoding="utf-8",
            check=False,
        )

    def commit(self) -> str:
        """Commit all files of the directory; the id of the commit."""
        if not (self.directory / ".git").exists():
            self.git("init", "-q")
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "a version")
        return self.git("rev-parse", "HEAD").strip()

    def git(self, *words: str) -> str:
        identity = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
        # The order of runs in turns is drawn by the commit, so that a date would make each test another one.
        dates = {"GIT_AUTHOR_DATE": "2026-01-01T00:00:00Z", "GIT_COMMITTER_DATE": "2026-01-01T00:00:00Z"}
        done = subprocess.run(
            ["git", *identity, *words],
            cwd=self.directory,
            env={**os.environ, **dates},
            capture_output=True,
            encoding="utf-8",
            check=True,
        )
        return done.stdout

    def record(self, name: str = "last") -> Record:
        return Record.open(max((self.directory / ".steelyard" / name).glob("*.lab")))


@pytest.fixture
def sessions(tmp_path: Path) -> Sessions:
    return Sessions(tmp_path)
