"""From rows to samples, without a Python object for each row that stays."""

from __future__ import annotations

import itertools
import sqlite3
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import msgspec

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Ints = npt.NDArray[np.int64]
    Floats = npt.NDArray[np.float64]

COLUMNS: Final[dict[str, tuple[str, float]]] = {
    "wall_s": ("wall_ns", 1e9),
    "cpu_s": ("user_us + system_us", 1e6),
    "user_s": ("user_us", 1e6),
    "system_s": ("system_us", 1e6),
    "rss_bytes": ("rss_bytes", 1),
    "minor_faults": ("minor_faults", 1),
    "major_faults": ("major_faults", 1),
    "voluntary_switches": ("voluntary_switches", 1),
    "involuntary_switches": ("involuntary_switches", 1),
    "queue_wait_s": ("queue_wait_ns", 1e9),
}
"""For each built-in metric: SQL over ``trial`` that is a whole number, and how many of them are its unit."""

ALWAYS: Final = frozenset(COLUMNS) - {"queue_wait_s"}
"""Built-in metrics that every trial has."""

CHUNK: Final = 1 << 14
"""Rows that are read at once: their numbers fit into a cache, and memory grows with what is kept only."""

_LABELS_SHIFT: Final = 40
"""One number names labels and treatment."""


@dataclass(frozen=True, slots=True)
class Columns:
    """Launches in the order of time: where each came from, and for each metric asked for its value."""

    blocks: array[int]
    trials: array[int]
    values: tuple[array[float], ...]

    @classmethod
    def empty(cls, metrics: int) -> Columns:
        """Columns of no launch, for so many metrics."""
        return cls(array("q"), array("q"), tuple(array("d") for _ in range(metrics)))


def builtin_columns(connection: sqlite3.Connection, metrics: Sequence[str]) -> dict[int, Columns]:
    """The values of built-in metrics for each treatment; trials that lack one of them are left out."""
    import numpy as np

    # A column of many trials as one JSON text is read in half the time of as many rows.
    wanted = ["treatment", "block", "id", *(COLUMNS[metric][0] for metric in metrics)]
    lists = ", ".join(f"json_group_array({column})" for column in wanted)
    where = " AND ".join(f"{COLUMNS[metric][0]} IS NOT NULL" for metric in metrics if metric not in ALWAYS)
    sql = f"SELECT {lists} FROM trial WHERE id BETWEEN ? AND ? AND {where or 'TRUE'}"  # noqa: S608 -- ours
    decode = msgspec.json.Decoder(list[int]).decode
    (last,) = connection.execute("SELECT coalesce(max(id), 0) FROM trial").fetchone()
    rows = np.empty((len(wanted), last), np.int64)
    end = 0
    for first in range(1, last + 1, CHUNK):
        texts = connection.execute(sql, (first, first + CHUNK - 1)).fetchone()
        for row, text in zip(rows, texts, strict=True):
            numbers = decode(text)
            row[end : end + len(numbers)] = numbers
        end += len(numbers)
    keys, blocks, trials, *values = rows[:, :end]
    in_units = [column / COLUMNS[metric][1] for metric, column in zip(metrics, values, strict=True)]
    return _grouped(connection, keys, blocks, trials, in_units)


def reported_columns(
    connection: sqlite3.Connection, metric: int, reduce: Callable[[Sequence[float]], float]
) -> dict[tuple[int, int], Columns]:
    """The values of another metric for each id of labels and treatment, iterations reduced."""
    import numpy as np

    rows: Iterator[tuple[int, int, int, float]] = connection.execute(
        # Both tables lie in the order of trials, and CROSS JOIN holds the order of the loops, so that each is
        # read once. Within a trial, values lie in the order of their primary key: labels, then iterations.
        f"SELECT (labels << {_LABELS_SHIFT}) + treatment, block, trial, v"  # noqa: S608 -- a number
        " FROM value CROSS JOIN trial ON trial.id = trial WHERE metric = ? ORDER BY trial",
        (metric,),
    )
    iterated = connection.execute("SELECT 1 FROM value WHERE metric = ? AND i > 0 LIMIT 1", (metric,))
    if iterated.fetchone():
        rows = _reduced(rows, reduce)
    columns = tuple(array(code) for code in "qqqd")
    while chunk := list(itertools.islice(rows, CHUNK)):
        for column, numbers in zip(columns, zip(*chunk, strict=True), strict=True):
            column.extend(numbers)
    keys, blocks, trials = (np.frombuffer(column, np.int64) for column in columns[:3])
    found = _grouped(connection, keys, blocks, trials, [np.frombuffer(columns[3], np.float64)])
    return {(key >> _LABELS_SHIFT, key & (1 << _LABELS_SHIFT) - 1): its for key, its in found.items()}


