"""Samples from rows, without a Python object for each row that stays."""

from __future__ import annotations

import itertools
import math
import sqlite3
from array import array
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

import msgspec

from steelyard.core.sample import Doubles, Integers
from steelyard.core.units import RUNNER_METRICS
from steelyard.spec.experiment import Reduce
from steelyard.store.trials import CHUNK, Trials, fill, numbers

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from steelyard.core.arrays import Floats

    Ints = npt.NDArray[np.int64]

COLUMNS: Final[dict[str, tuple[str, float]]] = {
    entry.metric.name: (
        " + ".join(map(fill, entry.columns) if entry.may_lack else entry.columns),
        entry.scale,
    )
    for entry in RUNNER_METRICS
}
"""For each built-in metric: SQL over ``trial`` that is a whole number, and how many of them are its unit;
below 0 where it was not observed."""

ALWAYS: Final = frozenset(entry.metric.name for entry in RUNNER_METRICS if not entry.may_lack)
"""Built-in metrics that every trial has."""

_LABELS_SHIFT: Final = 40
"""One number names labels and treatment."""


def _compute_median(values: Sequence[float]) -> float:
    """Return the median; of an even number of values, halfway between the two in the middle."""
    from statistics import median

    return median(values)


def _compute_mean(values: Sequence[float]) -> float:
    from statistics import fmean

    return fmean(values)


REDUCTIONS: Final[dict[Reduce, Callable[[Sequence[float]], float]]] = {
    "median": _compute_median,
    "mean": _compute_mean,
    "min": min,
    "max": max,
    "sum": math.fsum,
    "first": lambda values: values[0],
    "last": lambda values: values[-1],
}
"""Each takes at least one value, in the order in which the program gave them."""


class LaunchColumns(msgspec.Struct, frozen=True):
    """Launches in the order of time: where each came from, and for each metric asked for its value."""

    blocks: Integers
    trials: Integers
    values: tuple[Doubles, ...]

    @classmethod
    def empty(cls, metrics: int) -> LaunchColumns:
        """Columns of no launch, for so many metrics."""
        return cls(array("q"), array("q"), tuple(array("d") for _ in range(metrics)))


def builtin_columns(
    connection: sqlite3.Connection, trials: Trials, metrics: Sequence[str]
) -> dict[int, LaunchColumns]:
    """Return the values of built-in metrics for each treatment.

    A treatment has none where one of its trials lacks one of them: trials that are long enough to be asked
    are not a fair sample.
    """
    import numpy as np

    names = ("treatment", "block", *(COLUMNS[metric][0] for metric in metrics))
    rows = [trials.ids(), *(np.frombuffer(column, np.int64) for column in trials.columns(*names))]
    if not ALWAYS.issuperset(metrics):
        treatments, blocks = rows[1], rows[2]
        lacking = np.any(np.array(rows[3:]) < 0, axis=0) & ~np.isin(blocks, list_uncounted(connection))
        is_complete = ~np.isin(treatments, treatments[lacking])
        rows = [row[is_complete] for row in rows]
    ids, keys, blocks, *values = rows
    in_units = [column / COLUMNS[metric][1] for metric, column in zip(metrics, values, strict=True)]
    return _group(connection, keys, blocks, ids, in_units)


