"""What pip cannot install: Debian's packages, known by what they give."""

from __future__ import annotations

import os
import shutil
import subprocess
from importlib.util import find_spec
from pathlib import Path
from sysconfig import get_path
from typing import TYPE_CHECKING, NamedTuple

from door.stages import DevError, quietly, say

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


class Need(NamedTuple):
    """Something that pip cannot install: its name, its Debian package, and how to see that it is there."""

    name: str
    package: str
    present: Callable[[], bool]


def has_header(name: str) -> bool:
    """Whether the C++ compiler, which alone knows its search path, finds the header."""
    compiler = shutil.which("c++")
    if compiler is None:
        return False
    probe = f"#if !__has_include(<{name}>)\n#error\n#endif\n"
    done = subprocess.run(
        [compiler, "-E", "-x", "c++", "-"], input=probe.encode(), capture_output=True, check=False
    )
    return done.returncode == 0


def has_library(name: str) -> bool:
    """Whether the C++ compiler finds the static library: its headers may come from another package."""
    compiler = shutil.which("c++")
    if compiler is None:
        return False
    # The compiler repeats the name where it finds no such file.
    command = [compiler, f"-print-file-name=lib{name}.a"]
    process = subprocess.run(command, capture_output=True, text=True, check=False)
    return Path(process.stdout.strip()).is_absolute()


VENV_MODULE = Need("Python's venv with pip", "python3-venv", lambda: find_spec("ensurepip") is not None)
COMPILER = Need("a C++ compiler", "g++", lambda: shutil.which("c++") is not None)
C_COMPILER = Need("a C compiler", "gcc", lambda: shutil.which("cc") is not None)
MAKE = Need("make", "make", lambda: shutil.which("make") is not None)
PERF = Need("perf", "linux-perf", lambda: shutil.which("perf") is not None)
VALGRIND = Need("valgrind", "valgrind", lambda: shutil.which("valgrind") is not None)
MOUNT = Need("mount", "mount", lambda: shutil.which("mount") is not None)
GNU_TIME = Need("GNU time", "time", lambda: shutil.which("/usr/bin/time") is not None)
HEADERS = Need("Python's headers", "python3-dev", lambda: Path(get_path("include"), "Python.h").exists())
GOOGLETEST = Need("GoogleTest", "libgtest-dev", lambda: has_header("gtest/gtest.h"))
SIMGRID = Need("SimGrid", "libsimgrid-dev", lambda: shutil.which("smpicxx") is not None)
CLI11 = Need("CLI11", "libcli11-dev", lambda: has_header("CLI/CLI.hpp"))
PDQSORT = Need("Boost's sorts", "libboost-dev", lambda: has_header("boost/sort/pdqsort/pdqsort.hpp"))
CONTEXT = Need("Boost.Context", "libboost-context-dev", lambda: has_library("boost_context"))
IPS4O = Need("IPS4o", "libips4o-dev", lambda: has_header("ips4o.hpp"))
VQSORT = Need("Highway's vqsort", "libhwy-dev", lambda: has_header("hwy/contrib/sort/vqsort.h"))
GOOGLE_BENCHMARK = Need("Google Benchmark", "libbenchmark-dev", lambda: has_header("benchmark/benchmark.h"))
CHROMIUM = Need("Chromium", "chromium", lambda: shutil.which("chromium") is not None)
SLURM = Need(
    "Slurm",
    "slurmctld slurmd slurm-client munge",
    lambda: all(
        shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin") for name in ("slurmctld", "munged")
    ),
)
SSHD = Need(
    "sshd",
    "openssh-server openssh-client iproute2",
    lambda: all(
        shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin:/sbin") for name in ("sshd", "ssh", "ip")
    ),
)
JSON = Need("nlohmann-json", "nlohmann-json3-dev", lambda: has_header("nlohmann/json.hpp"))

QEMU = Need("QEMU for programs", "qemu-user", lambda: shutil.which("qemu-aarch64") is not None)
DPKG = Need("Debian's archiver", "dpkg", lambda: shutil.which("dpkg-deb") is not None)

TO_RUN = (COMPILER, C_COMPILER, HEADERS)
TO_TEST = (*TO_RUN, MAKE, GOOGLETEST, MOUNT, VALGRIND, PERF, GNU_TIME, CHROMIUM, GOOGLE_BENCHMARK)
TO_PACKAGE = (GOOGLETEST, QEMU, DPKG)
FOR_MPI = (COMPILER, C_COMPILER, GOOGLETEST, SIMGRID, CLI11, JSON, CONTEXT, PDQSORT, IPS4O, VQSORT)


def ensure_system(needs: Iterable[Need]) -> None:
    """Install what is missing where that is allowed; otherwise name the one command that does (exit 4)."""
    missing = [need for need in needs if not need.present()]
    if not missing:
        return
    packages = " ".join(need.package for need in missing)
    lacks = "this machine lacks " + ", ".join(need.name for need in missing)
    if not Path("/etc/debian_version").exists() or shutil.which("apt-get") is None:
        raise DevError(lacks, hint=f"install what Debian calls {packages}, then try again")
    # A new machine has no lists, an old one stale ones; any other is spared the update.
    no_lists = not any(Path("/var/lib/apt/lists").glob("*_Packages*"))
    if os.geteuid() != 0:
        update = "sudo apt-get update && " if no_lists else ""
        raise DevError(lacks, hint=f"{update}sudo apt-get install -y {packages}")
    say(f"{lacks}: installing {packages}")
    if no_lists or not apt_get("install", packages):
        apt_get("update")
        if not apt_get("install", packages):
            raise DevError(f"{lacks}, and apt-get could not install it", hint=f"apt-get install {packages}")
    if still := [need.name for need in missing if not need.present()]:
        raise DevError(f"{packages} is installed, and yet this machine lacks {', '.join(still)}")


def apt_get(verb: str, packages: str = "") -> bool:
    """Whether ``apt-get VERB PACKAGES`` succeeded; it waits for another installer to end."""
    options = ["-y", "-qq", "--no-install-recommends", "-o", "DPkg::Lock::Timeout=300"]
    env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    command = ["apt-get", verb, *options, *packages.split()]
    return quietly(f"apt-get {verb} {packages}", [command], env=env, fatal=False).passed
