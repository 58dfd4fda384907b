"""``counters``: which kernel events a spec may ask for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from steelyard.spec.origin import Origin, Path, suggest
from steelyard.spec.toml import shown

COUNTERS: Final = (
    "instructions",
    "cycles",
    "branches",
    "branch_misses",
    "cache_references",
    "cache_misses",
    "task_clock",
    "page_faults",
    "context_switches",
    "cpu_migrations",
)
"""Names of the events; whether this machine has them is seen when they are read."""


def check_counters(names: Sequence[str], origin: Origin, path: Path) -> None:
    """Refuse an event that there is none of, and one asked for twice.

    Raises
    ------
    SpecError
    """
    for i, name in enumerate(names):
        if name not in COUNTERS:
            raise origin.error(
                (*path, i), f"there is no counter {shown(name)}", suggest(name, COUNTERS, "counters")
            )
        if name in names[:i]:
            raise origin.error((*path, i), f"{name} is asked for twice", "leave one out")