def reported_columns(
    connection: sqlite3.Connection,
    trials: Trials,
    metric: int,
    reduce: Callable[[Sequence[float]], float],
) -> dict[tuple[int, int], LaunchColumns]:
    """Return the values of another metric for each id of labels and treatment, iterations reduced."""
    import numpy as np

    # Rows of one number each take half the time of rows with all that belongs to it; SQLite writes no number
    # that is not whole as text without loss.
    rows = connection.execute(
        "SELECT v FROM value WHERE metric = ? AND trial BETWEEN 1 AND ? ORDER BY trial", (metric, trials.last)
    )
    values = np.fromiter(itertools.chain.from_iterable(rows), np.float64)
    ids, labels = _get_whence(connection, trials.last, metric, values.size)
    # Within a trial, values lie in the order of their primary key: labels, then iterations.
    starts = np.flatnonzero(_list_changes(ids) | _list_changes(labels))
    if starts.size < values.size:
        ids, labels, values = ids[starts], labels[starts], _reduce(values, starts, reduce)
    treatments, blocks = (
        np.frombuffer(column, np.int64)[trials.places(ids)] for column in trials.columns("treatment", "block")
    )
    columns_of = _group(connection, (labels << _LABELS_SHIFT) + treatments, blocks, ids, [values])
    return {
        (key >> _LABELS_SHIFT, key & (1 << _LABELS_SHIFT) - 1): columns for key, columns in columns_of.items()
    }


def _get_whence(connection: sqlite3.Connection, last: int, metric: int, rows: int) -> tuple[Ints, Ints]:
    """Return the trial and the labels of each value of a metric."""
    import numpy as np

    sql = (
        "SELECT json_group_array(trial), json_group_array(labels) FROM value"
        " WHERE metric = ? AND trial BETWEEN ? AND ?"
    )
    origins = np.empty((2, rows), np.int64)
    end = 0
    for first in range(1, last + 1, CHUNK):
        texts = connection.execute(sql, (metric, first, min(first + CHUNK - 1, last))).fetchone()
        ids, labels = map(numbers, texts)
        origins[:, end : end + len(ids)] = ids, labels
        end += len(ids)
    return origins[0], origins[1]


def _list_changes(column: Ints) -> npt.NDArray[np.bool_]:
    """Whether each number differs from the one before; the first does."""
    import numpy as np

    changes = np.ones(column.size, np.bool_)
    np.not_equal(column[1:], column[:-1], out=changes[1:])
    return changes


def _reduce(values: Floats, starts: Ints, reduce: Callable[[Sequence[float]], float]) -> Floats:
    """One value for each stretch of values, of which these are the starts."""
    import numpy as np

    flat, bounds = values.tolist(), [*starts.tolist(), values.size]
    stretches = itertools.pairwise(bounds)
    return np.fromiter((reduce(flat[start:end]) for start, end in stretches), np.float64, starts.size)


def _group(
    connection: sqlite3.Connection, keys: Ints, blocks: Ints, trials: Ints, values: Sequence[Floats]
) -> dict[int, LaunchColumns]:
    """Columns by key, the order of the rows kept, without those of blocks that are not complete."""
    import numpy as np

    if left_out := list_uncounted(connection):
        counts = ~np.isin(blocks, left_out)
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
        key: LaunchColumns(
            array("q", its_blocks.tobytes()),
            array("q", its_trials.tobytes()),
            tuple(array("d", column.tobytes()) for column in its_values),
        )
        for key, its_blocks, its_trials, its_values in by_key
    }


def list_uncounted(connection: sqlite3.Connection) -> list[int]:
    """Blocks that are not complete; left out here in a third of the time that SQLite takes."""
    return [row[0] for row in connection.execute("SELECT id FROM block WHERE state <> 'complete'")]


class CensoredColumns(msgspec.Struct, frozen=True):
    """Launches of a treatment in the order of time; ``censored`` is 1 where a value is only a lower bound."""

    columns: LaunchColumns
    censored: Integers


