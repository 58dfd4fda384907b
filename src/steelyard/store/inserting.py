"""Many rows into a table."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from itertools import chain
from typing import Final

_PARAMETERS: Final = 999
"""Of one statement, that every SQLite takes."""


def insert(connection: sqlite3.Connection, into: str, rows: Sequence[Sequence[object]]) -> None:
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
    whole = len(rows) - len(rows) % at_once
    marks = f"({', '.join('?' * width)})"
    one = f"INSERT INTO {into} VALUES {marks}"  # noqa: S608 -- names and marks of ours
    many = one + f", {marks}" * (at_once - 1)
    for first in range(0, whole, at_once):
        connection.execute(many, tuple(chain.from_iterable(rows[first : first + at_once])))
    connection.executemany(one, rows[whole:])
