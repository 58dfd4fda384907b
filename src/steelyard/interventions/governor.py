"""``governor``: what sets the frequency of the CPUs that the program may use (cpufreq, in sysfs).

This changes the host, since the kernel has no frequency for a single process. What each file held is read,
written to an undo journal, and put back when the run ends, whatever ends it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import ClassVar, Final

from steelyard.core.units import Scalar
from steelyard.interventions.intervention import Intervention
from steelyard.interventions.launch_change import HostSetting, LaunchChange
from steelyard.interventions.topology import SYSFS, usable_cpus

SYSTEM: Final = "system"
_NAMES: Final = ("performance", "powersave", "schedutil", "ondemand", "conservative", "userspace")
"""Those of the kernel (Documentation/admin-guide/pm/cpufreq.rst)."""


class Governor(Intervention):
    """The governor of all CPUs that this process may use."""

    name: ClassVar[str] = "governor"
    about: ClassVar[str] = "CPU frequency governor (changed on the host during the run)"
    levels_text: ClassVar[str] = '"system" (as the host has it) or one of ' + ", ".join(
        f'"{name}"' for name in _NAMES
    )

    def __init__(self, usable: Callable[[], frozenset[int]] = usable_cpus, sysfs: Path = SYSFS) -> None:
        self.usable = usable
        self.sysfs = sysfs

    def check(self, level: Scalar) -> Scalar:
        """Return the name of a governor; see ``Intervention.check``."""
        if level not in (SYSTEM, *_NAMES):
            raise self.make_refusal(level)
        return level

    def missing(self, level: Scalar) -> str | None:
        """Missing here: frequencies that can be set, that governor, or the right."""
        if level == SYSTEM:
            return None
        for file in self._list_files():
            try:
                offered = file.with_name("scaling_available_governors").read_text().split()
            except OSError:
                return f"this machine shows no governors ({file.parent} does not exist)"
            if level not in offered:
                return f"this machine has no governor {level} (it has {', '.join(offered)})"
            if not os.access(file, os.W_OK):
                return f"{file} cannot be written; that needs root, and no container around it"
        return None

    def change(self, level: Scalar) -> LaunchChange:
        """One file for each CPU."""
        if level == SYSTEM:
            return LaunchChange()
        return LaunchChange(host=tuple(HostSetting(str(file), str(level)) for file in self._list_files()))

    def population(self) -> Sequence[Scalar]:
        """Return the setting of the host, and the two that every driver has."""
        return (SYSTEM, "performance", "powersave")

    def _list_files(self) -> list[Path]:
        return [self.sysfs / f"cpu{cpu}" / "cpufreq" / "scaling_governor" for cpu in sorted(self.usable())]
