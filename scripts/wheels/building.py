"""Build wheels by zig, and a source distribution; compare them with what they should be."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

from wheels.elf import LIBRARIES, Elf
from wheels.failures import WheelError
from wheels.sysroots import make_headers
from wheels.targets import GLIBC, PLACE, ROOT

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wheels.targets import Target

RUNNER: Final = "steelyard/_native/steelyard-runner"
PRELOADED: Final = ("steelyard/_native/steelyard-heap.so", "steelyard/_native/steelyard-ranks.so")
PIP: Final = (sys.executable, "-m", "pip", "--quiet", "--no-input", "--disable-pip-version-check")
OTHER_HOUSES: Final = ("studies/", "workloads/")
"""Folders that a source distribution has nothing of."""


def find_zig() -> Path:
    """The compiler inside of PyPI's ziglang."""
    import ziglang

    return Path(ziglang.__file__).parent / "zig"


def date_of_source() -> dict[str, str]:
    """The environment in which a commit gives the same files again: its date is that of every file inside."""
    if "SOURCE_DATE_EPOCH" in os.environ:
        return dict(os.environ)
    command = ["git", "log", "-1", "--format=%ct"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return {**os.environ, "SOURCE_DATE_EPOCH": done.stdout.strip()}


def zig_definitions(target: Target) -> dict[str, str]:
    """What CMake is told, so that zig compiles modules for the oldest glibc, and programs with musl."""
    machine = target.machine.name
    return {
        "CMAKE_TOOLCHAIN_FILE": str(ROOT / "native" / "zig.cmake"),
        "STEELYARD_ZIG": str(find_zig()),
        "STEELYARD_ZIG_TARGET": f"{machine}-linux-gnu.{'.'.join(map(str, GLIBC))}",
        "STEELYARD_PROGRAM_TARGET": f"{machine}-linux-musl",
    }


def zig_environment() -> dict[str, str]:
    """What zig compiles once, C and C++ libraries too, is kept with the build trees."""
    return {**date_of_source(), "ZIG_GLOBAL_CACHE_DIR": str(PLACE / "zig"), "CMAKE_CXX_COMPILER_LAUNCHER": ""}


def build(target: Target, into: Path) -> Path:
    """Build one wheel; return its path."""
    definitions = {
        **zig_definitions(target),
        "STEELYARD_PYTHON_HEADERS": str(make_headers(target)),
        "STEELYARD_PYTHON_VERSION": target.python.version,
        "STEELYARD_PYTHON_SOABI": target.soabi,
    }
    settings = {
        "wheel.tags": target.tags,
        "build-dir": str(PLACE / target.name),
        "install.strip": "false",  # the linker does it; this machine's program knows no other's files
        **{f"cmake.define.{name}": value for name, value in definitions.items()},
    }
    options = [f"--config-settings={name}={value}" for name, value in settings.items()]
    with tempfile.TemporaryDirectory() as name:
        command = [
            *PIP,
            "wheel",
            "--no-deps",
            "--no-build-isolation",
            *options,
            "--wheel-dir",
            name,
            str(ROOT),
        ]
        subprocess.run(command, env=zig_environment(), check=True)
        (built,) = Path(name).glob("*.whl")
        into.mkdir(exist_ok=True)
        return Path(shutil.move(built, into / built.name))


def build_sdist(into: Path) -> Path:
    """Build the source distribution; return its path.

    Raises
    ------
    WheelError
        It has files of the other houses, or lacks one that a wheel is built from.
    """
    into.mkdir(exist_ok=True)
    program = "import sys; from scikit_build_core.build import build_sdist; print(build_sdist(sys.argv[1]))"
    command = [sys.executable, "-c", program, str(into)]
    done = subprocess.run(command, cwd=ROOT, env=date_of_source(), capture_output=True, text=True, check=True)
    sdist = into / done.stdout.splitlines()[-1]
    with tarfile.open(sdist) as archive:
        names = {member.name.partition("/")[2] for member in archive if member.isfile()}
    check_sdist(names, list_versioned("src", "native", "CMakeLists.txt", "LICENSE", "README.md"))
    return sdist


def check_sdist(names: set[str], expected: Iterable[str]) -> None:
    """Compare the files of a source distribution with what it should have.

    Raises
    ------
    WheelError
        One is missing, or of another house.
    """
    if missing := sorted(set(expected) - names):
        raise WheelError(f"the source distribution lacks {', '.join(missing)}")
    if strange := sorted(name for name in names if name.startswith(OTHER_HOUSES)):
        raise WheelError(f"the source distribution holds {', '.join(strange[:5])}")


def list_versioned(*places: str) -> set[str]:
    """Files under version control."""
    command = ["git", "ls-files", "-z", *places]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return {name for name in listed.stdout.split("\0") if name}


def expected_files(target: Target) -> set[str]:
    """What the package is made of: everything under version control below src, the native parts."""
    ours = {name.removeprefix("src/") for name in list_versioned("src/steelyard")}
    return {RUNNER, *PRELOADED, target.kernels, *ours}


def check(wheel: Path, target: Target, expected: set[str]) -> None:
    """Compare the wheel with what it should be.

    Raises
    ------
    WheelError
        A file is missing or too many, is for another machine, or needs what a manylinux system need not have.
    """
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if name.startswith("steelyard/")}
        if missing := sorted(expected - names):
            raise WheelError(f"{wheel.name} lacks {', '.join(missing)}")
        if strange := sorted(names - expected):
            raise WheelError(f"{wheel.name} holds what is not under version control: {', '.join(strange)}")
        if RUNNER in names and not archive.getinfo(RUNNER).external_attr >> 16 & 0o111:
            raise WheelError(f"{RUNNER} in {wheel.name} cannot be executed")
        for name in sorted({RUNNER, target.kernels, *PRELOADED} & names):
            check_native(name, archive.read(name), target)


def check_native(name: str, content: bytes, target: Target) -> None:
    """Hold one compiled file to what the tag of its wheel promises.

    Raises
    ------
    WheelError
        It is for another machine, or asks for what a system of the tag need not have.
    """
    elf = Elf(name, content)
    promised = target.tags.rpartition("-")[2]
    if elf.machine != target.machine.elf:
        raise WheelError(f"{name} is for ELF machine {elf.machine}, not for {target.machine.name}")
    if name == RUNNER and elf.needs_libraries():
        raise WheelError(f"{name} is linked dynamically: it needs a C library of the target")
    if newer := elf.newer_symbols():
        raise WheelError(f"{name} asks for {', '.join(newer)}, which {promised} need not have")
    if ordered := sorted(set(elf.libraries()) - LIBRARIES):
        raise WheelError(f"{name} loads {', '.join(ordered)}, which {promised} need not have")
