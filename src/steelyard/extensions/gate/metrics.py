"""Metrics of a gate: which of those that a harness reports are judged or only shown, and their margins."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final, TypeVar

from steelyard.core.errors import UsageError
from steelyard.core.units import Better
from steelyard.extensions.exchange.importers.contents import identifier
from steelyard.extensions.gate.request import GateRequest
from steelyard.extensions.gate.results import GatedMetric

TIME: Final = "time"
"""What users call the time that a harness reports."""
_ALIASES: Final[dict[str, tuple[str, ...]]] = {
    "allocs": ("allocs_per_op", "allocs_per_iter", "alloc_count", "allocations"),
    "bytes": ("bytes_per_op", "alloc_bytes", "total_allocated_bytes", "bytes_allocated"),
}
"""Short names, and what harnesses call it: the first that one reports is meant."""
_FEWER_IS_BETTER: Final = re.compile(r"alloc|instructions|misses|faults|^bytes(?!_per_second)")
"""Counts of which less is better, whatever harness reports them."""

Value = TypeVar("Value", float, Better)

Reported = Mapping[str, tuple[str, Better]]
"""Metrics that a harness reports: unit, and which way is better."""


def choose_metrics(request: GateRequest, harness: str, reported: Reported) -> tuple[GatedMetric, ...]:
    """Return the metrics of a gate, those that are judged first.

    Parameters
    ----------
    harness : str
        The metric that is compared unless another is asked for.
    reported
        By one process of each program on each side.

    Raises
    ------
    UsageError
        No benchmark reports one; it is judged and only shown; it has no better side, and none is named; a
        margin or a side belongs to no metric of the gate.
    """
    judged = [_find_name(name, harness, reported) for name in request.metrics or (TIME,)]
    extra = [_find_name(name, harness, reported) for name in request.reported]
    twice = next((name for name in extra if name in judged), None)
    if twice is not None:
        raise UsageError(
            f"{twice} is in --metric and in --report", hint="--report shows it and judges nothing"
        )
    names = dict.fromkeys((*judged, *extra))
    margins = _rename_keys("--margin", request.margins, harness, reported, names)
    sides = _rename_keys("--better", request.better, harness, reported, names)
    chosen = []
    for name in names:
        unit, better = reported[name]
        metric = GatedMetric(
            name, unit, sides.get(name, _choose_better(name, better)), is_reported=name in extra
        )
        if metric.better == "neither" and not metric.is_reported:
            raise UsageError(
                f"--metric {name}: the harness does not say whether more or less of it is better",
                hint=f"--better {name}=lower, or --better {name}=higher",
            )
        margin = margins.get(name, request.count_margin if metric.is_count else request.margin)
        if not margin and not metric.is_count:
            raise UsageError(
                f"--margin {name}=0: a measured value never repeats to the digit", hint=f"--margin {name}=3%"
            )
        chosen.append(GatedMetric(name, unit, metric.better, margin, is_reported=metric.is_reported))
    return tuple(chosen)


def name_alternatives(name: str, metrics: Sequence[GatedMetric]) -> set[str]:
    """Return the metrics of a gate that a name means, as users write it: ``time`` is that of the harness."""
    if name == TIME:
        return {metric.name for metric in metrics if metric.unit == "s"}
    return {name, *_ALIASES.get(name, ())}


def _choose_better(name: str, better: Better) -> Better:
    return "lower" if better == "neither" and _FEWER_IS_BETTER.search(name) else better


def _find_name(name: str, harness: str, reported: Reported) -> str:
    """Return the metric that a name on the command line means, also as the harness writes it: ``items/s``."""
    written = next((entry for entry in (name, identifier(name)) if entry in reported), None)
    if written is not None:
        return written
    if name == TIME and harness in reported:
        return harness
    alias = next((entry for entry in _ALIASES.get(name, ()) if entry in reported), None)
    if alias is not None:
        return alias
    if name == TIME:
        name = harness
    raise UsageError(
        f"no benchmark reports {name}", hint=f"--metric, one of: {', '.join(reported) or 'none'}"
    )


def _rename_keys(
    flag: str, values: Mapping[str, Value], harness: str, reported: Reported, names: Mapping[str, None]
) -> dict[str, Value]:
    renamed = {_find_name(key, harness, reported): value for key, value in values.items()}
    stray = next((key for key in renamed if key not in names), None)
    if stray is not None:
        raise UsageError(
            f"{flag} {stray}={renamed[stray]}: it is no metric of this gate", hint=f"--metric {stray}"
        )
    return renamed
