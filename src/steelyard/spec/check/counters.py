"""``counters``: which kernel events a spec may ask for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from steelyard.counters import EVENTS
from steelyard.spec.text.origin import Origin, Path
from steelyard.units import BUILTIN

COUNTERS: Final = tuple(name for name in EVENTS if name not in BUILTIN)
"""Names of the events that no trial has anyway; whether this machine has them is seen when they are read."""

USER_MODE: Final = ":u"
"""Behind a name: count in user mode only, which needs no rights on most machines."""


def check_counters(names: Sequence[str], origin: Origin, path: Path) -> None:
    """Refuse unknown events, those that every trial has, and repeated ones.

    Raises
    ------
    SpecError
    """
    for i, name in enumerate(names):
        base = name.removesuffix(USER_MODE)
        if base in BUILTIN:
            raise origin.error((*path, i), f"{base} is measured in every trial", "leave it out here")
        if base not in COUNTERS:
            raise origin.unknown((*path, i), "counter", base, COUNTERS)
        if name in names[:i]:
            raise origin.error((*path, i), f"{name} is asked for twice", "leave one out")
