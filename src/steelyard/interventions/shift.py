"""``ByteShift``: an intervention whose level is a number of bytes by which something moves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final

from steelyard.core.units import Scalar
from steelyard.files.system import PAGE_BYTES
from steelyard.interventions.intervention import Intervention

STACK_STEP: Final = 16
"""Bytes: the kernel starts a program with its stack aligned to this, and malloc aligns what it lends to it,
so only steps of 16 move anything but strings: those of arguments and environment lie at any byte."""


class ByteShift(Intervention):
    """Bytes by which something moves.

    Attributes
    ----------
    largest : int
        The highest level.
    """

    largest: ClassVar[int]

    def __init__(self, page_bytes: int = PAGE_BYTES) -> None:
        self.page_bytes = page_bytes

    def check(self, level: Scalar) -> Scalar:
        """Return the number of bytes; see ``Intervention.check``."""
        if isinstance(level, bool) or not isinstance(level, int) or not 0 <= level <= self.largest:
            raise self.make_refusal(level)
        return level

    def population(self) -> Sequence[Scalar]:
        """Return the residues of a page that can be reached, in steps of the stack's alignment."""
        return range(0, min(self.page_bytes, self.largest), STACK_STEP)

    def place(self, level: Scalar) -> Scalar:
        """Levels count once for each place of the stack: 256 of them in a page of 4096 bytes."""
        return int(level) // STACK_STEP
