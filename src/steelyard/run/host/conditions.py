"""Conditions of a run: settings and limits of the machine that change how long programs take.

Read before and after a batch, never while a trial runs. ``compare_conditions`` compares batch with batch, run
with run, record with record, records of a history and files of other tools.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Final

import msgspec

from steelyard.core.units import Scalar, format_quantity
from steelyard.run.host import files
from steelyard.run.host.confinement import compute_cpu_limit, find_own_groups

THROTTLED: Final = "throttled_s"
"""Fact of a run: for how long a CPU quota stopped the control groups of its programs, summed over CPUs."""
WORDS: Final[Mapping[str, str]] = {
    "hostname": "hostname",
    "cpu_model": "cpu_model",
    "cpu_microcode": "microcode",
    "kernel": "kernel",
    "cpus_online": "CPUs online",
    "cpus_usable": "number of CPUs that programs may use",
    "cpus": "CPUs that programs may use",
    "nice": "nice value",
    "policy": "scheduling policy",
    "cgroup_cpu_limit": "CPU quota (CPUs)",
    "cgroup_memory_limit_bytes": "memory limit",
    "governor": "governor",
    "turbo": "turbo",
    "smt": "SMT",
    "huge_pages": "huge pages",
    "numa_balancing": "NUMA balancing",
    "aslr": "randomize_va_space",
    "swap_bytes": "swap",
    "virtualization": "virtualization",
    # As files of other tools say it.
    "host": "host",
    "cpu": "CPU",
    "arch": "architecture",
    "os": "system",
    "runtime": "runtime",
    "compiler": "compiler",
}
"""Facts of a run that are conditions, and what a person calls each."""
HOST_NAMES: Final = frozenset({"hostname", "host"})
"""Conditions that build servers draw for every job, and containers of one machine have of their own."""
LIMITS: Final = frozenset({"cgroup_cpu_limit", "cgroup_memory_limit_bytes"})
"""Facts that are left out where there is no limit."""
_POLICIES: Final = {0: "other", 1: "fifo", 2: "rr", 3: "batch", 5: "idle", 6: "deadline"}


class Difference(msgspec.Struct, frozen=True):
    """A condition that is not the same: its fact, what that is called, and both values in words."""

    fact: str
    name: str
    old: str
    new: str


class Conditions(msgspec.Struct, frozen=True):
    """Conditions of the runner, which its programs inherit.

    Attributes
    ----------
    cpus : str or None
        That it may run on, "0-3,8"; ``None`` where each trial has its own.
    nice : int
    policy : str
        Of the scheduler.
    cgroup_cpu_limit : float or None
        CPUs that the tightest quota of its control groups allows at a time; ``None`` without a quota.
    throttled_s : float or None
        For which quotas have stopped these groups since they were made, whoever was in them, summed over
        CPUs; ``None`` where the kernel does not say.
    """

    cpus: str | None
    nice: int
    policy: str
    cgroup_cpu_limit: float | None
    throttled_s: float | None

    def facts(self) -> dict[str, Scalar]:
        """Return the settings as facts of a run."""
        facts = {
            "cpus": self.cpus,
            "nice": self.nice,
            "policy": self.policy,
            "cgroup_cpu_limit": self.cgroup_cpu_limit,
        }
        return {name: fact for name, fact in facts.items() if fact is not None}


class ConditionReader:
    """Reads the conditions of a process.

    Parameters
    ----------
    pid : int
        By default this process.
    root : Path
        Where /proc and /sys hang.
    """

    def __init__(self, pid: int = 0, root: Path = Path("/")) -> None:
        self._pid = pid
        # A group without either file has no quota, as the topmost; it gets none while it is in use.
        self._groups = [group for group in find_own_groups(root) if _read_throttled_s(group) is not None]

    def read(self) -> Conditions:
        """Return the conditions now; takes less than a tenth of a millisecond.

        Raises
        ------
        ProcessLookupError
            The process is gone.
        """
        limits = [limit for group in self._groups if (limit := compute_cpu_limit(group)) is not None]
        throttled = [s for group in self._groups if (s := _read_throttled_s(group)) is not None]
        policy = os.sched_getscheduler(self._pid)
        return Conditions(
            cpus=format_cpus(os.sched_getaffinity(self._pid)),
            nice=os.getpriority(os.PRIO_PROCESS, self._pid),
            policy=_POLICIES.get(policy, str(policy)),
            cgroup_cpu_limit=min(limits, default=None),
            throttled_s=sum(throttled) if throttled else None,
        )


def compare_conditions(
    old: Mapping[str, Scalar], new: Mapping[str, Scalar], facts: Collection[str] = WORDS
) -> list[Difference]:
    """Return the conditions that differ between two batches, runs or records, as far as both know them.

    Parameters
    ----------
    facts : collection of str
        Facts that are compared, of ``WORDS``; by default all.
    """
    differences = []
    for name in facts:
        if name == "cpus_usable" and "cpus" in old and "cpus" in new:
            continue
        is_comparable = name in old or name in new if name in LIMITS else name in old and name in new
        if is_comparable and old.get(name) != new.get(name):
            before, after = _format(name, old.get(name)), _format(name, new.get(name))
            differences.append(Difference(name, WORDS[name], before, after))
    return differences


def format_cpus(cpus: set[int]) -> str:
    """Return numbers of CPUs as the kernel writes them: ``0-3,8``."""
    runs: list[list[int]] = []
    for cpu in sorted(cpus):
        if runs and cpu == runs[-1][1] + 1:
            runs[-1][1] = cpu
        else:
            runs.append([cpu, cpu])
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in runs)


def _format(name: str, value: Scalar | None) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "on" if value else "off"
    if name.endswith("_bytes"):
        return format_quantity(float(value), "B", 3)
    return f"{value:g}" if isinstance(value, float) else str(value)


def _read_throttled_s(group: Path) -> float | None:
    """Read for how long a quota has stopped a group; ``None`` where the kernel does not count that."""
    for line in (files.text(group / "cpu.stat") or "").splitlines():
        name, _, number = line.partition(" ")
        if name == "throttled_usec":
            return int(number) * 1e-6
        if name == "throttled_time":  # version 1
            return int(number) * 1e-9
    return None
