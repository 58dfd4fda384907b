"""What tests of the runner share: a runner with its journal, and launches of shell scripts."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from steelyard.core.errors import MachineError
from steelyard.run.launch.launch import Launch
from steelyard.run.runner.journal import RawTrial, read_journal
from steelyard.run.runner.runner import Runner, TrialOrder, find_runner

SANITIZED_BYTES = 3 << 20


@pytest.fixture(scope="session")
def runner_program() -> Path:
    try:
        return find_runner()
    except MachineError as error:
        pytest.skip(str(error))


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    return tmp_path / "journal"


@pytest.fixture
def runner(journal: Path, runner_program: Path) -> Iterator[Runner]:
    with Runner(journal) as started:
        yield started


@pytest.fixture
def lean_runner(runner: Runner) -> Runner:
    """A runner whose memory says something."""
    if runner.rss_floor_bytes > SANITIZED_BYTES:
        pytest.skip("a runner built with sanitizers is large, and every child inherits its peak")
    return runner


@pytest.fixture
def sh(tmp_path: Path) -> Callable[..., Launch]:
    """``sh(script, …)``: a launch of a shell script in ``tmp_path``."""

    def launch(script: str, **fields: object) -> Launch:
        inputs: dict[str, Any] = {"env": ("PATH=/usr/bin:/bin",), "cwd": str(tmp_path), **fields}
        return Launch("/bin/sh", ("sh", "-c", script), **inputs)

    return launch


@pytest.fixture
def run_one(runner: Runner, journal: Path) -> Callable[[Launch], RawTrial]:
    """``run_one(launch)``: runs it once and returns what the journal says."""

    def run(launch: Launch) -> RawTrial:
        assert runner.run([TrialOrder(1, runner.define(launch))]) == 1
        return read_journal(journal)[0][-1]

    return run


@pytest.fixture
def run_past(
    run_one: Callable[[Launch], RawTrial], sh: Callable[..., Launch], tmp_path: Path
) -> Callable[[str], RawTrial]:
    """``run_past(script)``: runs it to a time limit that is long enough for it to have made a file
    ``there``.
    """

    def run(script: str) -> RawTrial:
        for limit_ms in (50, 500, 5_000, 50_000):
            trial = run_one(sh(script, timeout_ns=limit_ms * 1_000_000))
            if (tmp_path / "there").exists():
                return trial
        raise AssertionError(f"within {limit_ms} ms, this did not begin: {script}")

    return run


@pytest.fixture
def mark() -> str:
    """In the environment of what a test starts, so that it is found wherever it went."""
    return f"test{os.getpid():x}{time.monotonic_ns():x}"


@pytest.fixture
def marked(sh: Callable[..., Launch], mark: str) -> Callable[..., Launch]:
    def launch(script: str, **fields: object) -> Launch:
        return sh(script, env=("PATH=/usr/bin:/bin", f"STEELYARD_TRIAL={mark}-000000000000"), **fields)

    return launch
