"""``env_bytes``: the environment grows, and with it everything on the stack moves.

The kernel copies the environment to the top of the new stack, so its length decides where each local variable
lies, modulo a cache line and modulo a page (Mytkowicz et al. 2008, section 3, DOI
10.1109/IPDPS.2008.4536408).
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from steelyard.errors import UsageError
from steelyard.interventions.intervention import Intervention
from steelyard.interventions.launch_change import LaunchChange
from steelyard.units import Scalar

LARGEST: Final = 65536
"""Bytes: the largest page that Linux has, and well below the 128 KiB that it takes in one variable."""

STACK_STEP: Final = 16
"""Bytes: the kernel starts a program with its stack aligned to this, so only steps of 16 move it."""


@dataclass(frozen=True, slots=True)
class EnvBytes(Intervention):
    """Bytes by which the environment grows."""

    page_bytes: int = os.sysconf("SC_PAGE_SIZE")
    name: ClassVar[str] = "env_bytes"
    about: ClassVar[str] = "bytes by which the environment grows, which moves the stack"
    levels_text: ClassVar[str] = f"a whole number of bytes from 0 to {LARGEST}"

    def check(self, level: Scalar) -> Scalar:
        """The number of bytes; see ``Intervention.check``."""
        if isinstance(level, bool) or not isinstance(level, int) or not 0 <= level <= LARGEST:
            raise UsageError(f"{level!r} is no level of env_bytes", hint=f"write {self.levels_text}")
        return level

    def missing(self, level: Scalar) -> str | None:
        """Nothing: Linux takes 128 KiB of arguments and environment on the smallest stack (``execve(2)``)."""
        del level
        return None

    def change(self, level: Scalar) -> LaunchChange:
        """The growth."""
        return LaunchChange(env_bytes=int(level))

    def population(self) -> Sequence[Scalar]:
        """The residues of a page, in the steps in which the stack can move."""
        return range(0, self.page_bytes, STACK_STEP)

    def refine(self, level: Scalar, fraction: float) -> Scalar:
        """The residue plus 0 to 15 bytes, so that a grid of lengths cannot hide a context."""
        return int(level) + int(fraction * STACK_STEP)
