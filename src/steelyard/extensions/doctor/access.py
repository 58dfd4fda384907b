"""Checks of what Steelyard may observe and control, as tried through the runner."""

from __future__ import annotations

from typing import Final

from steelyard.extensions.doctor.finding import Check, HostState
from steelyard.extensions.doctor.results import HostFinding
from steelyard.interventions import INTERVENTIONS
from steelyard.run.host.control_groups import SCOPE
from steelyard.run.runner.capabilities import HARDWARE, PARANOID, SOFTWARE, has_forbidden_counters
from steelyard.run.runner.counter_facts import ENERGY, TREE


def hardware_counters(host: HostState) -> HostFinding:
    """Check cycles, instructions, misses."""
    missing = _list_missing(host, HARDWARE)
    if not missing:
        return HostFinding("hardware counters", "ok", ", ".join(HARDWARE))
    text = "the hypervisor shows none to its guests" if host.facts.get("virtualization") else "refused"
    return HostFinding(
        "hardware counters",
        "limitation",
        f"{', '.join(missing)}: not available; {text}",
        "Differences cannot be traced to instructions or misses; they are reported as not available, never as"
        " 0.",
        f"sysctl kernel.perf_event_paranoid={PARANOID}" if has_forbidden_counters(host.facts) else None,
    )


def software_counters(host: HostState) -> HostFinding:
    """Check the counters that the kernel keeps itself."""
    missing = _list_missing(host, SOFTWARE)
    if not missing:
        return HostFinding("software counters", "ok", ", ".join(SOFTWARE))
    return HostFinding(
        "software counters",
        "limitation",
        f"{', '.join(missing)}: not available",
        "Faults and switches are known all the same, from the kernel's accounting of each process.",
        f"sysctl kernel.perf_event_paranoid={PARANOID}",
    )


def check_process_tree(host: HostState) -> HostFinding:
    """Check whether CPU time and memory are known of processes that nobody waits for."""
    missing = _list_missing(host, TREE)
    sources = [str(host.facts.get(f"{name}_source", "refused by the kernel")) for name in missing]
    if not missing:
        return HostFinding("process tree", "ok", f"{', '.join(TREE)} by a control group for each trial")
    return HostFinding(
        "process tree",
        "limitation",
        "; ".join(f"{name}: {source}" for name, source in zip(missing, sources, strict=True)),
        "cpu_s and rss_bytes are those of processes that were waited for, rss_bytes of the largest of them.",
        SCOPE if any("cgroup" in source and "v1" not in source for source in sources) else None,
    )


def check_energy(host: HostState) -> HostFinding:
    """Check of which domains energy is counted, and by what."""
    sources = {name: str(host.facts.get(f"{name}_source", "")) for name in ENERGY}
    able = {name: source for name, source in sources.items() if "wrap" in source}
    if able:
        named = "; ".join(f"{name} ({source})" for name, source in able.items())
        return HostFinding("energy", "ok", named)
    return HostFinding(
        "energy",
        "limitation",
        sources[ENERGY[0]] or "not looked at",
        "Joules are not available, and no other metric replaces them.",
        "sysctl kernel.perf_event_paranoid=0" if "paranoid" in sources[ENERGY[0]] else None,
    )


def address_randomisation(host: HostState) -> HostFinding:
    """Check whether a context can be held."""
    if host.facts.get("aslr") == 0:
        return HostFinding(
            "address randomisation",
            "limitation",
            "off for the whole system",
            "Every start has the same addresses: measurements hold for one context only, unless contexts"
            " are drawn (--contexts).",
            "sysctl kernel.randomize_va_space=2",
        )
    if host.facts.get("aslr_can_be_off"):
        return HostFinding("address randomisation", "ok", "can be switched off for one program")
    return HostFinding(
        "address randomisation",
        "limitation",
        "cannot be switched off; the filter of a container refuses it",
        "Contexts cannot be held or drawn: aslr = off and --contexts are refused.",
        "docker run --security-opt seccomp=unconfined …",
    )


def affinity(host: HostState) -> HostFinding:
    """Check whether programs can be pinned to CPUs."""
    cpus, online = host.cpus, int(host.number("cpus_online") or host.cpus)
    text = f"programs can be given CPUs, {cpus} of {online} usable"
    if not host.facts.get("affinity_can_be_set"):
        return HostFinding(
            "affinity",
            "limitation",
            "programs cannot be given CPUs",
            "The factor affinity is refused, and programs wander between CPUs.",
        )
    if cpus > 1:
        return HostFinding("affinity", "ok", text)
    return HostFinding(
        "affinity",
        "limitation",
        text,
        "The program shares its one CPU with everything else; programs with threads show no gain.",
        f"taskset --cpu-list 0-{online - 1} steelyard …" if online > 1 else None,
    )


def queue_wait(host: HostState) -> HostFinding:
    """Check whether the time that a program is ready but has no CPU is known."""
    if host.facts.get("queue_wait_available"):
        return HostFinding("run-queue wait", "ok", "recorded with each trial")
    return HostFinding(
        "run-queue wait",
        "limitation",
        "this kernel keeps no schedstat",
        "Which trials were disturbed is not known.",
        "sysctl kernel.sched_schedstats=1",
    )


def tick(host: HostState) -> HostFinding:
    """Accounting at ticks."""
    hertz = int(host.number("clock_tick_hz") or 100)
    return HostFinding(
        "accounting",
        "ok",
        f"user and system time apart are sampled at ticks (reported in 1/{hertz} s); their sum is exact",
    )


def compiler(host: HostState) -> HostFinding:
    """Look for a compiler, which [build] and the demo need."""
    if host.facts.get("compiler_available"):
        return HostFinding("compiler", "ok", "cc is there")
    return HostFinding(
        "compiler", "limitation", "no cc", "[build] of C programs and the demo need one.", "apt install gcc"
    )


def changes(host: HostState) -> HostFinding:
    """Check which interventions of a spec can be made."""
    listed = host.facts.get("interventions_missing")
    if listed is None:  # a record of an earlier version
        return HostFinding("changes", "ok", "which can be made was not looked at")
    missing = [text for text in str(listed).split(",") if text]
    texts = [text for text in missing if "=" not in text]
    every = [name for name, kind in INTERVENTIONS.items() if not kind.is_place]
    able = [name for name in every if name not in texts]
    text = f"{len(able)} of {len(every)} can be made: {', '.join(able)}"
    if not missing:
        return HostFinding("changes", "ok", text)
    return HostFinding(
        "changes",
        "limitation",
        f"{text}; not: {', '.join(missing)}",
        "A spec that needs a missing capability ends with exit code 4 before anything runs.",
    )


def _list_missing(host: HostState, names: tuple[str, ...]) -> list[str]:
    available = str(host.facts.get("counters_available", "")).split(",")
    return [name for name in names if name not in available]


CHECKS: Final[tuple[Check, ...]] = (
    hardware_counters,
    software_counters,
    check_process_tree,
    check_energy,
    address_randomisation,
    affinity,
    queue_wait,
    tick,
    compiler,
    changes,
)
