"""What the runner reads for a counter: events of the kernel or a device, energy, a trial's group."""

from __future__ import annotations

from enum import IntEnum
from pathlib import Path

import msgspec

from steelyard.core.counters import CounterEvent, find_event
from steelyard.run.host.control_groups import ControlGroups, find_control_groups, name_trial_group
from steelyard.run.host.energy import EnergySource, find_energy_source
from steelyard.run.host.event_sources import DeviceEvent, find_device_event

JOULES = "Joules"


class CounterSource(IntEnum):
    """Source of a counter, as ``native/runner/launch.hpp`` has it."""

    PROCESS = 0
    PROCESS_USER = 1
    MACHINE = 2
    ENERGY_FILE = 3
    GROUP_CPU = 4
    GROUP_MEMORY = 5


class CounterRequest(msgspec.Struct, frozen=True):
    """One thing to read; the values of those of one name add up.

    Attributes
    ----------
    source : CounterSource
        What is read.
    type, configs : int, tuple of int
        As ``struct perf_event_attr`` has them; of an energy file, the first is where it begins anew.
    cpu : int
        Of an event of the machine.
    scale : float
        What one of the count is in the unit of the counter.
    path : str
        A file, or the directory that becomes a control group; empty: none, and the counter is not available.
    """

    source: CounterSource
    type: int = 0
    configs: tuple[int, int, int] = (0, 0, 0)
    cpu: int = 0
    scale: float = 1.0
    path: str = ""


def build_requests(name: str, root: Path = Path("/")) -> list[CounterRequest]:
    """Return what is read for a counter on this machine. Never empty: what cannot be read is not available.

    Raises
    ------
    UsageError, MachineError
        A device has no such event.
    """
    event, user_only = find_event(name)
    process = CounterSource.PROCESS_USER if user_only else CounterSource.PROCESS
    match event.source:
        case "kernel":
            return [CounterRequest(process, event.type, (event.config, 0, 0))]
        case "device":
            return _build_of_device(find_device_event(name.removesuffix(":u"), root), process)
        case "energy":
            return _build_of_energy(find_energy_source(event.domain, root))
        case "tree":
            return [_build_of_group(event, find_control_groups(root))]


def explain_missing(name: str, root: Path = Path("/")) -> tuple[str, str] | None:
    """Why energy or a tree cannot be counted here, and what helps; ``None`` for events, or unknown."""
    event, _ = find_event(name)
    if event.source == "energy":
        source = find_energy_source(event.domain, root)
        return (source.reason, source.hint) if source.reason else None
    if event.source == "tree":
        groups = find_control_groups(root)
        return (groups.reason, groups.hint) if groups.reason else None
    return None


def _build_of_device(event: DeviceEvent, process: CounterSource) -> list[CounterRequest]:
    # Only energy has a unit here; other counts stay what was counted.
    scale = event.scale if event.unit == JOULES else 1.0
    if not event.cpus:
        return [CounterRequest(process, event.type, event.configs, scale=scale)]
    return [
        CounterRequest(CounterSource.MACHINE, event.type, event.configs, cpu, scale) for cpu in event.cpus
    ]


def _build_of_energy(source: EnergySource) -> list[CounterRequest]:
    if source.event is not None:
        return _build_of_device(source.event, CounterSource.PROCESS)
    return [
        CounterRequest(
            CounterSource.ENERGY_FILE, configs=(file.range_uj, 0, 0), scale=1e-6, path=str(file.path)
        )
        for file in source.files
    ] or [CounterRequest(CounterSource.ENERGY_FILE)]


def _build_of_group(event: CounterEvent, groups: ControlGroups) -> CounterRequest:
    path = "" if groups.base is None else str(name_trial_group(groups.base))
    if event.unit == "s":
        return CounterRequest(CounterSource.GROUP_CPU, scale=1e-6, path=path)
    return CounterRequest(CounterSource.GROUP_MEMORY, path=path)
