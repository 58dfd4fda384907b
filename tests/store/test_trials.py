"""Columns of trials: what SQLite says itself is the witness."""

from __future__ import annotations

import sqlite3

import made_up
import numpy as np
import pytest

from steelyard.store import Record, sampling, trials
from steelyard.store.trials import Trials


def table(*ids):
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE trial (id INTEGER PRIMARY KEY, block INTEGER, queue_wait_ns INTEGER)")
    connection.executemany("INSERT INTO trial VALUES (?, ?, ?)", [(i, 10 * i, None) for i in ids])
    return connection


@pytest.mark.parametrize("ids", [(), (1,), (1, 2, 3, 4, 5, 6, 7), (2, 3, 7), (1, 2, 4, 5, 9)])
def test_columns_hold_what_the_table_holds_chunk_by_chunk(monkeypatch, ids):
    monkeypatch.setattr(trials, "CHUNK", 3)
    result = Trials(table(*ids))
    assert result.ids().tolist() == list(ids)
    blocks, waited = result.columns("block", trials.WAITED_NS)
    assert (list(blocks), list(waited)) == ([10 * i for i in ids], [-1 for _ in ids])


@pytest.mark.parametrize("ids", [(1, 2, 3, 4), (1, 2, 4, 9)])
def test_each_trial_is_found_at_its_place(ids):
    result = Trials(table(*ids))
    assert result.places(np.array(ids[1:])).tolist() == [1, 2, 3]


@pytest.mark.parametrize("missing", [3, 0, 8])
def test_a_trial_that_is_not_there_has_no_place(missing):
    with pytest.raises(LookupError):
        Trials(table(1, 2, 4, 9)).places(np.array([1, missing]))


def test_trials_that_came_later_are_not_looked_at():
    connection = table(1, 2)
    result = Trials(connection)
    result.columns("block")
    connection.execute("INSERT INTO trial VALUES (3, 30, 5)")
    assert list(result.columns(trials.WAITED_NS)[0]) == [-1, -1]


def test_a_column_is_read_once():
    connection = table(1, 2)
    result = Trials(connection)
    question: list[str] = []
    connection.set_trace_callback(question.append)
    result.columns("block", trials.WAITED_NS)
    result.columns(trials.WAITED_NS, "block")
    assert len(question) == 1


@pytest.mark.parametrize("metric", ["rate", "wall_s"])
def test_samples_are_the_same_however_many_rows_are_read_at_once(tmp_path, monkeypatch, metric):
    result = made_up.blocks(7, contexts=True)
    made_up.filled(tmp_path / "a.lab", result).close()
    with Record.open(tmp_path / "a.lab") as record:
        samples = record.samples(metric)
        monkeypatch.setattr(trials, "CHUNK", 2)
        monkeypatch.setattr(sampling, "CHUNK", 2)
        assert record.samples(metric) == samples
        assert any(len(sample) for sample in samples)


def test_what_is_asked_within_a_snapshot_is_what_is_asked_apart(tmp_path):
    result = made_up.blocks(5)
    with made_up.filled(tmp_path / "a.lab", result) as record:
        questions = (record.failures, record.disturbances, lambda: record.samples("cpu_s", "queue_wait_s"))
        apart = [ask() for ask in questions]
        with record.snapshot():
            assert [ask() for ask in questions] == apart
