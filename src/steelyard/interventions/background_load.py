"""``background_load``: a stated load beside the program, for as long as each trial takes.

The stand-in for what a runlevel starts. Processes of ours make it: they begin before ``prepare`` of
each trial, are at work when the program starts, and are ended after its ``cleanup``; with the runner they end
however that ends. Their CPU time and memory are in no metric of the program.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import ClassVar, Final, Literal

from steelyard.core.units import Scalar
from steelyard.interventions.intervention import Intervention
from steelyard.interventions.launch_change import LaunchChange, Load
from steelyard.interventions.topology import format_cpu_list, parse_cpu_list, usable_cpus

MOST_PROCESSES: Final = 8
"""Each is a command before a trial, of which the runner takes 16."""

_KINDS: Final[tuple[Literal["cpu", "memory", "disk"], ...]] = ("cpu", "memory", "disk")
_TEXT: Final = re.compile(
    rf"(?P<kind>{'|'.join(_KINDS)})"
    r"(?: +x(?P<processes>[1-9][0-9]?))?(?: +(?P<percent>[1-9][0-9]{0,2}) *%)?"
    r"(?: +on +(?P<cpus>[0-9][0-9, -]*))?"
)


class BackgroundLoad(Intervention):
    """Load that runs beside the program."""

    name: ClassVar[str] = "background_load"
    about: ClassVar[str] = "a load beside the program: kind, number of processes, strength, CPUs"
    levels_text: ClassVar[str] = (
        '"none", or "cpu", "memory" or "disk" with what is not x1 100% and everywhere: "cpu x2 50% on 0-1"'
    )

    def __init__(self, usable: Callable[[], frozenset[int]] = usable_cpus) -> None:
        self.usable = usable

    def check(self, level: Scalar) -> Scalar:
        """Return the shortest text that means the same; see ``Intervention.check``."""
        if level == "none":
            return level
        load = _parse(level) if isinstance(level, str) else None
        if load is None:
            raise self.make_refusal(level)
        return _format(load)

    def missing(self, level: Scalar) -> str | None:
        """CPUs of the level that this process may not use."""
        load = _parse(str(level))
        if load is None or load.cpus is None:
            return None
        usable = self.usable()
        absent = [cpu for cpu in load.cpus if cpu not in usable]
        if not absent:
            return None
        text = f"CPU {absent[0]} is" if len(absent) == 1 else f"CPUs {format_cpu_list(absent)} are"
        return f"{text} not among those that this process may use ({format_cpu_list(usable)})"

    def change(self, level: Scalar) -> LaunchChange:
        """Return the load; ``none`` is a plain launch."""
        return LaunchChange(load=_parse(str(level)))

    def population(self) -> Sequence[Scalar]:
        """None, and one process of each kind."""
        return ("none", "cpu", "memory", "disk")


def _parse(text: str) -> Load | None:
    match = _TEXT.fullmatch(text)
    if match is None:
        return None
    processes, percent = int(match["processes"] or 1), int(match["percent"] or 100)
    if processes > MOST_PROCESSES or percent > 100:
        return None
    try:
        cpus = parse_cpu_list(match["cpus"]) if match["cpus"] else None
    except ValueError:
        return None
    kind = next(name for name in _KINDS if name == match["kind"])
    return Load(kind, processes, percent, cpus)


def _format(load: Load) -> str:
    return "".join(
        (
            load.kind,
            f" x{load.processes}" if load.processes > 1 else "",
            f" {load.percent}%" if load.percent < 100 else "",
            f" on {format_cpu_list(load.cpus)}" if load.cpus is not None else "",
        )
    )