def _grouped(
    connection: sqlite3.Connection, keys: Ints, blocks: Ints, trials: Ints, values: Sequence[Floats]
) -> dict[int, Columns]:
    """Columns by key, the order of the rows kept, without those of blocks that are not complete."""
    import numpy as np

    if uncounted := _uncounted(connection):
        counts = ~np.isin(blocks, uncounted)
        keys, blocks, trials = keys[counts], blocks[counts], trials[counts]
        values = [column[counts] for column in values]
    if not keys.size:
        return {}
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    starts = np.flatnonzero(np.diff(keys, prepend=-1))
    cuts = starts[1:]
    by_key = zip(
        keys[starts].tolist(),
        np.split(blocks[order], cuts),
        np.split(trials[order], cuts),
        zip(*(np.split(column[order], cuts) for column in values), strict=True),
        strict=True,
    )
    return {
        key: Columns(
            array("q", its_blocks.tobytes()),
            array("q", its_trials.tobytes()),
            tuple(array("d", column.tobytes()) for column in its_values),
        )
        for key, its_blocks, its_trials, its_values in by_key
    }


def _uncounted(connection: sqlite3.Connection) -> list[int]:
    """Blocks that are not complete; left out here in a third of the time that SQLite takes."""
    return [row[0] for row in connection.execute("SELECT id FROM block WHERE state <> 'complete'")]


def _reduced(
    rows: Iterable[tuple[int, int, int, float]], reduce: Callable[[Sequence[float]], float]
) -> Iterator[tuple[int, int, int, float]]:
    """One row for each run of rows with the same trial and labels."""
    iterations: list[float] = []
    key = block = trial = 0
    for its_key, its_block, its_trial, value in rows:
        if its_trial != trial or its_key != key:
            if iterations:
                yield key, block, trial, reduce(iterations)
            iterations = []
            key, block, trial = its_key, its_block, its_trial
        iterations.append(value)
    if iterations:
        yield key, block, trial, reduce(iterations)


class Origin:
    """The passes and contexts (0 where the experiment has none) of columns, looked up once."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._last, contexts, low, high = connection.execute(
            "SELECT coalesce(max(id), 0), count(context), min(pass), max(pass) FROM block"
        ).fetchone()
        # Most experiments have one pass and no contexts, and need no look at each block.
        self._pass = low if not contexts and low == high else None
        self._passes, self._contexts = array("q"), array("q")
        if self._pass is None:
            self._passes = array("q", bytes(8 * (self._last + 1)))
            self._contexts = array("q", bytes(8 * (self._last + 1)))
            for block, pass_, context in connection.execute(
                "SELECT id, pass, coalesce(context, 0) FROM block"
            ):
                self._passes[block] = pass_
                self._contexts[block] = context
        self._known: dict[int, tuple[Columns, array[int], array[int]]] = {}

    def of(self, columns: Columns) -> tuple[array[int], array[int]]:
        """Passes and contexts, launch by launch."""
        if id(columns) not in self._known:
            # With the columns, so that no others get their id.
            self._known[id(columns)] = (columns, *self._look_up(columns.blocks))
        _, passes, contexts = self._known[id(columns)]
        return passes, contexts

    def _look_up(self, blocks: array[int]) -> tuple[array[int], array[int]]:
        if self._pass is not None:
            if blocks and not 0 < min(blocks) <= max(blocks) <= self._last:
                raise LookupError("a trial of a block that is not there")
            return array("q", [self._pass]) * len(blocks), array("q", [0]) * len(blocks)
        return (
            array("q", map(self._passes.__getitem__, blocks)),
            array("q", map(self._contexts.__getitem__, blocks)),
        )
