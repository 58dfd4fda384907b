"""One row for each value.

The columns are ``block``, ``trial``, ``treatment``, a column for each factor, ``metric``, ``unit``,
``labels``, ``i`` (iteration, from 0), ``value``, ``provenance`` (``measured``, ``simulated``, or ``crowded``:
a time of more ranks than CPUs). A factor with the name of another column is ``factor.NAME``.

Built-in metrics are among them, with no labels and ``i`` 0; what was not observed has no row. ``labels`` is a
JSON object, ``{}`` where there are none. Join with the table of trials by ``trial``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import msgspec

from steelyard.extensions.exchange.table import Cell, Table, TableColumn
from steelyard.extensions.exchange.trials import OBSERVED, factor_columns
from steelyard.store import Record

_PLACE: Final = (
    TableColumn("block", "integer"),
    TableColumn("trial", "integer"),
    TableColumn("treatment", "integer"),
)
_VALUE: Final = (
    TableColumn("metric", "text"),
    TableColumn("unit", "text"),
    TableColumn("labels", "json"),
    TableColumn("i", "integer"),
    TableColumn("value", "real"),
    TableColumn("provenance", "text"),
)


def values(record: Record) -> Table:
    """Every value of every trial, iterations included, nothing reduced."""
    factors = factor_columns(record, names={column.name for column in (*_PLACE, *_VALUE)})
    return Table((*_PLACE, *factors, *_VALUE), _list_rows(record))


def _list_rows(record: Record) -> Iterator[tuple[Cell, ...]]:
    metrics = {metric.name: metric for metric in record.metrics}
    units = {name: metric.unit for name, metric in metrics.items()}
    origins = record.origins()
    origin = {
        (name, treatment.id): origins.provenance(metric, treatment)
        for name, metric in metrics.items()
        for treatment in record.treatments
    }
    levels = {treatment.id: tuple(treatment.levels.values()) for treatment in record.treatments}
    for _, m in record.stream_measurements():
        place = (m.block, m.trial, m.treatment, *levels[m.treatment])
        for name, observe in OBSERVED.items():
            observed = observe(m) if name in metrics else None
            if observed is not None:
                came = origin[name, m.treatment]
                yield *place, name, units[name], "{}", 0, float(observed), came
        for value in m.values:
            labels = msgspec.json.encode(value.labels, order="sorted").decode()
            came = origin[value.metric, m.treatment]
            yield *place, value.metric, units[value.metric], labels, value.i, value.value, came
