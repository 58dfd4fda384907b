"""From rows to samples, without a Python object for each row that stays."""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeVar

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


@dataclass(slots=True)
class Columns:
    """One value a launch, in the order of time, and where it came from."""

    values: array[float] = field(default_factory=lambda: array("d"))
    blocks: array[int] = field(default_factory=lambda: array("q"))
    trials: array[int] = field(default_factory=lambda: array("q"))


def builtin_columns(connection: sqlite3.Connection, metric: str) -> dict[int, Columns]:
    """The values of a built-in metric for each treatment; trials without it are left out."""
    what = COLUMNS[metric]
    return _gather(
        connection.execute(
            f"SELECT treatment, block, id, {what} AS v FROM counted WHERE v IS NOT NULL ORDER BY id"  # noqa: S608
        )
    )


def value_columns(
    connection: sqlite3.Connection, metric: int, reduce: Callable[[Sequence[float]], float]
) -> dict[tuple[int, int], Columns]:
    """The values of another metric for each treatment and id of labels, iterations reduced."""
    rows = connection.execute(
        # CROSS JOIN holds the order of the loops: both tables lie in the order of trials, each is read once.
        "SELECT treatment, labels, block, trial, v FROM value CROSS JOIN counted ON counted.id = trial"
        " WHERE metric = ? ORDER BY trial, metric, labels, i",
        (metric,),
    )
    return _gather(_reduced(rows, reduce))


def _gather(rows: Iterable[tuple[Key, int, int, float]]) -> dict[Key, Columns]:
    columns: dict[Key, Columns] = {}
    appends: dict[Key, tuple[Callable[[float], None], Callable[[int], None], Callable[[int], None]]] = {}
    for key, block, trial, value in rows:
        try:
            add_value, add_block, add_trial = appends[key]
        except KeyError:
            new = columns[key] = Columns()
            add_value, add_block, add_trial = appends[key] = (
                new.values.append,
                new.blocks.append,
                new.trials.append,
            )
        add_value(value)
        add_block(block)
        add_trial(trial)
    return columns


def _reduced(
    rows: Iterable[tuple[int, int, int, int, float]], reduce: Callable[[Sequence[float]], float]
) -> Iterator[tuple[tuple[int, int], int, int, float]]:
    """One row for each run of rows with the same trial and labels."""
    values: list[float] = []
    key, block, trial = (0, 0), 0, 0
    for treatment, labels, its_block, its_trial, value in rows:
        if its_trial != trial or labels != key[1]:
            if values:
                yield key, block, trial, reduce(values)
            values = []
            key, block, trial = (treatment, labels), its_block, its_trial
        values.append(value)
    if values:
        yield key, block, trial, reduce(values)


def lookup(connection: sqlite3.Connection) -> Callable[[Columns], tuple[array[int], array[int]]]:
    """A function that gives the passes and the contexts of columns (0 where the experiment has none)."""
    passes: dict[int, int] = {}
    contexts: dict[int, int] = {}
    for block, pass_, context in connection.execute(
        "SELECT id, pass, context FROM block WHERE state = 'complete'"
    ):
        passes[block] = pass_
        contexts[block] = context or 0

    def of(columns: Columns) -> tuple[array[int], array[int]]:
        return (
            array("q", map(passes.__getitem__, columns.blocks)),
            array("q", map(contexts.__getitem__, columns.blocks)),
        )

    return of
