"""What a launch may ask the runner to count, by name: events of the kernel, of devices, the tree, energy.

Types and configurations are those of ``perf_event_open(2)``. What the kernel or the machine refuses is
reported as not available, never as 0.
"""

from __future__ import annotations

import re
from typing import Final, Literal

import msgspec

from steelyard.core.errors import UsageError

_HARDWARE: Final = 0
_SOFTWARE: Final = 1
_DEVICE = re.compile(r"[A-Za-z0-9_-]+/[A-Za-z0-9_.=,-]+/")
_ENERGY = "power/energy-"


class CounterEvent(msgspec.Struct, frozen=True):
    """One event.

    Attributes
    ----------
    type, config : int
        Of an event of the kernel, as ``struct perf_event_attr`` has them.
    unit : str
        SI unit of the metric: empty for events, ``s`` for clocks.
    scale : float
        What a count is in that unit, where the runner has not scaled it.
    source : {"kernel", "device", "energy", "tree"}
        What it is read from; devices describe their events in /sys.
    domain : str
        Of energy.
    """

    type: int = 0
    config: int = 0
    unit: str = ""
    scale: float = 1.0
    source: Literal["kernel", "device", "energy", "tree"] = "kernel"
    domain: str = ""


EVENTS: Final = {
    "cycles": CounterEvent(_HARDWARE, 0),
    "instructions": CounterEvent(_HARDWARE, 1),
    "cache_references": CounterEvent(_HARDWARE, 2),
    "cache_misses": CounterEvent(_HARDWARE, 3),
    "branches": CounterEvent(_HARDWARE, 4),
    "branch_misses": CounterEvent(_HARDWARE, 5),
    "bus_cycles": CounterEvent(_HARDWARE, 6),
    "stalled_cycles_frontend": CounterEvent(_HARDWARE, 7),
    "stalled_cycles_backend": CounterEvent(_HARDWARE, 8),
    "ref_cycles": CounterEvent(_HARDWARE, 9),
    "cpu_clock": CounterEvent(_SOFTWARE, 0, "s", 1e-9),
    "task_clock": CounterEvent(_SOFTWARE, 1, "s", 1e-9),
    "page_faults": CounterEvent(_SOFTWARE, 2),
    "context_switches": CounterEvent(_SOFTWARE, 3),
    "cpu_migrations": CounterEvent(_SOFTWARE, 4),
    "minor_faults": CounterEvent(_SOFTWARE, 5),
    "major_faults": CounterEvent(_SOFTWARE, 6),
    "alignment_faults": CounterEvent(_SOFTWARE, 7),
    "emulation_faults": CounterEvent(_SOFTWARE, 8),
    "tree_cpu_s": CounterEvent(unit="s", source="tree"),
    "tree_memory_bytes": CounterEvent(unit="B", source="tree"),
    **{
        f"energy_{domain}_j": CounterEvent(unit="J", source="energy", domain=domain)
        for domain in ("pkg", "cores", "ram", "uncore", "psys")
    },
}
FORMER_NAMES: Final = {"energy_gpu_j": "energy_uncore_j"}
"""Names in records of earlier versions, and today's: RAPL's uncore is no graphics card."""


def is_counter(name: str) -> bool:
    """Whether a name is one of ``EVENTS`` or has the form of a device's event; without ``:u``."""
    return name in EVENTS or _DEVICE.fullmatch(name) is not None


def find_event(name: str) -> tuple[CounterEvent, bool]:
    """Return the event of a name, today's or a former one, and whether ``:u`` restricts it to user mode.

    That seldom needs rights.

    Raises
    ------
    UsageError
        No event has this name.
    """
    base, colon, mode = name.partition(":")
    event = EVENTS.get(FORMER_NAMES.get(base, base))
    if event is None and _DEVICE.fullmatch(base):
        event = CounterEvent(unit="J" if base.startswith(_ENERGY) else "", source="device")
    if event is None or (colon and mode != "u"):
        text = ", ".join(EVENTS)
        raise UsageError(
            f"unknown counter {name!r}", hint=f"one of {text}; with :u behind it for user mode only"
        )
    if colon and event.source in ("energy", "tree"):
        raise UsageError(f"{base} is not counted in user mode alone", hint=f"write {base}")
    return event, bool(colon)
