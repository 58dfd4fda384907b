"""What shares the machine with the experiment: other work, the hypervisor, control groups, memory."""

from __future__ import annotations

from typing import Final

from steelyard.lab.doctor.finding import Check, Finding, HostState, Weight

_BUSY: Final = 0.25
"""Share of the CPUs that others may use before it is worth a word."""
_STOLEN: Final = 0.01
_SCARCE: Final = 0.1
"""Share of memory that should be free."""


def other_load(host: HostState) -> Finding:
    """CPU time that others use while nothing of ours runs."""
    load, cpus = host.load, host.cpus
    busy = load.busy_s / load.elapsed_s
    average = "" if load.load_1m is None else f" (load average {load.load_1m:.1f})"
    found = f"{busy:.1f} of {cpus} CPUs busy with other work{average}"
    if busy <= _BUSY * cpus:
        return Finding("other load", "ok", found)
    return Finding(
        "other load",
        "problem" if busy > cpus - 0.5 else "limitation",
        found,
        "Single times are too long and vary more, so more blocks are needed. Comparisons stay fair: their"
        " order is random, and the load is stored with each batch.",
        "ps -eo pcpu,pid,comm --sort=-pcpu | head",
    )


def steal(host: HostState) -> Finding:
    """CPU time that the hypervisor gave to others."""
    now = host.load.steal_s / (host.load.elapsed_s * host.cpus)
    uptime = host.number("uptime_s") or 0.0
    before = host.number("steal_since_boot_s")
    past = before / (uptime * host.cpus) if before is not None and uptime else 0.0
    found = f"{100 * now:.1f} % of CPU time stolen now, {100 * past:.2f} % since the start"
    if max(now, past) <= _STOLEN:
        return Finding("steal", "ok", found)
    return Finding(
        "steal",
        "problem" if now > _BUSY else "limitation",
        found,
        "The hypervisor runs others on these CPUs; a program stands still meanwhile without a sign of its"
        " own. No command here changes that, a machine of one's own does.",
    )


def virtualization(host: HostState) -> Finding:
    """Hypervisor and container."""
    hypervisor, container = host.facts.get("virtualization"), host.facts.get("container")
    inside = " in ".join(str(each) for each in (container, hypervisor) if each)
    if not hypervisor:
        return Finding("machine", "ok", f"container: {container}" if container else "bare metal")
    return Finding(
        "machine",
        "limitation",
        f"virtual: {inside}",
        "Frequencies, caches and CPUs are shared with guests that nobody here sees. Compare within one run,"
        " never across days.",
    )


def cpu_limit(host: HostState) -> Finding:
    """Quota of the control groups."""
    limit = host.number("cgroup_cpu_limit")
    if limit is None:
        return Finding("CPU quota", "ok", "none")
    weight: Weight = "limitation" if limit >= host.cpus else "problem"
    return Finding(
        "CPU quota",
        weight,
        f"{limit:g} CPUs by control group, of {host.cpus}",
        "A program that uses more is stopped for the rest of each period, mostly tens of milliseconds: its"
        " time then measures the quota.",
        "docker update --cpus 0 CONTAINER",
    )


def memory(host: HostState) -> Finding:
    """Memory that is free, and what happens where it is not."""
    total, free = host.number("memory_bytes"), host.number("memory_available_bytes")
    limit = host.number("cgroup_memory_limit_bytes")
    if total is None or free is None:
        return Finding(
            "memory", "limitation", "not said by this kernel", "Whether programs swap is not known."
        )
    found = f"{free / 2**30:.1f} of {total / 2**30:.1f} GiB free"
    found += f", {limit / 2**30:.1f} GiB by control group" if limit is not None else ""
    if free >= _SCARCE * total:
        return Finding("memory", "ok", found)
    return Finding(
        "memory",
        "problem",
        found,
        "Pages of programs and files are dropped and read again: times measure the disk.",
        "ps -eo rss,pid,comm --sort=-rss | head",
    )


def pressure(host: HostState) -> Finding:
    """Pressure stall information of the kernel."""
    if host.facts.get("pressure_available"):
        return Finding("pressure", "ok", "recorded with each batch (PSI)")
    return Finding(
        "pressure",
        "limitation",
        "this kernel keeps no pressure stall information",
        "Waiting for CPU, memory and disk is not recorded beside the batches.",
        "add psi=1 to the kernel's command line",
    )


CHECKS: Final[tuple[Check, ...]] = (other_load, steal, cpu_limit, memory, virtualization, pressure)