def times_to_limit(
    connection: sqlite3.Connection,
    limit: float,
    reported: tuple[int, Callable[[Sequence[float]], float]] | None = None,
) -> dict[int, CensoredColumns]:
    """Return launches of each treatment, from blocks that are complete but for runs that timed out.

    Blocks in which anything else failed are left out, and so are those that are discarded or not finished.

    Parameters
    ----------
    reported : tuple, optional
        A metric that programs report, and how its iterations become one value; elapsed time without one.
    """
    values = None if reported is None else _read_reported(connection, *reported)
    rows = connection.execute(
        "SELECT trial.id, block, treatment, status = 'timed_out', wall_ns FROM trial"
        " JOIN block ON block.id = block WHERE state = 'complete' OR (state = 'incomplete' AND NOT EXISTS"
        " (SELECT 1 FROM trial AS other WHERE other.block = block.id"
        "  AND other.id >= first_trial AND other.id < first_trial + trials"
        "  AND status NOT IN ('ok', 'timed_out'))) ORDER BY trial.id"
    )
    columns_of: dict[int, CensoredColumns] = {}
    for trial, block, treatment, censored, wall_ns in rows:
        if treatment not in columns_of:
            columns_of[treatment] = CensoredColumns(LaunchColumns.empty(1), array("b"))
        value = wall_ns / 1e9 if values is None else values.get(trial)
        if censored:
            value = limit
        if value is None:
            continue
        columns = columns_of[treatment]
        columns.columns.trials.append(trial)
        columns.columns.blocks.append(block)
        columns.columns.values[0].append(value)
        columns.censored.append(censored)
    return columns_of


def _read_reported(
    connection: sqlite3.Connection, metric: int, reduce: Callable[[Sequence[float]], float]
) -> dict[int, float]:
    """Return the value of each trial of a metric without labels."""
    sql = "SELECT trial, v FROM value WHERE metric = ? ORDER BY trial, labels, i"
    rows = connection.execute(sql, (metric,))
    return {
        trial: reduce([value for _, value in members])
        for trial, members in itertools.groupby(rows, key=lambda row: row[0])
    }


class MachineOf(msgspec.Struct, frozen=True):
    """The machine of a context, and the id of the first context on it, which stands for the machine."""

    name: str
    standing: int


def find_machines(connection: sqlite3.Connection) -> dict[int, MachineOf]:
    """Return the machine of each context; empty where contexts name none, or all of them one."""
    first = connection.execute("SELECT json_extract(settings, '$.node') FROM context LIMIT 1").fetchone()
    if first is None or first[0] is None:
        return {}
    rows = connection.execute(
        "SELECT id, node, min(id) OVER (PARTITION BY node)"
        " FROM (SELECT id, json_extract(settings, '$.node') AS node FROM context) WHERE node IS NOT NULL"
    ).fetchall()
    if len({node for _, node, _ in rows}) < 2:
        return {}
    return {id_: MachineOf(str(node), standing) for id_, node, standing in rows}


class LaunchOrigin:
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
            standing = {id_: place.standing for id_, place in find_machines(connection).items()}
            for block, pass_, context in connection.execute(
                "SELECT id, pass, coalesce(context, 0) FROM block"
            ):
                self._passes[block] = pass_
                self._contexts[block] = standing.get(context, context)
        self._origins: dict[int, tuple[LaunchColumns, array[int], array[int]]] = {}

    def look_up(self, columns: LaunchColumns) -> tuple[array[int], array[int]]:
        """Return passes and contexts, launch by launch."""
        if id(columns) not in self._origins:
            # With the columns, so that no others get their id.
            self._origins[id(columns)] = (columns, *self._look_up(columns.blocks))
        _, passes, contexts = self._origins[id(columns)]
        return passes, contexts

    def _look_up(self, blocks: array[int]) -> tuple[array[int], array[int]]:
        import numpy as np

        block_ids = np.frombuffer(blocks, np.int64)
        if block_ids.size and not 0 < block_ids.min() <= block_ids.max() <= self._last:
            raise LookupError("a trial of a block that is not there")
        if self._pass is not None:
            return array("q", [self._pass]) * len(blocks), array("q", [0]) * len(blocks)
        passes, contexts = (
            np.frombuffer(column, np.int64)[block_ids] for column in (self._passes, self._contexts)
        )
        return array("q", passes.tobytes()), array("q", contexts.tobytes())
