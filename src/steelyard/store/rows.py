"""Rows of the tables, and the JSON in them."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Sequence
from itertools import chain
from typing import Any, Final

import msgspec

from steelyard.core.counters import find_event
from steelyard.core.sample import Treatment
from steelyard.core.units import BUILTIN, Metric
from steelyard.design.plan import Block, BlockState
from steelyard.spec.experiment import Experiment, UserMetric

_PARAMETERS: Final = 999
"""Parameters of one statement that every SQLite takes."""


def insert_rows(connection: sqlite3.Connection, into: str, rows: Sequence[Sequence[object]]) -> None:
    """Add rows of equal length, as many with each statement as it takes: one by one takes a quarter longer.

    Parameters
    ----------
    into : str
        The table, with its columns in parentheses where they are not all or in another order. Ours, never a
        user's.
    """
    if not rows:
        return
    width = len(rows[0])
    at_once = _PARAMETERS // width
    count = len(rows) - len(rows) % at_once
    marks = f"({', '.join('?' * width)})"
    text = f"INSERT INTO {into} VALUES {marks}"  # noqa: S608 -- names and marks of ours
    many = text + f", {marks}" * (at_once - 1)
    for first in range(0, count, at_once):
        connection.execute(many, tuple(chain.from_iterable(rows[first : first + at_once])))
    connection.executemany(text, rows[count:])


def write_as_given(value: Any) -> str:
    """JSON with keys in their order: factors and settings have one."""
    return msgspec.json.encode(value).decode()


def canonical(value: Any) -> str:
    """JSON with sorted keys, so that equal things are equal texts."""
    return msgspec.json.encode(value, order="sorted").decode()


def treatment_rows(treatments: Sequence[Treatment]) -> list[tuple[int, str, str]]:
    """Rows of ``treatment``."""
    return [
        (treatment.id, treatment.label, write_as_given(dict(treatment.levels))) for treatment in treatments
    ]


def metric_rows(
    experiment: Experiment, metrics: Sequence[Metric], observed: Collection[str] = BUILTIN
) -> list[tuple[int | str, ...]]:
    """Rows of ``metric``: what is built in and observed, then ``metrics``."""
    reduce = {metric.name: metric.reduce for metric in experiment.metrics}
    builtin = [metric for metric in BUILTIN.values() if metric.name in observed]
    every = [*builtin, *(metric for metric in metrics if metric.kind != "builtin")]
    return [
        (id_, m.name, m.unit, m.kind, m.better, m.about, reduce.get(m.name, "median"))
        for id_, m in enumerate(every, 1)
    ]


def block_row(block: Block, state: BlockState, order: str) -> tuple[int | str | None, ...]:
    """Return a row of ``block``; ``order`` is that of the block as JSON, which many blocks share."""
    return (
        block.id,
        block.pass_,
        block.context.id if block.context is not None else None,
        int(block.discard),
        state,
        order,
        block.first_trial,
        len(block.order),
    )


def metrics_of(experiment: Experiment) -> tuple[Metric, ...]:
    """Counters that are asked for, then what the program reports and what is derived."""
    counters = [Metric(name, find_event(name)[0].unit, "counter") for name in experiment.program.counters]
    return (*counters, *(_get_declared(metric) for metric in experiment.metrics))


def _get_declared(metric: UserMetric) -> Metric:
    return Metric(metric.name, metric.unit, "user" if metric.derive is None else "derived", metric.better)
