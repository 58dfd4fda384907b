"""Try what was built: install it where nothing else is, compare two programs, test the runner with musl."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

from wheels.building import PIP, RUNNER, zig_definitions, zig_environment
from wheels.failures import WheelError
from wheels.sysroots import make_sysroot
from wheels.targets import GLIBC, PLACE, ROOT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wheels.targets import Machine, Target

COMPILERS: Final = ("cc", "c++", "gcc", "g++", "clang", "clang++", "cmake", "ninja", "make", "ld", "as")
COMPARISON: Final = ("compare", "--runs", "20", "true", "true")
"""What an installed wheel has to do: the runner, the record, numpy and the kernels all have a part in it."""
PROGRAM: Final = "from steelyard.cli import main; main()"
GUEST_S: Final = 600
"""Limit of what an emulator does; a comparison takes it seconds."""

NOT_EMULATED: Final = r"^ProcessTree\."
"""Native tests that QEMU cannot run: it refuses PR_SET_CHILD_SUBREAPER."""


def locked_versions(lock: str) -> list[str]:
    """Versions and markers of a lock file, without hashes: a wheel just built can have none in it."""
    return re.findall(r"^[\w.\-]+==[^\\\n]*[^\\\s]", lock, re.MULTILINE)


def write_constraints(place: Path) -> list[str]:
    """Options of pip: the locked versions, as wheels only."""
    constraints = place / "constraints.txt"
    constraints.write_text("\n".join(locked_versions((ROOT / "requirements" / "run.txt").read_text())) + "\n")
    return ["--only-binary=:all:", "--constraint", str(constraints)]


def install_empty(wheel: Path, place: Path) -> Path:
    """A new environment with the wheel and what it depends on, all from wheels; returns its ``bin``."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", place / "empty"], check=True)
    binaries = place / "empty" / "bin"
    pip = [*PIP, "--python", str(binaries / "python"), "install"]
    subprocess.run([*pip, *write_constraints(place), str(wheel)], check=True)
    return binaries


def install_for(target: Target, wheel: Path, place: Path) -> Path:
    """A folder with the wheel and its dependencies for the target; pip takes only what fits the tag."""
    folder = place / "installed"
    newest, machine = GLIBC[1], target.machine.name
    platforms = [f"manylinux_2_{minor}_{machine}" for minor in range(newest, 16, -1)]
    options = [
        *(f"--platform={item}" for item in (*platforms, f"manylinux2014_{machine}")),
        f"--python-version={target.python.version}",
        "--implementation=cp",
        f"--target={folder}",
    ]
    subprocess.run([*PIP, "install", *options, *write_constraints(place), str(wheel)], check=True)
    return folder


def start_guest(machine: Machine, sysroot: Path) -> list[str]:
    """How this machine starts a program of the other Debian: by its loader, or by QEMU."""
    if machine.name == platform.machine():
        folders = [sysroot / place / f"{machine.name}-linux-gnu" for place in ("lib", "usr/lib")]
        # Not lib64/ld-linux*: in some releases it leads to the loader of this machine.
        loader = next(path for folder in folders for path in sorted(folder.glob("ld-linux*")))
        return [str(loader), "--library-path", ":".join(map(str, folders))]
    return [f"qemu-{machine.name}", "-L", str(sysroot)]


def make_runner(target: Target, installed: Path, place: Path) -> Path:
    """The wheel's runner, or what hands it to QEMU, since the kernel cannot start it."""
    runner = installed / RUNNER
    if target.machine.name == platform.machine():
        return runner
    script = place / "steelyard-runner"
    emulator = shutil.which(f"qemu-{target.machine.name}")
    script.write_text(f'#!/bin/sh\nexec {emulator} "{runner}" "$@"\n')
    script.chmod(0o755)
    return script


