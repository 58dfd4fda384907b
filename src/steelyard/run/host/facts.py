"""The facts of a host that are stored with every run: cheap to read, flat, no environment values."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from steelyard.run.host import files
from steelyard.run.host.clock import clock_facts
from steelyard.run.host.confinement import confinement_facts
from steelyard.run.host.load import HostLoad
from steelyard.run.host.processor import processor_facts
from steelyard.run.host.system import system_facts
from steelyard.units import Scalar


def host_facts(root: Path = Path("/")) -> dict[str, Scalar]:
    """What this machine is and how it is set. What it does not say is left out: absence is never zero.

    Parameters
    ----------
    root : Path
        Where /proc and /sys hang; another one reads a copy of another machine's.
    """
    readers = (processor_facts, clock_facts, system_facts, confinement_facts, _load_facts)
    facts = chain.from_iterable(read(root) for read in readers)
    return {name: value for name, value in facts if value is not None}


def boot_id(root: Path = Path("/")) -> str:
    """Changes when the machine restarts; where the kernel has no such id, the time it started at."""
    boot = files.text(root / "proc/sys/kernel/random/boot_id")
    return boot or f"started {files.fields(root / 'proc/stat', ' ').get('btime', 'at an unknown time')}"


def _load_facts(root: Path) -> Iterator[tuple[str, Scalar | None]]:
    load = HostLoad.read(root)
    yield "load_1m", load.load_1m
    yield "steal_since_boot_s", load.steal_s
    yield "uptime_s", _uptime_s(root)
    yield "pressure_available", load.cpu_pressure_s is not None


def _uptime_s(root: Path) -> float | None:
    words = (files.text(root / "proc/uptime") or "").split()
    return float(words[0]) if words else None
