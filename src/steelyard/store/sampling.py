"""From rows to samples, without a Python object for each row that stays."""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

Key = TypeVar("Key", bound=Hashable)

COLUMNS: Final[dict[str, str]] = {
    "wall_s": "wall_ns / 1e9",
    "cpu_s": "(user_us + system_us) / 1e6",
    "user_s": "user_us / 1e6",
    "system_s": "system_us / 1e6",
    "rss_bytes": "rss_bytes + 0.0",
    "minor_faults": "minor_faults + 0.0",
    "major_faults": "major_faults + 0.0",
    "voluntary_switches": "voluntary_switches + 0.0",
    "involuntary_switches": "involuntary_switches + 0.0",
    "queue_wait_s": "queue_wait_ns / 1e9",
}
"""SQL over the columns of ``trial`` for each built-in metric, in its unit."""

ALWAYS: Final = frozenset(COLUMNS) - {"queue_wait_s"}
"""Built-in metrics that every trial has."""


@dataclass(frozen=True, slots=True)
class Columns:
    """Launches in the order of time: where each came from, and for each metric asked for its value."""

    blocks: array[int]
    trials: array[int]
    values: tuple[array[float], ...]

    @classmethod
    def empty(cls, metrics: int) -> Columns:
        """Columns for so many metrics, to be filled."""
        return cls(array("q"), array("q"), tuple(array("d") for _ in range(metrics)))


def builtin_columns(connection: sqlite3.Connection, metrics: Sequence[str]) -> dict[int, Columns]:
    """The values of built-in metrics for each treatment; trials that lack one of them are left out."""
    what = ", ".join(COLUMNS[metric] for metric in metrics)
    where = " AND ".join(f"{COLUMNS[metric]} IS NOT NULL" for metric in metrics if metric not in ALWAYS)
    sql = f"SELECT treatment, block, id, {what} FROM trial WHERE {where or 'TRUE'} ORDER BY id"  # noqa: S608
    rows = connection.execute(sql)
    gather = _gather if len(metrics) == 1 else _gather_many
    return gather(rows, _uncounted(connection))


def reported_columns(
    connection: sqlite3.Connection, metric: int, reduce: Callable[[Sequence[float]], float]
) -> dict[tuple[int, int], Columns]:
    """The values of another metric for each id of labels and treatment, iterations reduced."""
    rows = connection.execute(
        # Both tables lie in the order of trials, and CROSS JOIN holds the order of the loops, so that each is
        # read once. Within a trial, values lie in the order of their primary key: labels, then iterations.
        "SELECT labels, treatment, block, trial, v FROM value CROSS JOIN trial ON trial.id = trial"
        " WHERE metric = ? ORDER BY trial",
        (metric,),
    )
    return _gather(_reduced(rows, reduce), _uncounted(connection))


def _uncounted(connection: sqlite3.Connection) -> frozenset[int]:
    """Blocks that are not complete; looked up by Python in a third of the time that SQLite takes."""
    return frozenset(row[0] for row in connection.execute("SELECT id FROM block WHERE state <> 'complete'"))


def _gather(rows: Iterable[tuple[Key, int, int, float]], uncounted: frozenset[int]) -> dict[Key, Columns]:
    columns: dict[Key, Columns] = {}
    appends: dict[Key, tuple[Callable[[int], None], Callable[[int], None], Callable[[float], None]]] = {}
    for key, block, trial, value in rows:
        if block in uncounted:
            continue
        try:
            add_block, add_trial, add_value = appends[key]
        except KeyError:
            new = columns[key] = Columns.empty(1)
            add_block, add_trial, add_value = appends[key] = (
                new.blocks.append,
                new.trials.append,
                new.values[0].append,
            )
        add_block(block)
        add_trial(trial)
        add_value(value)
    return columns


def _gather_many(rows: Iterable[tuple[Any, ...]], uncounted: frozenset[int]) -> dict[int, Columns]:
    """As `_gather`, for rows with several values; half as long again for a row, and once for all of them."""
    columns: dict[int, Columns] = {}
    appends: dict[int, tuple[Callable[[Any], None], ...]] = {}
    for row in rows:
        if row[1] in uncounted:
            continue
        try:
            adds = appends[row[0]]
        except KeyError:
            new = columns[row[0]] = Columns.empty(len(row) - 3)
            # The treatment goes into an array that nobody keeps, which is faster than to skip it.
            kept: tuple[array[Any], ...] = (array("q"), new.blocks, new.trials, *new.values)
            adds = appends[row[0]] = tuple(column.append for column in kept)
        for add, value in zip(adds, row, strict=True):
            add(value)
    return columns


def _reduced(
    rows: Iterable[tuple[int, int, int, int, float]], reduce: Callable[[Sequence[float]], float]
) -> Iterator[tuple[tuple[int, int], int, int, float]]:
    """One row for each run of rows with the same trial and labels."""
    iterations: list[float] = []
    key, block, trial = (0, 0), 0, 0
    for labels, treatment, its_block, its_trial, value in rows:
        if its_trial != trial or labels != key[0]:
            if iterations:
                yield key, block, trial, iterations[0] if len(iterations) == 1 else reduce(iterations)
            iterations = []
            key, block, trial = (labels, treatment), its_block, its_trial
        iterations.append(value)
    if iterations:
        yield key, block, trial, iterations[0] if len(iterations) == 1 else reduce(iterations)


class Origin:
    """The passes and contexts (0 where the experiment has none) of columns, looked up once."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._passes, self._contexts = _by_block(connection)
        self._known: dict[int, tuple[Columns, array[int], array[int]]] = {}

    def of(self, columns: Columns) -> tuple[array[int], array[int]]:
        """Passes and contexts, launch by launch."""
        if id(columns) not in self._known:
            passes = array("q", map(self._passes.__getitem__, columns.blocks))
            contexts = array("q", map(self._contexts.__getitem__, columns.blocks))
            # With the columns, so that no others get their id.
            self._known[id(columns)] = (columns, passes, contexts)
        _, passes, contexts = self._known[id(columns)]
        return passes, contexts


def _by_block(connection: sqlite3.Connection) -> tuple[array[int], array[int]]:
    last, contexts, low, high = connection.execute(
        "SELECT coalesce(max(id), 0), count(context), min(pass), max(pass) FROM block"
    ).fetchone()
    if not contexts and low == high:
        # Most experiments: a tenth of the time.
        return array("q", [low or 0]) * (last + 1), array("q", [0]) * (last + 1)
    pass_of, context_of = array("q", bytes(8 * (last + 1))), array("q", bytes(8 * (last + 1)))
    for block, pass_, context in connection.execute("SELECT id, pass, coalesce(context, 0) FROM block"):
        pass_of[block] = pass_
        context_of[block] = context
    return pass_of, context_of
