"""The wheels that a release has: two machines by two kinds of Python."""

from __future__ import annotations

from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).resolve().parents[2]
PLACE: Final = ROOT / "build" / "wheels"
"""Build trees and sysroots, kept from one call to the next."""
GLIBC: Final = (2, 28)
"""The oldest C library of a wheel: that of RHEL 8 and Debian 10."""


class Machine(NamedTuple):
    """A processor architecture, as the kernel, Debian and ELF (e_machine) name it."""

    name: str
    debian: str
    elf: int


class Python(NamedTuple):
    """The Python whose headers a wheel is compiled with, and which then runs it."""

    version: str
    suite: str
    """The Debian release that has it."""
    tag: str
    """The oldest Python of the wheel."""
    abi: str


class Target(NamedTuple):
    """One wheel."""

    machine: Machine
    python: Python

    @property
    def name(self) -> str:
        """For people and folders."""
        return f"{self.python.tag}-{self.machine.name}"

    @property
    def tags(self) -> str:
        """Of the wheel's file name (PEP 425, PEP 600)."""
        glibc = "_".join(map(str, GLIBC))
        return f"{self.python.tag}-{self.python.abi}-manylinux_{glibc}_{self.machine.name}"

    @property
    def soabi(self) -> str:
        """Of a module that is for this Python alone."""
        return f"cpython-{self.python.version.replace('.', '')}-{self.machine.name}-linux-gnu"

    @property
    def kernels(self) -> str:
        """The compiled module inside the wheel."""
        return f"steelyard/_kernels.{'abi3' if self.python.abi == 'abi3' else self.soabi}.so"


MACHINES: Final = (Machine("x86_64", "amd64", 62), Machine("aarch64", "arm64", 183))
PYTHONS: Final = (
    Python("3.11", "bookworm", "cp311", "cp311"),
    Python("3.13", "trixie", "cp312", "abi3"),
)
TARGETS: Final = tuple(Target(machine, python) for machine in MACHINES for python in PYTHONS)
