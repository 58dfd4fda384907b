"""Build a wheel with the native parts inside, and install and use it where no compiler is: ``./dev wheel``.

The runner inside is linked static; the kernels ask for no newer C and C++ library than manylinux_2_34 has
(Debian 12, Ubuntu 22.04, RHEL 9), and for the Python that built them
(docs/decisions/house/012-wheel.md). Both are checked, not assumed. What the wheel depends on is installed at
the versions of requirements/run.txt, as wheels only.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import struct
import subprocess
import sys
import sysconfig
import tempfile
import zipfile
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
RUNNER: Final = "steelyard/_native/steelyard-runner"
PROGRAMS: Final = (RUNNER,)
PRELOADED: Final = ("steelyard/_native/steelyard-heap.so", "steelyard/_native/steelyard-ranks.so")
SCRIPT: Final = "steelyard/_native/vega.js.gz"
KERNELS: Final = f"steelyard/_kernels{sysconfig.get_config_var('EXT_SUFFIX')}"
TAG: Final = "cp{version}-cp{version}-manylinux_2_34_{machine}"
LATEST: Final = {"GLIBC": (2, 34), "GLIBCXX": (3, 4, 29), "CXXABI": (1, 3, 13)}
"""The newest symbol versions that manylinux_2_34 may ask for (PEP 600, as auditwheel's policy has them)."""

COMPILERS: Final = ("cc", "c++", "gcc", "g++", "clang", "clang++", "cmake", "ninja", "make", "ld", "as")
COMPARISON: Final = ("compare", "--runs", "20", "true", "true")
"""What the installed wheel has to do: the runner, the record, numpy and the kernels all have a part in it."""

_PT_DYNAMIC: Final = 2
_PT_INTERP: Final = 3


class WheelError(Exception):
    """The wheel is not what it calls itself, or does not work."""


def needs_libraries(program: bytes) -> bool:
    """Whether an ELF file for this machine asks for a loader or for shared libraries (gABI 4.1, chapter 5).

    Raises
    ------
    WheelError
        It is no ELF file of 64 bits and little-endian.
    """
    if program[:6] != b"\x7fELF\x02\x01":
        raise WheelError(f"{RUNNER} is no 64-bit ELF program: it begins with {program[:6]!r}")
    (table_at,) = struct.unpack_from("<Q", program, 32)
    size, count = struct.unpack_from("<HH", program, 54)
    kinds = {struct.unpack_from("<I", program, table_at + index * size)[0] for index in range(count)}
    return bool(kinds & {_PT_DYNAMIC, _PT_INTERP})


def too_new(library: bytes) -> list[str]:
    """Symbol versions that a shared library asks for and the tag does not promise."""
    found = set(re.findall(rb"\b(GLIBC|GLIBCXX|CXXABI)_([0-9]+(?:\.[0-9]+)+)\0", library))
    return sorted(
        f"{name.decode()}_{version.decode()}"
        for name, version in found
        if tuple(map(int, version.split(b"."))) > LATEST[name.decode()]
    )


def expected_files() -> set[str]:
    """What the package is made of: everything under version control below src, the native parts."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "src/steelyard"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    ours = (name.removeprefix("src/") for name in listed.stdout.split("\0") if name)
    return {*PROGRAMS, *PRELOADED, SCRIPT, KERNELS, *ours}


def check(wheel: Path, expected: set[str]) -> None:
    """Compare the wheel with what it should be.

    Raises
    ------
    WheelError
        A file is missing or too many, or the runner needs what a manylinux system need not have.
    """
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if name.startswith("steelyard/")}
        if missing := sorted(expected - names):
            raise WheelError(f"{wheel.name} lacks {', '.join(missing)}")
        if strange := sorted(names - expected):
            raise WheelError(f"{wheel.name} holds what is not under version control: {', '.join(strange)}")
        for program in sorted({*PROGRAMS} & names):
            if not archive.getinfo(program).external_attr >> 16 & 0o111:
                raise WheelError(f"{program} in {wheel.name} cannot be executed")
        for library in sorted({KERNELS, *PRELOADED} & names):
            if newer := too_new(archive.read(library)):
                raise WheelError(f"{library} asks for {', '.join(newer)}, which manylinux_2_34 need not have")
        dynamic = [each for each in PROGRAMS if each in names and needs_libraries(archive.read(each))]
        if dynamic:
            raise WheelError(
                f"{dynamic[0]} is linked dynamically, so no wheel for other systems can be made of it:"
                " this machine has no static C library (Debian: libc6-dev)"
            )


def build(into: Path) -> Path:
    """Build the wheel of this machine's architecture; return its path."""
    version = f"{sys.version_info.major}{sys.version_info.minor}"
    tags = TAG.format(version=version, machine=platform.machine())
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-input", "--disable-pip-version-check"]
    options = ["--no-deps", "--no-build-isolation", "--config-settings", f"wheel.tags={tags}"]
    with tempfile.TemporaryDirectory() as name:
        subprocess.run([*pip, *options, "--wheel-dir", name, str(ROOT)], check=True)
        (built,) = Path(name).glob("*.whl")
        into.mkdir(exist_ok=True)
        return Path(shutil.move(built, into / built.name))


def locked_versions(lock: str) -> list[str]:
    """Versions and markers of a lock file, without hashes: a wheel just built can have none in it."""
    return re.findall(r"^[\w.\-]+==[^\\\n]*[^\\\s]", lock, re.MULTILINE)


def install_empty(wheel: Path, place: Path) -> Path:
    """A new environment with the wheel and what it depends on, all from wheels; returns its ``bin``."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", place / "empty"], check=True)
    constraints = place / "constraints.txt"
    constraints.write_text("\n".join(locked_versions((ROOT / "requirements" / "run.txt").read_text())) + "\n")
    binaries = place / "empty" / "bin"
    pip = [
        sys.executable,
        "-m",
        "pip",
        "--python",
        str(binaries / "python"),
        "install",
        "--quiet",
        "--no-input",
    ]
    options = ["--disable-pip-version-check", "--only-binary=:all:", "--constraint", str(constraints)]
    subprocess.run([*pip, *options, str(wheel)], check=True)
    return binaries


def use(binaries: Path, place: Path) -> str:
    """Compare two programs with the installed wheel, in an environment that holds nothing else.

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
    true = shutil.which("true") or "/bin/true"
    (programs / "true").symlink_to(true)
    path = f"{binaries}{os.pathsep}{programs}"
    if found := [name for name in COMPILERS if shutil.which(name, path=path)]:
        raise WheelError(f"the empty environment is not empty: it has {', '.join(found)}")
    done = subprocess.run(
        [binaries / "steelyard", *COMPARISON],
        cwd=place,
        env={"PATH": path, "HOME": str(place), "LANG": "C.UTF-8"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise WheelError(f"steelyard {' '.join(COMPARISON)}: exit code {done.returncode}\n{done.stderr}")
    return done.stdout


def main() -> int:
    """Build, check, install, use."""
    try:
        wheel = build(ROOT / "dist")
        check(wheel, expected_files())
        with tempfile.TemporaryDirectory() as name:
            place = Path(name)
            printed = use(install_empty(wheel, place), place)
    except WheelError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except subprocess.CalledProcessError as error:
        print(f"error: {error.cmd[0]} failed with exit code {error.returncode}", file=sys.stderr)
        return 1
    print(f"$ steelyard {' '.join(COMPARISON)}\n\n{printed}")
    print(f"{wheel.relative_to(ROOT)}: {wheel.stat().st_size / 1e3:.0f} kB, static runner inside;")
    print("installed without a compiler in an empty environment, where it compared true with true as above")
    return 0


if __name__ == "__main__":
    sys.exit(main())
