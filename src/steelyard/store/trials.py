"""The table ``trial``, column by column."""

from __future__ import annotations

import sqlite3
from array import array
from typing import TYPE_CHECKING, Final

import msgspec

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Ints = npt.NDArray[np.int64]

CHUNK: Final = 1 << 14
"""Rows that are read at once: their numbers fit into a cache, and memory grows with what is kept only."""

WAITED_NS: Final = "coalesce(queue_wait_ns, -1)"
"""The column of waiting for a CPU, in which below 0 is not observed."""

numbers = msgspec.json.Decoder(list[int]).decode
"""A column of many rows, as SQLite's ``json_group_array`` gives it: read in half the time of as many rows."""


class Trials:
    """All trials up to the last that was there at first. Each column is read once, however often it is asked
    for: a million trials take 0.1 s, of which a third is spent on the first column alone.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._columns: dict[str, array[int]] = {}
        self.last, count = connection.execute(
            # Apart, each is found without a look at every row.
            "SELECT (SELECT coalesce(max(id), 0) FROM trial), (SELECT count(*) FROM trial)"
        ).fetchone()
        self._gapless: bool = count == self.last

    def columns(self, *wanted: str) -> list[array[int]]:
        """Whole numbers by their SQL over ``trial``, one a trial, in the order of the plan."""
        missing = [column for column in dict.fromkeys(wanted) if column not in self._columns]
        if missing:
            self._read(missing)
        return [self._columns[column] for column in wanted]

    def ids(self) -> Ints:
        """Numbers of the trials, ascending."""
        import numpy as np

        if self._gapless:
            return np.arange(1, self.last + 1)
        return np.frombuffer(self.columns("id")[0], np.int64)

    def places(self, trials: Ints) -> Ints:
        """Where in the columns these trials are, of which none is beyond the last.

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
        found = [array("q") for _ in columns]
        for first in range(1, self.last + 1, CHUNK):
            upto = min(first + CHUNK - 1, self.last)
            for column, text in zip(
                found, self._connection.execute(sql, (first, upto)).fetchone(), strict=True
            ):
                column.fromlist(numbers(text))
        self._columns |= zip(columns, found, strict=True)
