"""The facts of a host that are stored with every run: cheap to read, flat, no environment values."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import chain, pairwise
from pathlib import Path
from typing import Final

from steelyard.core.units import Scalar
from steelyard.run.host import files
from steelyard.run.host.confinement import confinement_facts
from steelyard.run.host.load import HostLoad
from steelyard.run.host.nvidia import NoNvidiaError, read_nvidia
from steelyard.run.host.processor import processor_facts
from steelyard.run.host.system import system_facts

_READINGS: Final = 2000
"""Takes a fifth of a millisecond when the clock is read without a system call, 2 ms when not."""


def host_facts(root: Path = Path("/")) -> dict[str, Scalar]:
    """Hardware, system and settings of this machine. A fact that it does not give is left out, never zero.

    Parameters
    ----------
    root : Path
        Where /proc and /sys hang; another one reads a copy of another machine's.
    """
    readers = (processor_facts, _list_clock_facts, system_facts, confinement_facts, _load_facts)
    facts = chain.from_iterable(read(root) for read in readers)
    host = {name: value for name, value in facts if value is not None}
    try:
        return host | read_nvidia(root)
    except NoNvidiaError:
        return host


def boot_id(root: Path = Path("/")) -> str:
    """Return an id that changes when the machine restarts; without one in the kernel, the time of start."""
    boot = files.text(root / "proc/sys/kernel/random/boot_id")
    return boot or f"started {files.fields(root / 'proc/stat', ' ').get('btime', 'at an unknown time')}"


def _load_facts(root: Path) -> Iterator[tuple[str, Scalar | None]]:
    load = HostLoad.read(root)
    yield "load_1m", load.load_1m
    yield "steal_since_boot_s", load.steal_s
    yield "uptime_s", _compute_uptime_s(root)
    yield "pressure_available", load.cpu_pressure_s is not None


def _compute_uptime_s(root: Path) -> float | None:
    words = (files.text(root / "proc/uptime") or "").split()
    return float(words[0]) if words else None


def _list_clock_facts(root: Path) -> Iterator[tuple[str, Scalar | None]]:
    """Facts of the clock that times trials. Step and cost are upper bounds: Python adds to each reading."""
    source = root / "sys/devices/system/clocksource/clocksource0"
    yield "clock_source", files.text(source / "current_clocksource")
    yield "clock_sources_available", files.text(source / "available_clocksource")
    step_s, cost_s = _compute_clock_step_and_cost()
    yield "clock_step_s", step_s
    yield "clock_cost_s", cost_s


def _compute_clock_step_and_cost() -> tuple[float | None, float]:
    """Return the smallest step seen between two readings, and the mean cost of one.

    ``None`` as the step means that the clock stood still.
    """
    read = time.monotonic_ns
    readings = [read() for _ in range(_READINGS)]
    steps = [later - earlier for earlier, later in pairwise(readings) if later > earlier]
    cost_s = (readings[-1] - readings[0]) / (_READINGS - 1) * 1e-9
    return (min(steps) * 1e-9 if steps else None), cost_s
