"""What tests of the laboratory share beside ``conftest.py`` at the root: clocks, programs, small disks."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

from steelyard.interventions import INTERVENTIONS

PROGRAMS = Path(__file__).parent / "programs"
LIBRARIES = Path(__file__).parents[1] / ".cache" / "mpi"
MPI_NAMES = {"openmpi": "Open MPI", "mpich": "MPICH", "impi": "Intel MPI", "smpi": "SimGrid"}


class Clock:
    """Time that passes only where something says so."""

    def __init__(self) -> None:
        self.ns = 0

    def perf_counter_ns(self) -> int:
        return self.ns

    def perf_counter(self) -> float:
        return self.ns / 1e9


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The clock by which functions are timed."""
    clock = Clock()
    monkeypatch.setattr("steelyard.extensions.pytest.loop.time", clock)
    return clock


@pytest.fixture(scope="session")
def compiler() -> str:
    """The path of the C compiler."""
    result = shutil.which("cc")
    return result or pytest.skip("no C compiler")


@pytest.fixture(scope="session")
def fixed_addresses() -> None:
    """Skips where every run has a layout of its own."""
    if INTERVENTIONS["aslr"].missing("off") is not None:
        pytest.skip("address randomisation cannot be switched off")


def _script(path: Path, text: str) -> str:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return f"./{path.name}"


@pytest.fixture
def sizes(tmp_path: Path) -> tuple[str, str]:
    """Two programs in ``tmp_path``, ``./small`` and ``./large``, that differ in the memory that they use,
    4 and 32 MB: what is found of ``rss_bytes`` depends on no other process.
    """
    read = "exec dd if=/dev/zero of=/dev/null count=1 status=none"
    small, large = (
        _script(tmp_path / name, f"{read} bs={mebibytes}M")
        for name, mebibytes in (("small", 4), ("large", 32))
    )
    return small, large


@pytest.fixture
def held(tmp_path: Path) -> str:
    """A program, ``./held``, that makes a file ``here`` and then runs until there is a file ``go``."""
    return _script(tmp_path / "held", "echo here >> here; while ! [ -e go ]; do sleep 0.01; done")


@pytest.fixture
def mounts(own_mounts: bool) -> Callable[[], list[str]]:
    """``mounts()``: what is mounted in this process's namespace."""
    return lambda: Path("/proc/self/mountinfo").read_text().splitlines() if own_mounts else []


class SmallDisk:
    """A file system of its own that can be filled up, and be turned read-only."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def fill(self, *, leave_bytes: int = 0) -> None:
        """Until only so much is free."""
        with (self.path / "filler").open("wb") as filler:
            free = os.statvfs(self.path)
            filler.write(b"x" * max(0, free.f_bavail * free.f_frsize - leave_bytes))

    def free(self) -> None:
        """Give back what ``fill`` took."""
        (self.path / "filler").unlink()

    def mount(self, options: str) -> None:
        """Mount it anew with other options."""
        subprocess.run(["mount", "-o", f"remount,{options}", str(self.path)], check=True)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[SmallDisk]:
    """2 MB of memory as a disk."""
    path = tmp_path / "disk"
    path.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(path)],
        capture_output=True,
        text=True,
        check=False,
    )
    if mounted.returncode != 0:
        pytest.skip(f"a small disk cannot be mounted here: {mounted.stderr.strip()}")
    yield SmallDisk(path)
    subprocess.run(["umount", "-l", str(path)], check=True)


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
