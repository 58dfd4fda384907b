"""``argv0_bytes``: the name by which a program is called grows, and with it everything on the stack moves.

The first argument is the path of the program's file, begun with further slashes, which name the same file: a
program that looks for its own file, or that acts by its name, finds what it looks for. The kernel gives a
script its path instead of a first argument, so there the path itself grows.
"""

from __future__ import annotations

from typing import ClassVar, Final

from steelyard.core.units import Scalar
from steelyard.interventions.launch_change import LaunchChange
from steelyard.interventions.shift import STACK_STEP, ByteShift

LARGEST: Final = 3072
"""Bytes: the kernel takes 4095 in a path, and the path itself is one."""


class Argv0Bytes(ByteShift):
    """Bytes by which the first argument grows beyond the path of the program's file."""

    name: ClassVar[str] = "argv0_bytes"
    about: ClassVar[str] = "bytes by which the program's own name (argv[0]) grows, which moves the stack"
    levels_text: ClassVar[str] = f"a whole number of bytes from 0 to {LARGEST}"
    largest: ClassVar[int] = LARGEST
    finer: ClassVar[int] = STACK_STEP

    def change(self, level: Scalar) -> LaunchChange:
        """Return the growth; also of none, since the first argument is then the path."""
        return LaunchChange(argv0_bytes=int(level))
