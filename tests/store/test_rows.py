"""Many rows at once are the same rows."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.store.rows import insert_rows


@given(st.integers(0, 2100), st.sampled_from([1, 2, 7, 23, 999]))
def test_rows_arrive_each_once_and_in_their_order_however_many(count, width):
    rows = [tuple(range(row, row + width)) for row in range(min(count, 40_000 // width))]
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(f"CREATE TABLE t ({', '.join(f'c{column}' for column in range(width))})")
        insert_rows(connection, "t", rows)
        assert connection.execute("SELECT * FROM t ORDER BY rowid").fetchall() == rows


@pytest.mark.parametrize("bad", [0, 50, 99])
def test_a_row_that_is_refused_is_refused_wherever_it_stands(bad):
    rows = [(row, None if row == bad else 1.0) for row in range(100)]
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE TABLE t (a INTEGER, b REAL NOT NULL)")
        with pytest.raises(sqlite3.IntegrityError):
            insert_rows(connection, "t", rows)


def test_columns_can_be_named():
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE TABLE t (a, b)")
        insert_rows(connection, "t (b, a)", [(1, 2), (3, 4)])
        assert connection.execute("SELECT a, b FROM t").fetchall() == [(2, 1), (4, 3)]
