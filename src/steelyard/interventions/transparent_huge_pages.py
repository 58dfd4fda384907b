"""``transparent_huge_pages``: whether the kernel may give the program huge pages that it did not ask for.

``never`` is a property of the child (``prctl`` PR_SET_THP_DISABLE): the host stays as it is. ``system`` is
what the host does for everybody, which ``doctor`` names.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from steelyard.interventions.launch_change import LaunchChange
from steelyard.interventions.named import Named
from steelyard.units import Scalar


@dataclass(frozen=True, slots=True)
class TransparentHugePages(Named):
    """Huge pages without asking."""

    setting: Path = Path("/sys/kernel/mm/transparent_hugepage/enabled")
    name: ClassVar[str] = "transparent_huge_pages"
    about: ClassVar[str] = "whether the program may get huge pages that it did not ask for"
    levels_text: ClassVar[str] = '"system" (as the host has it) or "never"'
    levels: ClassVar[tuple[str, ...]] = ("system", "never")

    def missing(self, level: Scalar) -> str | None:
        """What this machine lacks: a kernel with huge pages, for any difference to be seen."""
        del level
        return None if self.setting.exists() else f"this kernel has none ({self.setting} does not exist)"

    def change(self, level: Scalar) -> LaunchChange:
        """A flag of the child."""
        return LaunchChange(huge_pages_off=level == "never")
