"""``stack_offset``: the stack moves, and nothing of what a program is told changes.

The kernel keeps the path given to ``execve`` on the new stack, above the environment. Leading slashes make it
longer and name the same file; only ``AT_EXECFN`` of the auxiliary vector shows them. What differs between
levels of ``env_bytes`` and not between those of ``stack_offset`` is therefore due to the environment itself
(a shell copies it, Python reads it), not to where the stack lies. A script is told its path, so there the
arguments of its interpreter grow as well.
"""

from __future__ import annotations

from typing import ClassVar, Final

from steelyard.core.units import Scalar
from steelyard.interventions.launch_change import LaunchChange
from steelyard.interventions.shift import STACK_STEP, ByteShift

LARGEST: Final = 3072
"""Bytes: the kernel takes 4095 in a path, and the path itself is one. Three quarters of a page of 4096."""


class StackOffset(ByteShift):
    """Bytes by which the stack begins lower."""

    name: ClassVar[str] = "stack_offset"
    about: ClassVar[str] = "bytes by which the stack begins lower; arguments and environment stay the same"
    levels_text: ClassVar[str] = f"a whole number of bytes from 0 to {LARGEST}"
    largest: ClassVar[int] = LARGEST
    finer: ClassVar[int] = STACK_STEP

    def change(self, level: Scalar) -> LaunchChange:
        """Return the offset."""
        return LaunchChange(stack_bytes=int(level))
