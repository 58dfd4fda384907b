"""Restrictions of specs that count under valgrind, where run times have no meaning."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from steelyard.core.errors import UsageError
from steelyard.core.units import BUILTIN
from steelyard.spec.experiment import Program, UserMetric
from steelyard.spec.text.origin import Origin, Path, suggest
from steelyard.spec.valgrind import EVENTS

_APART: Final = "measure it in a separate spec, without valgrind"


def check_event(table: UserMetric, origin: Origin, path: Path) -> None:
    """Refuse a source of valgrind without one of its events, and an event without such a source.

    Raises
    ------
    SpecError
    """
    events = next((EVENTS[tool] for tool in EVENTS if tool == table.source), None)
    if events is None:
        if table.event is not None:
            raise origin.error((*path, "event"), "only valgrind counts events", 'write source = "cachegrind"')
        return
    if table.event is None:
        text = f"does not say what {table.source} counts"
        raise origin.error(path, text, f"write event = one of {', '.join(events)}")
    if table.event not in events:
        text = f"{table.source} has no event {table.event}"
        raise origin.error((*path, "event"), text, suggest(table.event, events, "events"))
    if table.unit:
        raise origin.error((*path, "unit"), "an event is a pure number", "leave it out")


def check_counting(metrics: Sequence[UserMetric], program: Program, origin: Origin) -> None:
    """Refuse two tools in one spec, and beside a tool what would be the tool's and not the program's.

    Raises
    ------
    SpecError
    """
    counted = [metric for metric in metrics if metric.event is not None]
    if not counted:
        return
    tool = counted[0].source
    for metric in counted:
        if metric.source != tool:
            text = f"a trial runs under one tool, and {counted[0].name} needs {tool}"
            raise origin.error(("metrics", metric.name, "source"), text, f'write source = "{tool}"')
    if program.counters:
        text = f"counters of the kernel would count {tool} itself"
        raise origin.error(("program", "counters"), text, _APART)
    for metric in metrics:
        path: Path = ("metrics", metric.name)
        if metric.is_written:
            text = f"{tool} writes to the file that the program would report to"
            raise origin.error((*path, "source"), text, _APART)
        if metric.derive is not None and (timed := sorted(_get_names(metric.derive) & set(BUILTIN))):
            raise origin.error((*path, "derive"), f"{timed[0]} would be that of {tool}", _APART)


def check_not_timed(metric: str, metrics: Sequence[UserMetric], origin: Origin, path: Path) -> None:
    """Refuse a metric of the whole process as the primary one where it would be that of valgrind.

    Raises
    ------
    SpecError
    """
    counted = next((user_metric for user_metric in metrics if user_metric.event is not None), None)
    if counted is not None and metric in BUILTIN:
        text = f"{metric} would be that of {counted.source}, under which every trial runs"
        raise origin.error(path, text, f'write metric = "{counted.name}" in [analysis]')


def _get_names(expression: str) -> frozenset[str]:
    from steelyard.spec.text.expression import parse

    try:
        return parse(expression).names
    except UsageError:
        # Said where it is read.
        return frozenset()
