"""``nice``: how much of a busy CPU the program gets (``setpriority(2)``, in the child)."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import ClassVar, Final

from steelyard.core.units import Scalar
from steelyard.interventions.intervention import Intervention
from steelyard.interventions.launch_change import LaunchChange
from steelyard.interventions.rights import CAP_SYS_NICE, has_capability

MOST: Final = 20
"""Nice values go from −20 to 19; what a process may have is 20 − RLIMIT_NICE at the least."""


def lowest_allowed() -> int:
    """Return the lowest nice value that this process may give a child."""
    if has_capability(CAP_SYS_NICE):
        return -MOST
    import resource

    soft, _ = resource.getrlimit(resource.RLIMIT_NICE)
    count = os.getpriority(os.PRIO_PROCESS, 0)
    return min(count, max(-MOST, MOST - soft)) if soft != resource.RLIM_INFINITY else -MOST


class Nice(Intervention):
    """The nice value."""

    name: ClassVar[str] = "nice"
    about: ClassVar[str] = "nice value of the program: how much of a busy CPU it gets"
    levels_text: ClassVar[str] = "a whole number from -20 (most) to 19 (least)"
    keys: ClassVar[frozenset[str]] = frozenset({"nice"})

    def __init__(self, lowest: Callable[[], int] = lowest_allowed) -> None:
        self.lowest = lowest

    def check(self, level: Scalar) -> Scalar:
        """Return the value; see ``Intervention.check``."""
        if isinstance(level, bool) or not isinstance(level, int) or not -MOST <= level < MOST:
            raise self.make_refusal(level)
        return level

    def missing(self, level: Scalar) -> str | None:
        """Missing for the level: the right to be preferred."""
        lowest = self.lowest()
        if int(level) >= lowest:
            return None
        return f"this process may give nice values from {lowest} on; lower ones need CAP_SYS_NICE (root)"

    def change(self, level: Scalar) -> LaunchChange:
        """Return the value."""
        return LaunchChange(nice=int(level))

    def population(self) -> Sequence[Scalar]:
        """Levels from the lowest that this process may set to 19."""
        return range(self.lowest(), MOST)
