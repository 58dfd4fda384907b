"""Which CPUs lie close to each other, from sysfs."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final, NamedTuple

SYSFS: Final = Path("/sys/devices/system/cpu")
_MOST_CPUS: Final = 8192
"""NR_CPUS of the largest kernels."""


class CpuPlace(NamedTuple):
    """Position of a CPU, from the outermost shell to the innermost, which orders CPUs closest first.

    Attributes
    ----------
    package, die : int
        As the kernel numbers them.
    cache : int
        The smallest CPU that shares the last-level cache.
    core : int
        The smallest CPU of the same core (its thread siblings).
    cpu : int
    """

    package: int
    die: int
    cache: int
    core: int
    cpu: int


def usable_cpus() -> frozenset[int]:
    """Return the CPUs that this process may use."""
    return frozenset(os.sched_getaffinity(0))


def closest_first(cpus: Iterable[int], sysfs: Path = SYSFS) -> tuple[int, ...]:
    """Return the CPUs, each followed by the nearest that is left.

    Siblings are nearest, then CPUs of the same cache, die and package.
    """
    return tuple(place.cpu for place in _get_places(cpus, sysfs))


def farthest_first(cpus: Iterable[int], sysfs: Path = SYSFS) -> tuple[int, ...]:
    """Return the CPUs, the first few as far apart as they can be.

    Packages come in turn, then dies, caches and cores.
    """
    return tuple(place.cpu for place in _get_spread(_get_places(cpus, sysfs), 0))


def _get_places(cpus: Iterable[int], sysfs: Path) -> list[CpuPlace]:
    return sorted(_place(cpu, sysfs / f"cpu{cpu}") for cpu in cpus)


def _place(cpu: int, directory: Path) -> CpuPlace:
    siblings = _compute_cpus(directory / "topology" / "thread_siblings_list") or (cpu,)
    return CpuPlace(
        package=_compute_number(directory / "topology" / "physical_package_id"),
        die=_compute_number(directory / "topology" / "die_id"),
        cache=_find_last_level_cache(directory / "cache"),
        core=siblings[0],
        cpu=cpu,
    )


def _find_last_level_cache(directory: Path) -> int:
    by_level = {
        _compute_number(index / "level"): _compute_cpus(index / "shared_cpu_list")
        for index in directory.glob("index*")
    }
    shared = by_level[max(by_level)] if by_level else ()
    return shared[0] if shared else -1


def _get_spread(places: list[CpuPlace], depth: int) -> list[CpuPlace]:
    """Round robin over the groups of one shell, each spread in the same way within."""
    shells = ("package", "die", "cache", "core")
    if depth == len(shells) or len(places) < 2:
        return places
    groups: dict[int, list[CpuPlace]] = {}
    for place in places:
        groups.setdefault(getattr(place, shells[depth]), []).append(place)
    spread = [_get_spread(group, depth + 1) for group in groups.values()]
    return [group[i] for i in range(max(map(len, spread))) for group in spread if i < len(group)]


def parse_cpu_list(text: str) -> tuple[int, ...]:
    """Return the CPUs of ``"0-3,7"``, ascending, each once.

    Raises
    ------
    ValueError
        Not such a list, or a number that no kernel has.
    """
    cpus: set[int] = set()
    for part in text.split(","):
        match = re.fullmatch(r"\s*([0-9]{1,5})(?:\s*-\s*([0-9]{1,5}))?\s*", part)
        if not match:
            raise ValueError(f"{part.strip()!r} is neither a CPU nor a range of CPUs")
        first, last = int(match[1]), int(match[2] or match[1])
        if last < first:
            raise ValueError(f"the range {part.strip()} runs backwards")
        if last >= _MOST_CPUS:
            raise ValueError(f"CPU {last} does not exist")
        cpus.update(range(first, last + 1))
    return tuple(sorted(cpus))


def format_cpu_list(cpus: Iterable[int]) -> str:
    """Return the shortest text that ``parse_cpu_list`` reads back: ``"0-3,7"``."""
    ranges: list[list[int]] = []
    for cpu in sorted(set(cpus)):
        if ranges and ranges[-1][1] == cpu - 1:
            ranges[-1][1] = cpu
        else:
            ranges.append([cpu, cpu])
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in ranges)


def _compute_number(path: Path) -> int:
    try:
        return int(path.read_text())
    except (OSError, ValueError):
        return -1


def _compute_cpus(path: Path) -> tuple[int, ...]:
    try:
        return parse_cpu_list(path.read_text())
    except (OSError, ValueError):
        return ()
