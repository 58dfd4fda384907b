"""Load of the machine: read before and after a batch, never while a trial runs.

Pressure (PSI) is the time in which some task was ready and had to wait: the kernel documents it in
accounting/psi.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

import msgspec

from steelyard.run.host import files


class LoadChange(msgspec.Struct, frozen=True):
    """Activity of the whole machine between two readings; ``None`` is "not reported by this kernel".

    Attributes
    ----------
    elapsed_s : float
        Between the readings.
    busy_s : float
        CPU time spent by everybody, the trials included, summed over the CPUs.
    steal_s : float
        CPU time that the hypervisor gave to others, summed over the CPUs.
    cpu_pressure_s, io_pressure_s, memory_pressure_s : float or None
        Time in which some task waited for a CPU, for input or output, for memory.
    load_1m : float or None
        Load average of the last minute at the later reading.
    """

    elapsed_s: float
    busy_s: float
    steal_s: float
    cpu_pressure_s: float | None
    io_pressure_s: float | None
    memory_pressure_s: float | None
    load_1m: float | None


class HostLoad(msgspec.Struct, frozen=True):
    """Counters of the whole machine since it started; attributes as those of ``LoadChange``."""

    at_s: float
    """Time by the clock that nothing sets back (CLOCK_MONOTONIC)."""
    busy_s: float
    steal_s: float
    cpu_pressure_s: float | None
    io_pressure_s: float | None
    memory_pressure_s: float | None
    load_1m: float | None

    @classmethod
    def read(cls, root: Path = Path("/")) -> HostLoad:
        """Return the counters now; takes about a tenth of a millisecond."""
        busy_s, steal_s = _compute_cpu_seconds(root)
        return cls(
            at_s=time.monotonic(),
            busy_s=busy_s,
            steal_s=steal_s,
            cpu_pressure_s=_compute_pressure_s(root, "cpu"),
            io_pressure_s=_compute_pressure_s(root, "io"),
            memory_pressure_s=_compute_pressure_s(root, "memory"),
            load_1m=_load(root),
        )

    def since(self, earlier: HostLoad) -> LoadChange:
        """Return the increase since an earlier reading of the same boot."""
        return LoadChange(
            elapsed_s=self.at_s - earlier.at_s,
            busy_s=self.busy_s - earlier.busy_s,
            # Some hypervisors let it run backwards (their guests are moved between machines).
            steal_s=max(0.0, self.steal_s - earlier.steal_s),
            cpu_pressure_s=_compute_difference(self.cpu_pressure_s, earlier.cpu_pressure_s),
            io_pressure_s=_compute_difference(self.io_pressure_s, earlier.io_pressure_s),
            memory_pressure_s=_compute_difference(self.memory_pressure_s, earlier.memory_pressure_s),
            load_1m=self.load_1m,
        )


def _compute_difference(later: float | None, earlier: float | None) -> float | None:
    return None if later is None or earlier is None else later - earlier


def _compute_cpu_seconds(root: Path) -> tuple[float, float]:
    """Busy and stolen CPU time of all CPUs: the first line of /proc/stat, where user time includes guests."""
    head = (files.text(root / "proc/stat") or "").split("\n", 1)[0].split()
    ticks = [int(word) for word in head[1:] if word.isdecimal()] + [0] * 8
    user, nice, system, _, _, irq, softirq, steal = ticks[:8]
    per_second = os.sysconf("SC_CLK_TCK")
    return (user + nice + system + irq + softirq) / per_second, steal / per_second


def _compute_pressure_s(root: Path, resource: str) -> float | None:
    words = (files.text(root / "proc/pressure" / resource) or "").split("\n", 1)[0].split()
    total = next((word.removeprefix("total=") for word in words if word.startswith("total=")), "")
    return int(total) * 1e-6 if total.isdecimal() else None


def _load(root: Path) -> float | None:
    words = (files.text(root / "proc/loadavg") or "").split()
    return float(words[0]) if words else None
