"""The performance events of the kernel that a launch may ask for, by name.

Types and configurations are those of ``perf_event_open(2)``. An event that the kernel or the machine refuses
is reported as not available, never as 0.
"""

from __future__ import annotations

from typing import Final

import msgspec

from steelyard.errors import UsageError

_HARDWARE: Final = 0
_SOFTWARE: Final = 1


class CounterEvent(msgspec.Struct, frozen=True):
    """One event.

    Attributes
    ----------
    type, config : int
        As ``struct perf_event_attr`` has them.
    unit : str
        SI unit of the metric: empty for events, ``s`` for clocks.
    scale : float
        What a count is in that unit.
    """

    type: int
    config: int
    unit: str = ""
    scale: float = 1.0


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
}


def find_event(name: str) -> tuple[CounterEvent, bool]:
    """The event of a name, and whether ``:u`` restricts it to user mode, which seldom needs rights.

    Raises
    ------
    UsageError
        No event has this name.
    """
    base, colon, mode = name.partition(":")
    if base not in EVENTS or (colon and mode != "u"):
        known = ", ".join(EVENTS)
        raise UsageError(
            f"unknown counter {name!r}", hint=f"one of {known}; with :u behind it for user mode only"
        )
    return EVENTS[base], bool(colon)
