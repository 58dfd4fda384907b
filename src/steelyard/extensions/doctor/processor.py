"""Checks of the processor's speed, and of the clock that times the trials."""

from __future__ import annotations

from typing import Final

from steelyard.extensions.doctor.finding import Check, HostState
from steelyard.extensions.doctor.results import HostFinding

_GOOD_CLOCKS: Final = ("tsc", "arch_sys_counter", "kvm-clock", "timebase", "riscv_clocksource", "tod")
"""Those that are read without a system call."""
_SLOW_CLOCK_S: Final = 1e-6


def governor(host: HostState) -> HostFinding:
    """Check the frequency governor."""
    name = host.facts.get("governor")
    if name is None:
        return HostFinding(
            "governor",
            "limitation",
            "not shown here (no cpufreq)",
            "The frequency can neither be seen nor held; it may change between blocks, which randomised order"
            " averages out.",
        )
    if name == "performance":
        return HostFinding("governor", "ok", str(name))
    return HostFinding(
        "governor",
        "limitation",
        str(name),
        "Short programs run at whatever frequency the one before left; times drift as the CPU warms up.",
        "cpupower frequency-set --governor performance",
    )


def turbo(host: HostState) -> HostFinding:
    """Check for frequencies above the nominal one."""
    on = host.facts.get("turbo")
    if on is None:
        return HostFinding(
            "turbo", "limitation", "not shown here", "Whether CPUs exceed their nominal speed is not known."
        )
    if not on:
        return HostFinding("turbo", "ok", "off")
    intel = "pstate" in str(host.facts.get("frequency_driver", ""))
    file = "intel_pstate/no_turbo" if intel else "cpufreq/boost"
    return HostFinding(
        "turbo",
        "limitation",
        "on",
        "Speed depends on temperature and on what the other CPUs do.",
        f"echo {int(intel)} > /sys/devices/system/cpu/{file}",
    )


def threads(host: HostState) -> HostFinding:
    """Check for two CPUs on one core."""
    state = host.facts.get("smt")
    if state != "on":
        # Words of the kernel.
        words = {"notsupported": "not supported", "notimplemented": "not there", "forceoff": "off for good"}
        return HostFinding("SMT", "ok", words.get(str(state), str(state or "not there")))
    return HostFinding(
        "SMT",
        "limitation",
        "on: two CPUs share a core",
        "A program is slower while something runs on the other half of its core.",
        "echo off > /sys/devices/system/cpu/smt/control",
    )


def clock(host: HostState) -> HostFinding:
    """Check the clock that times the trials."""
    source = str(host.facts.get("clock_source", "unknown"))
    step_s, cost_s = host.number("clock_step_s"), host.number("clock_cost_s")
    text = source
    text += "" if step_s is None else f", steps of at most {1e9 * step_s:.0f} ns"
    text += "" if cost_s is None else f", at most {1e9 * cost_s:.0f} ns to read"
    if source in _GOOD_CLOCKS and (cost_s is None or cost_s < _SLOW_CLOCK_S):
        return HostFinding("clock", "ok", text)
    better = "tsc" in str(host.facts.get("clock_sources_available", "")).split()
    return HostFinding(
        "clock",
        "limitation",
        text,
        "Reading it costs a system call or more, which is part of every time.",
        "echo tsc > /sys/devices/system/clocksource/clocksource0/current_clocksource" if better else None,
    )


def huge_pages(host: HostState) -> HostFinding:
    """Check transparent huge pages."""
    setting = host.facts.get("huge_pages")
    if setting != "always":
        return HostFinding("huge pages", "ok", str(setting or "not there"))
    return HostFinding(
        "huge pages",
        "limitation",
        "always (depends on memory fragmentation)",
        "Two starts of one program may differ by the cost of page tables.",
        "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled",
    )


def numa(host: HostState) -> HostFinding:
    """Check for memory that moves between nodes."""
    nodes = int(host.number("numa_nodes") or 1)
    if nodes == 1 or not host.facts.get("numa_balancing"):
        return HostFinding("NUMA", "ok", f"{nodes} node" + ("s, pages stay" if nodes > 1 else ""))
    return HostFinding(
        "NUMA",
        "limitation",
        f"{nodes} nodes, and the kernel moves pages between them",
        "Times change while pages move.",
        "sysctl kernel.numa_balancing=0",
    )


CHECKS: Final[tuple[Check, ...]] = (governor, turbo, threads, clock, huge_pages, numa)
