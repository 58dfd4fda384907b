"""``env_bytes``: the environment grows, and with it everything on the stack moves.

The kernel copies the environment to the top of the new stack, so its length decides where each local variable
lies, modulo a cache line and modulo a page (Mytkowicz et al. 2008, section 3, DOI
10.1109/IPDPS.2008.4536408).
"""

from __future__ import annotations

from typing import ClassVar, Final

from steelyard.core.units import Scalar
from steelyard.interventions.launch_change import LaunchChange
from steelyard.interventions.shift import STACK_STEP, ByteShift

LARGEST: Final = 65536
"""Bytes: the largest page that Linux has, and well below the 128 KiB that it takes in one variable
(``execve(2)``)."""


class EnvBytes(ByteShift):
    """Bytes by which the environment grows."""

    name: ClassVar[str] = "env_bytes"
    about: ClassVar[str] = "bytes by which the environment grows, which moves the stack"
    levels_text: ClassVar[str] = f"a whole number of bytes from 0 to {LARGEST}"
    largest: ClassVar[int] = LARGEST
    finer: ClassVar[int] = STACK_STEP

    def change(self, level: Scalar) -> LaunchChange:
        """Return the growth."""
        return LaunchChange(env_bytes=int(level))
