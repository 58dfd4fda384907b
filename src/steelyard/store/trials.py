"""The table ``trial``: column by column, or trial by trial with its values."""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Final

import msgspec

from steelyard.run.measure.measurement import COLUMNS, Measurement, Value
from steelyard.store.entries import Disturbance

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Ints = npt.NDArray[np.int64]

CHUNK: Final = 1 << 14
"""Rows that are read at once: their numbers fit into a cache, and memory grows with what is kept only."""


def fill(column: str) -> str:
    """Return the SQL of a column in which below 0 is not observed."""
    return f"coalesce({column}, -1)"


WAITED_NS: Final = fill("queue_wait_ns")
"""Waiting for a CPU."""

numbers = msgspec.json.Decoder(list[int]).decode
"""A column of many rows, as SQLite's ``json_group_array`` gives it: read in half the time of as many rows."""

# The names are those of our own fields.
_TRIALS: Final = f"SELECT run, reason, id, {', '.join(COLUMNS[1:])} FROM trial ORDER BY id"  # noqa: S608


class Trials:
    """All trials up to the last that was there at first.

    Each column is read once, however often it is asked for: a million trials take 0.1 s, of which a third is
    spent on the first column alone.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._columns: dict[str, array[int]] = {}
        self.last, count = connection.execute(
            # Apart, each is found without a look at every row.
            "SELECT (SELECT coalesce(max(id), 0) FROM trial), (SELECT count(*) FROM trial)"
        ).fetchone()
        self._gapless: bool = count == self.last

    def columns(self, *names: str) -> list[array[int]]:
        """Columns of whole numbers, by their SQL over ``trial``: one a trial, in the order of the plan."""
        missing = [column for column in dict.fromkeys(names) if column not in self._columns]
        if missing:
            self._read(missing)
        return [self._columns[column] for column in names]

    def ids(self) -> Ints:
        """Numbers of the trials, ascending."""
        import numpy as np

        if self._gapless:
            return np.arange(1, self.last + 1)
        return np.frombuffer(self.columns("id")[0], np.int64)

    def places(self, trials: Ints) -> Ints:
        """Places of these trials in the columns; none is beyond the last.

        Raises
        ------
        LookupError
            One of them is not there.
        """
        import numpy as np

        if self._gapless:
            return trials - 1
        ids = self.ids()
        places = np.searchsorted(ids, trials)
        if not np.array_equal(ids[places], trials):
            raise LookupError("a value of a trial that is not there")
        return places

    def _read(self, columns: list[str]) -> None:
        lists = ", ".join(f"json_group_array({column})" for column in columns)
        sql = f"SELECT {lists} FROM trial WHERE id BETWEEN ? AND ?"  # noqa: S608 -- ours
        arrays = [array("q") for _ in columns]
        for first in range(1, self.last + 1, CHUNK):
            upto = min(first + CHUNK - 1, self.last)
            for column, text in zip(
                arrays, self._connection.execute(sql, (first, upto)).fetchone(), strict=True
            ):
                column.fromlist(numbers(text))
        self._columns |= zip(columns, arrays, strict=True)


def disturbances(trials: Trials, uncounted: Collection[int]) -> dict[int, Disturbance]:
    """Disturbance of each treatment, without trials of ``uncounted`` blocks.

    Sums of nanoseconds are exact up to 104 days.
    """
    import numpy as np

    treatments, blocks, waited_ns, wall_ns = (
        np.frombuffer(column, np.int64)
        for column in trials.columns("treatment", "block", WAITED_NS, "wall_ns")
    )
    if uncounted:
        counted = ~np.isin(blocks, list(uncounted))
        treatments, waited_ns, wall_ns = treatments[counted], waited_ns[counted], wall_ns[counted]
    observed = waited_ns >= 0
    counts = np.bincount(treatments)
    needed, waited, wall = (
        np.bincount(treatments, weights=row, minlength=counts.size)
        for row in (observed, np.where(observed, waited_ns, 0), wall_ns)
    )
    return {
        treatment: Disturbance(
            treatment,
            int(counts[treatment]),
            int(needed[treatment]),
            float(waited[treatment] / wall[treatment]) if wall[treatment] else 0.0,
        )
        for treatment in np.flatnonzero(counts).tolist()
    }


def measurements(connection: sqlite3.Connection) -> Iterator[tuple[int, Measurement]]:
    """Yield the run and the measurement of each trial, in the order of the plan; without captured output."""
    # The values come first: as long as they are being read, all that is read is of one state of the record.
    values = connection.execute("SELECT trial, metric, labels, i, v FROM value ORDER BY trial")
    ahead = values.fetchone()
    names = dict(connection.execute("SELECT id, name FROM metric"))
    labels = {
        id_: msgspec.json.decode(text) for id_, text in connection.execute("SELECT id, labels FROM labels")
    }
    for run, reason, trial, *fields in connection.execute(_TRIALS):
        reported = []
        while ahead is not None and ahead[0] == trial:
            _, metric, label, i, value = ahead
            reported.append(Value(names[metric], value, i, labels[label]))
            ahead = values.fetchone()
        row = [trial, *fields, reason, tuple(reported)]
        yield run, Measurement(*row)
