"""One row a value: ``trial``, ``metric``, ``unit``, ``labels``, ``i`` (iteration, from 0), ``value``.

Built-in metrics are among them, with no labels and ``i`` 0; what was not observed has no row. ``labels`` is a
JSON object, ``{}`` where there are none. Join with the table of trials by ``trial``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import msgspec

from steelyard.exchange.table import Cell, Column, Table
from steelyard.exchange.trials import OBSERVED
from steelyard.store import Record

_COLUMNS: Final = (
    Column("trial", "integer"), Column("metric", "text"), Column("unit", "text"), Column("labels", "json"),
    Column("i", "integer"), Column("value", "real"),
)  # fmt: skip


def values(record: Record) -> Table:
    """Every value of every trial, iterations included, nothing reduced."""
    return Table(_COLUMNS, _rows(record))


def _rows(record: Record) -> Iterator[tuple[Cell, ...]]:
    units = {metric.name: metric.unit for metric in record.metrics}
    for _, m in record.stream_measurements():
        for name, observe in OBSERVED.items():
            observed = observe(m)
            if observed is not None:
                yield m.trial, name, units[name], "{}", 0, float(observed)
        for value in m.values:
            labels = msgspec.json.encode(value.labels, order="sorted").decode()
            yield m.trial, value.metric, units[value.metric], labels, value.i, value.value
