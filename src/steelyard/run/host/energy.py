"""Where this machine counts energy: events of the kernel's power device, else files of powercap.

Both read the same registers (RAPL). The kernel extends the event to 64 bits, which does not wrap; a file of
powercap begins anew after ``max_energy_range_uj``, which the runner allows for once in a trial.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

import msgspec

from steelyard.core.errors import SteelyardError
from steelyard.run.host import files
from steelyard.run.host.event_sources import EVENT_SOURCES, DeviceEvent, find_device_event

DOMAINS: Final = {"pkg": "package", "cores": "core", "ram": "dram", "uncore": "uncore", "psys": "psys"}
"""What counters call a domain, as the kernel's events do but for ``_EVENTS``, and what powercap calls it."""

_EVENTS: Final = {"uncore": "gpu"}
"""The kernel names the uncore domain after its greatest consumer, the graphics unit in the package."""

_POWERCAP: Final = "sys/class/powercap"
_PARANOID: Final = "proc/sys/kernel/perf_event_paranoid"


class EnergyFile(msgspec.Struct, frozen=True):
    """A file of powercap: microjoules, which begin anew after ``range_uj``."""

    path: Path
    range_uj: int


class EnergySource(msgspec.Struct, frozen=True):
    """Where a domain's energy is read: one event, or a file for file package; neither, and the reason."""

    event: DeviceEvent | None = None
    files: tuple[EnergyFile, ...] = ()
    reason: str = ""
    hint: str = ""

    def __str__(self) -> str:
        """Which source it is, its domains and where it wraps around."""
        if self.event is not None:
            return f"perf event, CPU {', '.join(map(str, self.event.cpus))}; 64 bits, does not wrap"
        parts = (f"{file.path}, wraps at {file.range_uj * 1e-6:.0f} J" for file in self.files)
        return "; ".join(parts) or self.reason


def find_energy_source(domain: str, root: Path = Path("/")) -> EnergySource:
    """Return the source of one of ``DOMAINS``, the event before the files.

    Parameters
    ----------
    root : Path
        Where /proc and /sys hang.
    """
    forbidden, event = "", f"energy-{_EVENTS.get(domain, domain)}"
    if (root / EVENT_SOURCES / "power/events" / event).exists():
        if _has_machine_rights(root):
            try:
                return EnergySource(find_device_event(f"power/{event}/", root))
            except SteelyardError as error:
                forbidden = error.message
        else:
            forbidden = "kernel.perf_event_paranoid keeps events of the machine from users"
    zones = _find_zones(domain, root)
    if any(os.access(zone.path, os.R_OK) for zone in zones):
        return EnergySource(files=tuple(zones))
    if zones and not forbidden:
        forbidden = f"{zones[0].path} may be read by root alone"
    if forbidden:
        return EnergySource(reason=forbidden, hint="sysctl kernel.perf_event_paranoid=0, or run as root")
    return EnergySource(reason=f"neither power/{event} nor a powercap zone {DOMAINS[domain]} is here")


def _has_machine_rights(root: Path) -> bool:
    paranoid = files.number(root / _PARANOID)
    return os.geteuid() == 0 or (paranoid is not None and paranoid <= 0)


def _find_zones(domain: str, root: Path) -> list[EnergyFile]:
    zones = []
    for zone in sorted((root / _POWERCAP).glob("intel-rapl:*")):
        name = (files.text(zone / "name") or "").rpartition("-")
        base = name[0] if name[0] and name[2].isdigit() else "-".join(filter(None, name))
        size = files.number(zone / "max_energy_range_uj")
        if base == DOMAINS[domain] and size is not None:
            zones.append(EnergyFile(zone / "energy_uj", size))
    return zones
