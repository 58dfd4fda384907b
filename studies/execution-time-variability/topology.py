"""The processors of this machine as lines of text: packages, cores, and the caches that they share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

SYSTEM: Final = Path("/sys/devices/system/cpu")
KINDS: Final = {"Data": "d", "Instruction": "i", "Unified": ""}


def read(path: Path) -> str:
    """Return the contents of a file of sysfs without the line feed; empty where the kernel has it not."""
    try:
        return path.read_text(encoding="ascii").strip()
    except OSError:
        return ""


def read_caches(cpu: Path) -> dict[str, list[str]]:
    """Name the caches of a CPU, by the list of CPUs that share them."""
    caches: dict[str, list[str]] = {}
    for index in sorted(cpu.glob("cache/index[0-9]*")):
        kind = KINDS.get(read(index / "type"), "")
        name = f"L{read(index / 'level')}{kind} {read(index / 'size')}"
        caches.setdefault(read(index / "shared_cpu_list"), []).append(name)
    return caches


def draw_topology(system: Path = SYSTEM) -> Iterator[str]:
    """Yield a line for each package, with the caches that its cores share, and below it one for each core."""
    cpus = sorted(system.glob("cpu[0-9]*"), key=lambda cpu: int(cpu.name[3:]))
    packages: dict[str, dict[str, list[Path]]] = {}
    for cpu in cpus:
        cores = packages.setdefault(read(cpu / "topology" / "physical_package_id"), {})
        cores.setdefault(read(cpu / "topology" / "thread_siblings_list"), []).append(cpu)
    for package, cores in packages.items():
        shared = {
            f"{', '.join(names)} for CPUs {sharers}"
            for threads in cores.values()
            for sharers, names in read_caches(threads[0]).items()
            if sharers not in cores
        }
        yield ": ".join(filter(None, (f"package {package}", "; ".join(sorted(shared)))))
        for siblings, threads in cores.items():
            own_caches = read_caches(threads[0]).get(siblings, [])
            core = read(threads[0] / "topology" / "core_id")
            yield f"  core {core}: {', '.join(filter(None, (f'CPU {siblings}', *own_caches)))}"
