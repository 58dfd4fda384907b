"""What tests of the runner share: a runner with its journal, and launches of shell scripts."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from steelyard.core.errors import MachineError
from steelyard.run.launch.launch import Launch
from steelyard.run.runner.journal import RawTrial, read_journal
from steelyard.run.runner.runner import Runner, TrialOrder, find_runner

SANITIZED_BYTES = 3 << 20
PROGRAMS = Path(__file__).parents[1] / "programs"
LIBRARIES = Path(__file__).parents[2] / ".cache" / "mpi"
MPI_NAMES = {"openmpi": "Open MPI", "mpich": "MPICH", "impi": "Intel MPI", "smpi": "SimGrid"}


@pytest.fixture(scope="session")
def runner_program() -> Path:
    try:
        return find_runner()
    except MachineError as error:
        pytest.skip(str(error))


def mpi_compiler(library: str) -> list[str]:
    """Words that compile and link a C program for a library; skips the test where it is not set up."""
    prefix = LIBRARIES / library
    compiler = shutil.which("smpicc") if library == "smpi" else str(prefix / "bin" / "mpicc")
    if compiler is None or not Path(compiler).exists():
        pytest.skip(f"{MPI_NAMES[library]} is not set up: ./dev mpi {library}")
    if library != "impi":
        return [compiler]
    # Its wrappers expect an installation elsewhere.
    return [
        "cc",
        f"-I{prefix}/include",
        f"-L{prefix}/lib",
        f"-Wl,-rpath,{prefix}/lib",
        "-Wl,--no-as-needed",
        "-lmpi",
    ]


@pytest.fixture(scope="session")
def mpi_program(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, str], str]:
    """``mpi_program("openmpi", "latency")``: one of ``tests/programs``, compiled for an MPI library, or for
    simulated machines ("smpi").
    """
    directory = tmp_path_factory.mktemp("programs")

    @cache
    def compiled(library: str, name: str) -> str:
        program = directory / f"{name}-{library}"
        words = [*mpi_compiler(library), "-O1", "-o", str(program), str(PROGRAMS / f"{name}.c")]
        subprocess.run(words, check=True, capture_output=True)
        return str(program)

    return compiled


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
        given: dict[str, Any] = {"env": ("PATH=/usr/bin:/bin",), "cwd": str(tmp_path), **fields}
        return Launch("/bin/sh", ("sh", "-c", script), **given)

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