def compare_as(target: Target, wheel: Path, place: Path) -> str:
    """Compare two programs with the target's Python and the wheel; return what it printed."""
    sysroot = make_sysroot(target)
    installed = install_for(target, wheel, place)
    python = sysroot / "usr" / "bin" / f"python{target.python.version}"
    variables = {
        "PYTHONPATH": str(installed),
        "PYTHONHOME": str(sysroot / "usr"),
        "STEELYARD_RUNNER": str(make_runner(target, installed, place)),
    }
    return use([*start_guest(target.machine, sysroot), str(python), "-c", PROGRAM], place, variables)


def use(command: Sequence[str], place: Path, variables: dict[str, str] | None = None, also: str = "") -> str:
    """Compare two programs, with a PATH that has ``true``, the folder ``also`` and nothing else.

    Returns
    -------
    str
        What it printed.

    Raises
    ------
    WheelError
        It failed, or a compiler was in reach after all.
    """
    programs = place / "programs"
    programs.mkdir()
    (programs / "true").symlink_to(shutil.which("true") or "/bin/true")
    path = f"{also}{os.pathsep}{programs}" if also else str(programs)
    if compilers := [name for name in COMPILERS if shutil.which(name, path=path)]:
        raise WheelError(f"the empty environment is not empty: it has {', '.join(compilers)}")
    emulator = shutil.which(command[0])
    done = subprocess.run(
        [emulator or command[0], *command[1:], *COMPARISON],
        cwd=place,
        env={"PATH": path, "HOME": str(place), "LANG": "C.UTF-8", **(variables or {})},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=GUEST_S,
    )
    if done.returncode != 0:
        raise WheelError(f"steelyard {' '.join(COMPARISON)}: exit code {done.returncode}\n{done.stderr}")
    return done.stdout


def audit_stable_interface(wheel: Path) -> None:
    """Hold a wheel of the stable interface to it, by the symbols of Python that it asks for (abi3audit)."""
    program = Path(sys.executable).parent / "abi3audit"
    done = subprocess.run([program, "--strict", wheel], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise WheelError(f"abi3audit refuses {wheel.name}:\n{done.stdout}{done.stderr}")


def test_native(target: Target) -> None:
    """Run the runner's own tests by zig, with musl, as in the wheel; those of another machine under QEMU."""
    tree = PLACE / f"tests-{target.machine.name}"
    definitions = {**zig_definitions(target), "STEELYARD_TESTS": "ON", "CMAKE_BUILD_TYPE": "Release"}
    left_out = []
    if target.machine.name != platform.machine():
        definitions["CMAKE_CROSSCOMPILING_EMULATOR"] = shutil.which(f"qemu-{target.machine.name}") or ""
        left_out = ["--exclude-regex", NOT_EMULATED]
    configure = ["cmake", "-G", "Ninja", "-S", str(ROOT), "-B", str(tree)]
    for command in (
        [*configure, *(f"-D{name}={value}" for name, value in definitions.items())],
        ["cmake", "--build", str(tree), "--target", "runner-tests"],
        ["ctest", "--test-dir", str(tree), "--output-on-failure", "--no-tests=error", *left_out],
    ):
        run_quietly(command, zig_environment())


def test_runner(wheel: Path, place: Path) -> None:
    """Run the Python tests of the runner with the wheel's."""
    with zipfile.ZipFile(wheel) as archive:
        native = [name for name in archive.namelist() if name.startswith("steelyard/_native/")]
        archive.extractall(place, native)
    runner = place / RUNNER
    runner.chmod(0o755)
    tests = [sys.executable, "-m", "pytest", "-q", "-n", "0", "tests/run/runner"]
    run_quietly(tests, {**os.environ, "STEELYARD_RUNNER": str(runner)})


def run_quietly(command: Sequence[str], env: dict[str, str]) -> None:
    """Run it, and show what it printed only where it fails.

    Raises
    ------
    WheelError
        It failed.
    """
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise WheelError(f"{' '.join(command[:4])}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
