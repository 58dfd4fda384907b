"""``transparent_huge_pages``: whether the kernel gives the program huge pages that it did not ask for.

``never`` is a property of the child (``prctl`` PR_SET_THP_DISABLE), and ``system`` is what the host does for
everybody, which ``doctor`` names: neither changes the host. To give them (``always``, or ``madvise`` to who
asks) there is only the setting of the host: what it was is read, written to an undo journal and put back when
the run ends, whatever ends it.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar, Final

from steelyard.core.units import Scalar
from steelyard.interventions.launch_change import HostSetting, LaunchChange
from steelyard.interventions.named import Named

_OF_THE_HOST: Final = ("always", "madvise")


class TransparentHugePages(Named):
    """Huge pages without asking."""

    name: ClassVar[str] = "transparent_huge_pages"
    about: ClassVar[str] = "whether the program gets huge pages that it did not ask for"
    levels_text: ClassVar[str] = (
        '"system" (as the host has it) or "never"; or "always" or "madvise", which change the host'
    )
    levels: ClassVar[tuple[str, ...]] = ("system", "never", "always", "madvise")

    def __init__(self, setting: Path = Path("/sys/kernel/mm/transparent_hugepage/enabled")) -> None:
        self.setting = setting

    def missing(self, level: Scalar) -> str | None:
        """Missing here: huge pages, or the right to set them for everybody."""
        if not self.setting.exists():
            return f"this kernel has none ({self.setting} does not exist)"
        if level in _OF_THE_HOST and not os.access(self.setting, os.W_OK):
            return f"{self.setting} cannot be written; that needs root, and no container around it"
        return None

    def change(self, level: Scalar) -> LaunchChange:
        """Return a flag of the child, or the setting of the host."""
        if level in _OF_THE_HOST:
            return LaunchChange(host=(HostSetting(str(self.setting), str(level)),))
        return LaunchChange(huge_pages_off=level == "never")

    def population(self) -> Sequence[Scalar]:
        """Those that leave the host as it is."""
        return ("system", "never")
