"""What the machine counts of its troubles: processors that slow down for heat, and pages that are swapped.

Read when a run begins and when it ends; of many CPUs that takes milliseconds.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

import msgspec

from steelyard.core.units import Scalar
from steelyard.run.host import files

OVERHEATED: Final = "heat_throttles"
"""Fact of a run: how often a processor slowed down for heat meanwhile."""
SWAPPED: Final = "swapped_bytes"
"""Fact of a run: bytes that the machine swapped in and out meanwhile, whoever they belong to."""


class MachineCounts(msgspec.Struct, frozen=True):
    """Counts since the machine started; ``None`` is "not reported by this machine".

    Attributes
    ----------
    heat_throttles : int or None
        Of all CPUs and packages (x86).
    swapped_bytes : int or None
        In and out.
    """

    heat_throttles: int | None
    swapped_bytes: int | None

    @classmethod
    def read(cls, root: Path = Path("/")) -> MachineCounts:
        """Return the counts now."""
        return cls(_count_throttles(root), _count_swapped_bytes(root))

    def list_facts_since(self, earlier: MachineCounts) -> dict[str, Scalar]:
        """Return what was counted since an earlier reading, as facts of a run."""
        pairs = {
            OVERHEATED: (earlier.heat_throttles, self.heat_throttles),
            SWAPPED: (earlier.swapped_bytes, self.swapped_bytes),
        }
        return {
            name: max(0, after - before)
            for name, (before, after) in pairs.items()
            if before is not None and after is not None
        }


def _count_throttles(root: Path) -> int | None:
    """Each core's count once for each of its CPUs: that it rose is what counts."""
    names = ("core_throttle_count", "package_throttle_count")
    places = (root / "sys/devices/system/cpu").glob("cpu[0-9]*/thermal_throttle")
    counts = [files.number(place / name) for place in places for name in names]
    numbers = [count for count in counts if count is not None]
    return sum(numbers) if numbers else None


def _count_swapped_bytes(root: Path) -> int | None:
    counts = files.fields(root / "proc/vmstat", " ")
    pages = [counts.get(name, "") for name in ("pswpin", "pswpout")]
    if not all(text.isdecimal() for text in pages):
        return None
    return sum(map(int, pages)) * os.sysconf("SC_PAGESIZE")
