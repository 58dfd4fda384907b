"""Checks of whatever shares the machine: other work, the hypervisor, control groups, memory."""

from __future__ import annotations

from typing import Final

from steelyard.extensions.doctor.finding import Check, HostState
from steelyard.extensions.doctor.results import HostFinding, Weight

_BUSY: Final = 0.25
"""Fraction of the CPUs that other work may use before it is reported."""
_STOLEN: Final = 0.01
_SCARCE: Final = 0.1
"""Fraction of memory that should be free."""


def other_load(host: HostState) -> HostFinding:
    """Check the CPU time of other work while nothing of ours runs."""
    load, cpus = host.load, host.cpus
    busy = load.busy_s / load.elapsed_s
    average = "" if load.load_1m is None else f" (load average {load.load_1m:.1f})"
    text = f"{busy:.1f} of {cpus} CPUs busy with other work{average}"
    if busy <= _BUSY * cpus:
        return HostFinding("other load", "ok", text)
    return HostFinding(
        "other load",
        "problem" if busy > cpus - 0.5 else "limitation",
        text,
        "Single times are too long and vary more, so more blocks are needed. Comparisons stay fair: their"
        " order is random, and the load is stored with each batch.",
        "ps -eo pcpu,pid,comm --sort=-pcpu | head",
    )


def steal(host: HostState) -> HostFinding:
    """Check the CPU time that the hypervisor gave to others."""
    now = host.load.steal_s / (host.load.elapsed_s * host.cpus)
    uptime = host.number("uptime_s") or 0.0
    before = host.number("steal_since_boot_s")
    past = before / (uptime * host.cpus) if before is not None and uptime else 0.0
    text = f"{100 * now:.1f} % of CPU time stolen now, {100 * past:.2f} % since the start"
    if max(now, past) <= _STOLEN:
        return HostFinding("steal", "ok", text)
    return HostFinding(
        "steal",
        "problem" if now > _BUSY else "limitation",
        text,
        "The hypervisor runs others on these CPUs, and a program stands still meanwhile without noticing. No"
        " command here changes that; a dedicated machine does.",
    )


def virtualization(host: HostState) -> HostFinding:
    """Check for a hypervisor and a container."""
    hypervisor, container = host.facts.get("virtualization"), host.facts.get("container")
    inside = " in ".join(str(name) for name in (container, hypervisor) if name)
    if not hypervisor:
        return HostFinding("machine", "ok", f"container: {container}" if container else "bare metal")
    return HostFinding(
        "machine",
        "limitation",
        f"virtual: {inside}",
        "Frequencies, caches and CPUs are shared with guests that are invisible here. Compare within one run,"
        " never across days.",
    )


def cpu_limit(host: HostState) -> HostFinding:
    """Check the CPU quota of the control groups."""
    limit = host.number("cgroup_cpu_limit")
    if limit is None:
        return HostFinding("CPU quota", "ok", "none")
    weight: Weight = "limitation" if limit >= host.cpus else "problem"
    return HostFinding(
        "CPU quota",
        weight,
        f"{limit:g} CPUs by control group, of {host.cpus}",
        "A program that uses more is stopped for the rest of each period, mostly tens of milliseconds: its"
        " time then measures the quota.",
        "docker update --cpus 0 CONTAINER",
    )


def memory(host: HostState) -> HostFinding:
    """Check how much memory is free."""
    total, free = host.number("memory_bytes"), host.number("memory_available_bytes")
    limit = host.number("cgroup_memory_limit_bytes")
    if total is None or free is None:
        return HostFinding(
            "memory", "limitation", "not reported by this kernel", "Whether programs swap is not known."
        )
    text = f"{free / 2**30:.1f} of {total / 2**30:.1f} GiB free"
    text += f", {limit / 2**30:.1f} GiB by control group" if limit is not None else ""
    if free >= _SCARCE * total:
        return HostFinding("memory", "ok", text)
    return HostFinding(
        "memory",
        "problem",
        text,
        "Pages of programs and files are dropped and read again: times measure the disk.",
        "ps -eo rss,pid,comm --sort=-rss | head",
    )


def pressure(host: HostState) -> HostFinding:
    """Check for pressure stall information of the kernel."""
    if host.facts.get("pressure_available"):
        return HostFinding("pressure", "ok", "recorded with each batch (PSI)")
    return HostFinding(
        "pressure",
        "limitation",
        "this kernel keeps no pressure stall information",
        "Waiting for CPU, memory and disk is not recorded beside the batches.",
        "add psi=1 to the kernel's command line",
    )


CHECKS: Final[tuple[Check, ...]] = (other_load, steal, cpu_limit, memory, virtualization, pressure)
