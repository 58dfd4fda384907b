"""One row a trial: where it stood in the design, what it was told, how it ended, what was observed.

Columns, in this order:

1. ``run``, ``block``, ``pass``, ``context``, ``block_state``, ``place``, ``trial``, ``treatment``
2. a column for each factor, named as the factor (``factor.NAME`` where that name is another column's)
3. ``context.NAME`` for each setting that contexts draw
4. ``status``, ``reason``, ``exit_code``, ``signal``, ``start_ns`` (Unix time), ``cpu``, ``argv_bytes``,
   ``env_bytes``, ``left_processes``, ``simulated`` (whether what the program reports is of a simulated
   machine)
5. the built-in metrics
6. every other metric without labels, reduced to one value as the spec declares (``metric.NAME`` on a clash)

Only trials whose ``block_state`` is ``complete`` enter Steelyard's own results.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Final

from steelyard.core.units import RUNNER_METRICS, Scalar
from steelyard.design.plan import BlockOutcome
from steelyard.extensions.exchange.table import Cell, Table, TableColumn, Type, type_of
from steelyard.run.measure.measurement import Measurement
from steelyard.store import Reading

_PLACE: Final = (
    TableColumn("run", "integer"), TableColumn("block", "integer"), TableColumn("pass", "integer"),
    TableColumn("context", "integer"), TableColumn("block_state", "text"), TableColumn("place", "integer"),
    TableColumn("trial", "integer"), TableColumn("treatment", "integer"),
)  # fmt: skip
_END: Final = (
    TableColumn("status", "text"), TableColumn("reason", "text"), TableColumn("exit_code", "integer"),
    TableColumn("signal", "integer"), TableColumn("start_ns", "integer", "ns"), TableColumn("cpu", "integer"),
    TableColumn("argv_bytes", "integer", "B"), TableColumn("env_bytes", "integer", "B"),
    TableColumn("left_processes", "integer"), TableColumn("simulated", "boolean"),
)  # fmt: skip

OBSERVED: Final[dict[str, Callable[[Measurement], Cell]]] = {
    entry.metric.name: entry.observe for entry in RUNNER_METRICS
}
"""How each built-in metric is read from a measurement."""


def trials(record: Reading) -> Table:
    """Every trial of the record, failed and discarded ones too."""
    reported = [
        metric
        for metric in record.metrics
        if metric.kind != "builtin" and not any(record.labels_of(metric.name))
    ]
    settings = _get_settings(record)
    fixed = [
        *(TableColumn(f"context.{name}", type_) for name, type_ in settings.items()),
        *_END,
        *(
            TableColumn(entry.metric.name, "integer" if entry.scale == 1 else "real", entry.metric.unit)
            for entry in RUNNER_METRICS
            if entry.metric in record.metrics
        ),
    ]
    column_names = {column.name for column in (*_PLACE, *fixed)}
    factors = factor_columns(record, names=column_names)
    column_names |= {column.name for column in factors}
    columns = [
        TableColumn(_choose_free_name(metric.name, "metric", column_names), "real", metric.unit)
        for metric in reported
    ]
    names = [metric.name for metric in reported]
    return Table((*_PLACE, *factors, *fixed, *columns), _list_rows(record, tuple(settings), names))


def factor_columns(record: Reading, *, names: Collection[str]) -> tuple[TableColumn, ...]:
    """Return a column for each factor, in the order in which treatments have them.

    A name that clashes becomes ``factor.NAME``.
    """
    levels = [treatment.levels for treatment in record.treatments]
    return tuple(
        TableColumn(_choose_free_name(name, "factor", names), type_of(level[name] for level in levels))
        for name in (levels[0] if levels else ())
    )


def _list_rows(
    record: Reading, settings: Sequence[str], reported: Sequence[str]
) -> Iterator[tuple[Cell, ...]]:
    levels = {treatment.id: tuple(treatment.levels.values()) for treatment in record.treatments}
    simulated = record.origins().simulated
    names = {metric.name for metric in record.metrics}
    observed = [observe for name, observe in OBSERVED.items() if name in names]
    outcomes = record.stream_outcomes()
    outcome: BlockOutcome | None = None
    cells: tuple[Cell, ...] = ()
    drawn: tuple[Cell, ...] = ()
    for run, m in record.stream_measurements():
        # Both streams are in the order of blocks.
        while outcome is None or outcome.block.id < m.block:
            outcome = next(outcomes)
            block = outcome.block
            cells = (block.id, block.pass_, block.context.id if block.context else None, outcome.state)
            drawn = tuple(block.context.settings.get(name) if block.context else None for name in settings)
        yield (
            run,
            *cells,
            m.place,
            m.trial,
            m.treatment,
            *levels[m.treatment],
            *drawn,
            m.status,
            m.reason,
            m.exit_code,
            m.signal,
            m.start_ns,
            m.cpu,
            m.argv_bytes,
            m.env_bytes,
            m.left_processes,
            simulated,
            *(observe(m) for observe in observed),
            *_reduce(record, m, reported),
        )


def _reduce(record: Reading, measurement: Measurement, metrics: Sequence[str]) -> Iterator[float | None]:
    iterations: dict[str, list[float]] = {name: [] for name in metrics}
    for value in measurement.values:
        if value.metric in iterations:
            iterations[value.metric].append(value.value)
    for name, values in iterations.items():
        yield record.reduce(name, values) if values else None


def _get_settings(record: Reading) -> dict[str, Type]:
    """Return what contexts draw, and the type of what was drawn."""
    levels: dict[str, set[Scalar]] = {}
    for outcome in record.stream_outcomes():
        for name, level in (outcome.block.context.settings if outcome.block.context else {}).items():
            levels.setdefault(name, set()).add(level)
    return {name: type_of(drawn) for name, drawn in levels.items()}


def _choose_free_name(name: str, kind: str, names: Collection[str]) -> str:
    return name if name not in names else f"{kind}.{name}"
