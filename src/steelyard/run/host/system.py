"""The operating system: kernel, distribution, and those of its settings that move timings."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from steelyard.core.units import Scalar
from steelyard.run.host import files

_SETTINGS: Final = {
    "aslr": "kernel/randomize_va_space",
    "perf_event_paranoid": "kernel/perf_event_paranoid",
    "swappiness": "vm/swappiness",
    "overcommit": "vm/overcommit_memory",
    "numa_balancing": "kernel/numa_balancing",
    "nmi_watchdog": "kernel/nmi_watchdog",
    "autogroup": "kernel/sched_autogroup_enabled",
}
"""Fact to file under /proc/sys."""


def system_facts(root: Path) -> Iterator[tuple[str, Scalar | None]]:
    """Name and value of each fact; ``None`` where this kernel does not say."""
    uname = os.uname()
    yield "hostname", uname.nodename
    yield "kernel", f"{uname.sysname} {uname.release}"
    yield "kernel_version", uname.version
    yield "kernel_arguments_isolate", _get_isolating(files.text(root / "proc/cmdline"))
    yield "distribution", _get_distribution(root)
    yield "libc", " ".join(platform.libc_ver()).strip() or None
    yield "page_bytes", os.sysconf("SC_PAGE_SIZE")
    yield "clock_tick_hz", os.sysconf("SC_CLK_TCK")
    memory = files.fields(root / "proc/meminfo", ":")
    yield "memory_bytes", _compute_kibibytes(memory.get("MemTotal"))
    yield "memory_available_bytes", _compute_kibibytes(memory.get("MemAvailable"))
    yield "swap_bytes", _compute_kibibytes(memory.get("SwapTotal"))
    yield "huge_pages", files.chosen(root / "sys/kernel/mm/transparent_hugepage/enabled")
    for name, file in _SETTINGS.items():
        yield name, files.number(root / "proc/sys" / file)


def _get_distribution(root: Path) -> str | None:
    for file in ("etc/os-release", "usr/lib/os-release"):
        name = files.fields(root / file, "=").get("PRETTY_NAME")
        if name:
            return name.strip("\"'")
    return None


def _get_isolating(arguments: str | None) -> str | None:
    """Those of the kernel's arguments that keep CPUs quiet; others may hold anything, secrets included."""
    prefixes = ("isolcpus=", "nohz_full=", "rcu_nocbs=", "mitigations=", "idle=", "processor.max_cstate=")
    return " ".join(word for word in (arguments or "").split() if word.startswith(prefixes)) or None


def _compute_kibibytes(text: str | None) -> int | None:
    number = (text or "").removesuffix(" kB")
    return int(number) * 1024 if number.isdecimal() else None
