"""What sets the speed of the processor, and the clock that it is measured with."""

from __future__ import annotations

from typing import Final

from steelyard.answers.machine import MachineFinding
from steelyard.lab.doctor.finding import Check, Patient

_GOOD_CLOCKS: Final = ("tsc", "arch_sys_counter", "kvm-clock", "timebase", "riscv_clocksource", "tod")
"""Those that are read without a system call."""
_SLOW_CLOCK_S: Final = 1e-6


def governor(patient: Patient) -> MachineFinding:
    """Who chooses the frequency."""
    name = patient.facts.get("governor")
    if name is None:
        return MachineFinding(
            "governor",
            "limits",
            "not shown here (no cpufreq)",
            "The frequency can neither be seen nor held; it may change between blocks, which randomised order"
            " averages out.",
        )
    if name == "performance":
        return MachineFinding("governor", "fine", str(name))
    return MachineFinding(
        "governor",
        "limits",
        str(name),
        "Short programs run at whatever frequency the one before left; times drift as the CPU warms up.",
        "cpupower frequency-set --governor performance",
    )


def turbo(patient: Patient) -> MachineFinding:
    """Frequencies above the nominal one."""
    on = patient.facts.get("turbo")
    if on is None:
        return MachineFinding(
            "turbo", "limits", "not shown here", "Whether CPUs exceed their nominal speed is not known."
        )
    if not on:
        return MachineFinding("turbo", "fine", "off")
    intel = "pstate" in str(patient.facts.get("frequency_driver", ""))
    file = "intel_pstate/no_turbo" if intel else "cpufreq/boost"
    return MachineFinding(
        "turbo",
        "limits",
        "on",
        "Speed depends on temperature and on what the other CPUs do.",
        f"echo {int(intel)} > /sys/devices/system/cpu/{file}",
    )


def threads(patient: Patient) -> MachineFinding:
    """Two CPUs on one core."""
    state = patient.facts.get("smt")
    if state != "on":
        # Words of the kernel.
        said = {"notsupported": "not supported", "notimplemented": "not there", "forceoff": "off for good"}
        return MachineFinding("SMT", "fine", said.get(str(state), str(state or "not there")))
    return MachineFinding(
        "SMT",
        "limits",
        "on: two CPUs share a core",
        "A program is slower while something runs on the other half of its core.",
        "echo off > /sys/devices/system/cpu/smt/control",
    )


def clock(patient: Patient) -> MachineFinding:
    """The clock that times the trials."""
    source = str(patient.facts.get("clock_source", "unknown"))
    step_s, cost_s = patient.number("clock_step_s"), patient.number("clock_cost_s")
    found = source
    found += "" if step_s is None else f", steps of at most {1e9 * step_s:.0f} ns"
    found += "" if cost_s is None else f", at most {1e9 * cost_s:.0f} ns to read"
    if source in _GOOD_CLOCKS and (cost_s is None or cost_s < _SLOW_CLOCK_S):
        return MachineFinding("clock", "fine", found)
    better = "tsc" in str(patient.facts.get("clock_sources_available", "")).split()
    return MachineFinding(
        "clock",
        "limits",
        found,
        "Reading it costs a system call or more, which is part of every time.",
        "echo tsc > /sys/devices/system/clocksource/clocksource0/current_clocksource" if better else None,
    )


def huge_pages(patient: Patient) -> MachineFinding:
    """Transparent huge pages."""
    setting = patient.facts.get("huge_pages")
    if setting != "always":
        return MachineFinding("huge pages", "fine", str(setting or "not there"))
    return MachineFinding(
        "huge pages",
        "limits",
        "always: given where memory happens to be in one piece",
        "Two starts of one program may differ by what the page tables cost.",
        "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled",
    )


def numa(patient: Patient) -> MachineFinding:
    """Memory that moves between nodes."""
    nodes = int(patient.number("numa_nodes") or 1)
    if nodes == 1 or not patient.facts.get("numa_balancing"):
        return MachineFinding("NUMA", "fine", f"{nodes} node" + ("s, pages stay" if nodes > 1 else ""))
    return MachineFinding(
        "NUMA",
        "limits",
        f"{nodes} nodes, and the kernel moves pages between them",
        "Times change while pages move.",
        "sysctl kernel.numa_balancing=0",
    )


CHECKS: Final[tuple[Check, ...]] = (governor, turbo, threads, clock, huge_pages, numa)
