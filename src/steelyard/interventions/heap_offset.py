"""``heap_offset``: what ``malloc`` lends lies further up.

A library that is preloaded takes so many bytes of the heap (``sbrk``) before any other constructor runs. All
levels load it, 0 too, so that only the offset differs. It moves what the C library's ``malloc`` takes of the
heap; large pieces that it maps, and allocators that map everything, stay where they are. A static program
loads no library: that is refused before anything runs.
"""

from __future__ import annotations

from typing import ClassVar, Final

from steelyard.core.units import Scalar
from steelyard.interventions.launch_change import LaunchChange
from steelyard.interventions.shift import ByteShift

LARGEST: Final = 1 << 20
"""Bytes: half of a huge page, below the smallest default limit of a heap."""


class HeapOffset(ByteShift):
    """Bytes by which the heap begins later."""

    name: ClassVar[str] = "heap_offset"
    about: ClassVar[str] = "bytes by which the heap of a dynamically linked program begins later"
    levels_text: ClassVar[str] = f"a whole number of bytes from 0 to {LARGEST}"
    largest: ClassVar[int] = LARGEST

    def change(self, level: Scalar) -> LaunchChange:
        """Return the offset; also of none, since the library is loaded all the same."""
        return LaunchChange(heap_bytes=int(level))
