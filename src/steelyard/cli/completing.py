"""What a shell completes as the value of an option; names are looked up when they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import click

Complete = Callable[[click.Context, click.Parameter, str], list[str]]


def _complete(names: Callable[[], Iterable[str]]) -> Complete:
    return lambda _ctx, _param, begun: [name for name in names() if name.startswith(begun)]


def _complete_list(names: Callable[[], Iterable[str]]) -> Complete:
    """Of names that are joined by commas, the last one."""

    def complete(_ctx: click.Context, _param: click.Parameter, begun: str) -> list[str]:
        before, comma, last = begun.rpartition(",")
        given = before.split(",")
        return [f"{before}{comma}{name}" for name in names() if name.startswith(last) and name not in given]

    return complete


def _interventions() -> Iterable[str]:
    from steelyard.lab.audit.candidates import KINDS

    return KINDS


def _probes() -> Iterable[str]:
    from steelyard.lab.observe.probes import KNOWN

    return KNOWN


def _metrics() -> Iterable[str]:
    from steelyard.units import BUILTIN

    return BUILTIN


def _counters() -> Iterable[str]:
    from steelyard.counters import EVENTS

    return EVENTS


def _spaces() -> Iterable[str]:
    from steelyard.scaling.question import SPACES

    return SPACES


def _aggregates() -> Iterable[str]:
    from steelyard.scaling.aggregate import AGGREGATES

    return ("auto", *AGGREGATES)


def _baselines(ctx: click.Context, _param: click.Parameter, begun: str) -> list[str]:
    """Factors with their levels, of the record on the line; nothing where it cannot be read."""
    from steelyard.errors import SteelyardError
    from steelyard.lab.records import find_record
    from steelyard.store import Record

    # With an option that still lacks its value, click leaves the argument unread.
    named = ctx.params.get("record") or next(iter(ctx.args), None)
    try:
        if named is None:
            return []
        with Record.open(find_record(Path(named))) as record:
            levels = [treatment.levels for treatment in record.treatments]
    except (SteelyardError, OSError):
        return []
    words = dict.fromkeys(f"{name}={level}" for each in levels for name, level in each.items())
    return [word for word in words if word.startswith(begun)]


contexts = _complete(_interventions)
probes = _complete(_probes)
metrics = _complete(_metrics)
counters = _complete_list(_counters)
spaces = _complete(_spaces)
aggregates = _complete(_aggregates)
baselines: Complete = _baselines
