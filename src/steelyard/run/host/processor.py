"""The CPUs: model, number, caches, and what sets their speed."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator
from pathlib import Path

from steelyard.core.units import Scalar
from steelyard.interventions.topology import parse_cpu_list
from steelyard.run.host import files

_MODEL_NAMES = ("model name", "cpu model", "uarch", "cpu", "Processor")
"""Fields of /proc/cpuinfo that name the model on x86, mips, riscv, powerpc and old arm."""


def processor_facts(root: Path) -> Iterator[tuple[str, Scalar | None]]:
    """Name and value of each fact; ``None`` where this kernel does not say."""
    cpuinfo = files.fields(root / "proc/cpuinfo", ":")
    cpus = root / "sys/devices/system/cpu"
    yield "cpu_architecture", platform.machine()
    yield "cpu_model", next((cpuinfo[name] for name in _MODEL_NAMES if cpuinfo.get(name)), None)
    yield "cpu_microcode", cpuinfo.get("microcode")
    yield "cpus_present", _count(files.text(cpus / "present"))
    yield "cpus_online", _count(files.text(cpus / "online")) or os.cpu_count()
    yield "cpus_usable", len(os.sched_getaffinity(0))
    yield "cpus_isolated", files.text(cpus / "isolated") or None
    yield "smt", files.text(cpus / "smt/control")
    yield "numa_nodes", len(list((root / "sys/devices/system/node").glob("node[0-9]*"))) or None
    yield from _list_cache_facts(cpus / "cpu0/cache")
    yield from _list_speed_facts(cpus)


def _list_cache_facts(caches: Path) -> Iterator[tuple[str, Scalar | None]]:
    for index in sorted(caches.glob("index[0-9]*")):
        kind = {"Data": "d", "Instruction": "i"}.get(files.text(index / "type") or "", "")
        name = f"cache_l{files.number(index / 'level')}{kind}"
        yield f"{name}_bytes", _compute_cache_bytes(files.text(index / "size"))
        yield f"{name}_ways", files.number(index / "ways_of_associativity")
        if kind == "d":
            yield "cache_line_bytes", files.number(index / "coherency_line_size")


def _list_speed_facts(cpus: Path) -> Iterator[tuple[str, Scalar | None]]:
    policy = cpus / "cpu0/cpufreq"
    yield "governor", _take_if_equal(cpus, "cpufreq/scaling_governor")
    yield "frequency_driver", files.text(policy / "scaling_driver")
    for name, file in (("frequency_min_hz", "scaling_min_freq"), ("frequency_max_hz", "scaling_max_freq")):
        kilohertz = files.number(policy / file)
        yield name, None if kilohertz is None else kilohertz * 1000
    boost, no_turbo = files.number(cpus / "cpufreq/boost"), files.number(cpus / "intel_pstate/no_turbo")
    if boost is not None or no_turbo is not None:
        yield "turbo", boost == 1 if boost is not None else no_turbo == 0


def _take_if_equal(cpus: Path, file: str) -> str | None:
    """Return the value that all CPUs share, or all different ones joined by commas."""
    values = {files.text(path) for path in cpus.glob(f"cpu[0-9]*/{file}")} - {None}
    return ",".join(sorted(str(value) for value in values)) or None


def _compute_cache_bytes(size: str | None) -> int | None:
    """Bytes from ``48K`` or ``1M``."""
    digits, unit = (size or "")[:-1], (size or "")[-1:]
    return int(digits) << {"K": 10, "M": 20}[unit] if digits.isdecimal() and unit in ("K", "M") else None


def _count(cpu_list: str | None) -> int | None:
    """Return the number of CPUs in a list such as ``0-3,7``."""
    return len(parse_cpu_list(cpu_list)) if cpu_list else None
