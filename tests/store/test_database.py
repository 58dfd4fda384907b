"""Pages of a record: small of few trials, large of many."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing

import made_up

from steelyard.store import Record

LARGE = made_up.blocks(3000)


def test_a_record_of_few_trials_has_small_pages_and_one_of_many_large_ones(tmp_path):
    for trials, size in ((0, 512), (9_999, 512), (10_000, 4096)):
        directory = tmp_path / f"{trials}.lab"
        made_up.create(directory, trials=trials).close()
        assert made_up.page_bytes(directory / "record.sqlite") == size


def test_a_hundred_trials_with_a_small_spec_take_at_most_320_bytes_each(tmp_path):
    result = made_up.blocks(34)
    made_up.filled(tmp_path / "a.lab", result, made_up.measurements(result, values=False)).close()
    assert (tmp_path / "a.lab" / "record.sqlite").stat().st_size <= 320 * 102


def test_a_record_that_has_grown_gets_large_pages_with_the_same_rows_and_new_digests(tmp_path):
    record = made_up.filled(tmp_path / "a.lab", LARGE)
    file = tmp_path / "a.lab" / "record.sqlite"
    before = made_up.tables(tmp_path / "a.lab")
    record.close()
    assert made_up.page_bytes(file) == 4096
    assert (tmp_path / "a.lab" / "record.digests").exists()
    assert made_up.tables(tmp_path / "a.lab") == before
    with Record.open(tmp_path / "a.lab") as opened:
        assert opened.damage() == []


def test_a_record_that_a_reader_has_open_while_its_writer_leaves_keeps_its_pages(tmp_path):
    record = made_up.filled(tmp_path / "a.lab", LARGE)
    with Record.open(tmp_path / "a.lab") as reader, reader.snapshot():
        record.close()
        assert reader.progress().trials == 9000
    with Record.open(tmp_path / "a.lab", write=True):
        pass
    assert made_up.page_bytes(tmp_path / "a.lab" / "record.sqlite") == 4096


def test_a_writer_that_dies_while_it_enlarges_pages_leaves_the_record_as_it_was(tmp_path):
    record = made_up.filled(tmp_path / "a.lab", LARGE)
    before = made_up.tables(tmp_path / "a.lab")
    record.close()
    # Back to small pages, so that the next writer enlarges them and is killed in the middle.
    file = tmp_path / "a.lab" / "record.sqlite"
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA page_size = 512")
        connection.execute("VACUUM")
    code = f"""
import os, signal, sqlite3
from pathlib import Path
from steelyard.store import Record, database
def stop(connection):
    connection.set_progress_handler(lambda: os.kill(os.getpid(), signal.SIGKILL), 20_000)
    enlarge(connection)
enlarge, database.rewrite_pages = database.rewrite_pages, stop
Record.open(Path({str(tmp_path / "a.lab")!r}), write=True).close()
"""
    done = subprocess.run([sys.executable, "-c", code], check=False)
    assert done.returncode == -9
    assert made_up.tables(tmp_path / "a.lab") == before
    with Record.open(tmp_path / "a.lab", write=True) as opened:
        assert opened.damage() == []
    assert made_up.tables(tmp_path / "a.lab") == before
