"""``affinity``: on which CPUs a program runs, and which of its threads is where.

``compact`` and ``scatter`` are for OpenMP programs, which place their own threads: both set the same two
variables, and differ only in the order of the places in ``OMP_PLACES``. Under ``OMP_PROC_BIND=close`` the
i-th thread goes to the i-th place for every number of threads up to that of the places (OpenMP 5.2, section
10.1.3), so the number need not be known here, and the environments of both levels have the same length. A
list of CPUs is a mask on the whole process and works for every program.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import ClassVar

from steelyard.core.errors import UsageError
from steelyard.core.units import Scalar
from steelyard.interventions.intervention import Intervention
from steelyard.interventions.launch_change import LaunchChange
from steelyard.interventions.topology import (
    SYSFS,
    closest_first,
    farthest_first,
    format_cpu_list,
    parse_cpu_list,
    usable_cpus,
)


class Affinity(Intervention):
    """Placement of the threads of a program."""

    name: ClassVar[str] = "affinity"
    about: ClassVar[str] = "CPUs of the program, or the places of its OpenMP threads"
    levels_text: ClassVar[str] = (
        '"none", "compact", "scatter" (for OpenMP programs), or a list of CPUs such as "0-3,7"'
    )
    variables: ClassVar[frozenset[str]] = frozenset({"OMP_PLACES", "OMP_PROC_BIND"})

    def __init__(self, usable: Callable[[], frozenset[int]] = usable_cpus, sysfs: Path = SYSFS) -> None:
        self.usable = usable
        self.sysfs = sysfs

    def check(self, level: Scalar) -> Scalar:
        """Return a name, or the shortest text of a list of CPUs; see ``Intervention.check``."""
        if level in ("none", "compact", "scatter"):
            return level
        if isinstance(level, (bool, float)):
            raise self.make_refusal(level)
        try:
            return format_cpu_list(parse_cpu_list(str(level)))
        except ValueError as error:
            raise UsageError(
                f"{level!r} is not a level of affinity: {error}", hint=f"write {self.levels_text}"
            ) from error

    def missing(self, level: Scalar) -> str | None:
        """CPUs of the level that this process may not use."""
        if level in ("none", "compact", "scatter"):
            return None
        usable = self.usable()
        absent = [cpu for cpu in parse_cpu_list(str(level)) if cpu not in usable]
        if not absent:
            return None
        text = f"CPU {absent[0]} is" if len(absent) == 1 else f"CPUs {format_cpu_list(absent)} are"
        return f"{text} not among those that this process may use ({format_cpu_list(usable)})"

    def change(self, level: Scalar) -> LaunchChange:
        """OpenMP's variables for the names, a mask for a list."""
        if level == "none":
            return LaunchChange()
        if level in ("compact", "scatter"):
            order = closest_first if level == "compact" else farthest_first
            places = ",".join(f"{{{cpu}}}" for cpu in order(self.usable(), self.sysfs))
            return LaunchChange(env={"OMP_PLACES": places, "OMP_PROC_BIND": "close"})
        return LaunchChange(affinity=parse_cpu_list(str(level)))

    def population(self) -> Sequence[Scalar]:
        """Return the three names."""
        return ("none", "compact", "scatter")

    def masks(self, most: int) -> Sequence[str]:
        """Single CPUs as levels, at most ``most`` of them, those farthest from each other first."""
        return [str(cpu) for cpu in farthest_first(self.usable(), self.sysfs)[:most]]

    def coincidence(self) -> str | None:
        """Why ``compact`` and ``scatter`` are the same here, in words; ``None`` where they differ."""
        cpus = self.usable()
        if closest_first(cpus, self.sysfs) != farthest_first(cpus, self.sysfs):
            return None
        if len(cpus) == 1:
            return "compact and scatter are the same here: this process may use one CPU only"
        return (
            f"compact and scatter are the same here: the {len(cpus)} CPUs that this process may use"
            f" ({format_cpu_list(cpus)}) are equally far from each other"
        )
