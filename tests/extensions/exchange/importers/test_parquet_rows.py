"""Parquet, written by pyarrow: a row a run, with its outcome."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from steelyard.core.errors import UsageError
from steelyard.extensions.exchange.importers import parquet_rows, read
from steelyard.extensions.exchange.importers.columns import Chosen

pyarrow = pytest.importorskip("pyarrow", reason="pyarrow, which writes the files of these tests, is missing")
parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow was built without Parquet")

ROWS = [
    {"arm": "old", "n": 7, "time": 1.5, "status": "ok"},
    {"arm": "old", "n": 7, "time": 1.25, "status": "ok"},
    {"arm": "new", "n": 7, "time": None, "status": "timeout"},
    {"arm": "new", "n": 7, "time": 0.1, "status": "ok"},
]
CHOSEN = Chosen(("time",), ("arm", "n"), "s")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    parquet.write_table(pyarrow.Table.from_pylist(ROWS), tmp_path / "runs.parquet")
    return tmp_path / "runs.parquet"


@pytest.mark.parametrize("form", [None, "parquet"])
def test_rows_of_parquet_are_runs_with_their_outcomes(file, form):
    contents = read(file, form, CHOSEN)
    assert contents.tool == "parquet"
    assert [(dict(series.levels), series.values) for series in contents.series] == [
        ({"arm": "old", "n": 7}, ((1.5,), (1.25,))),
        ({"arm": "new", "n": 7}, ((0.1,),)),
    ]
    assert [(item.levels["arm"], item.timed_out) for item in contents.failures] == [("new", 1)]


def test_a_file_that_was_cut_off_is_refused_with_its_name(file):
    file.write_bytes(file.read_bytes()[:-60])
    with pytest.raises(UsageError, match=r"runs\.parquet: ") as caught:
        read(file, chosen=CHOSEN)
    assert "nothing was imported" in (caught.value.hint or "")


def test_another_file_is_no_parquet(tmp_path):
    (tmp_path / "runs.csv").write_text("arm,time\na,1\n")
    with pytest.raises(UsageError, match="no Parquet file"):
        read(tmp_path / "runs.csv", "parquet", CHOSEN)


@pytest.mark.parametrize("missing", [(), ("arro3.io",)])
def test_more_rows_than_a_record_holds_are_refused_before_all_are_unpacked(tmp_path, monkeypatch, missing):
    for name in missing:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setattr(parquet_rows, "MOST_ROWS", 10_000)
    rows = pyarrow.table({"arm": ["old"] * 300_000, "time": [1.5] * 300_000})
    parquet.write_table(rows, tmp_path / "many.parquet")
    assert (tmp_path / "many.parquet").stat().st_size < 5_000
    with pytest.raises(UsageError, match="more than 10,000 rows"):
        read(tmp_path / "many.parquet", chosen=Chosen(("time",), ("arm",), "s"))


def test_without_arro3_pyarrow_reads_the_same(file, monkeypatch):
    before = read(file, chosen=CHOSEN)
    monkeypatch.setitem(sys.modules, "arro3.io", None)
    assert read(file, chosen=CHOSEN) == before


def test_a_pipe_is_read_whole():
    reading, writing = os.pipe()
    os.write(writing, b"arm,time\nold,1.5\nnew,2.5\n")
    os.close(writing)
    try:
        contents = read(Path(f"/dev/fd/{reading}"), chosen=Chosen(("time",), ("arm",), "s"))
    finally:
        os.close(reading)
    assert [series.values for series in contents.series] == [((1.5,),), ((2.5,),)]
    assert not parquet_rows.is_parquet(Path("/dev/null"))
