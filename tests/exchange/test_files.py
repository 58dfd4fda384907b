"""Other tools' files: round trips, both JSON schemas, and every mistake pointed at."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.errors import UsageError
from steelyard.exchange.csv_columns import Columns
from steelyard.exchange.export import export_series
from steelyard.exchange.files import read_series
from steelyard.series import Point, Series

VALUES = {"main": {"time": {(4.0, 10.0): [1.5, 1.25], (8.0, 10.0): [2.0, 2.5]}}}

TEXT = """\
# as Extra-P's manual shows it
PARAMETER p
PARAMETER size

POINTS (4 10) (8 10)
REGION main->solve
METRIC time
DATA 1.5 1.25
DATA 2 2.5
METRIC visits
DATA 3
DATA 4
"""
OLD = {
    "parameters": [{"id": 2, "name": "size"}, {"id": 1, "name": "p"}],
    "callpaths": [{"id": 1, "name": "main"}],
    "metrics": [{"id": 1, "name": "time"}],
    "coordinates": [
        {"id": 1, "parameter_value_pairs": [
            {"parameter_id": 2, "parameter_value": "10"}, {"parameter_id": 1, "parameter_value": "4"}]},
        {"id": 2, "parameter_value_pairs": [
            {"parameter_id": 1, "parameter_value": "8"}, {"parameter_id": 2, "parameter_value": "10"}]},
    ],
    "measurements": [
        {"id": i, "metric_id": 1, "callpath_id": 1, "coordinate_id": c, "value": v}
        for i, (c, v) in enumerate([(1, 1.5), (1, 1.25), (2, 2.0), (2, 2.5)])
    ],
}  # fmt: skip


def content(series):
    return {(s.name, s.metric): {point.at: list(point.values) for point in s.points} for s in series}


def write(series, to, form):
    export_series(series, to, form, directory=to.parent / "it.lab", unnamed="it")


def read(tmp_path, name, text, columns=None):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return read_series(path, columns)


def test_text_is_read_with_its_regions_metrics_and_points(tmp_path):
    series = read(tmp_path, "data.txt", TEXT)
    assert [s.parameters for s in series] == [("p", "size")] * 2
    assert content(series) == {
        ("main->solve", "time"): {(4.0, 10.0): [1.5, 1.25], (8.0, 10.0): [2.0, 2.5]},
        ("main->solve", "visits"): {(4.0, 10.0): [3.0], (8.0, 10.0): [4.0]},
    }
    assert [(s.unit, s.counts) for s in series] == [("s", False), ("", True)]


def test_points_without_parentheses_are_read_too(tmp_path):
    one = read(tmp_path, "a.txt", "PARAMETER p\nPOINTS 4 8 16\nREGION r\nMETRIC m\nDATA 1\nDATA 2\nDATA 3\n")
    two = read(tmp_path, "b.txt", "PARAMETER p q\nPOINTS 4 1 8 1\nREGION r\nMETRIC m\nDATA 1\nDATA 2\n")
    assert content(one) == {("r", "m"): {(4.0,): [1.0], (8.0,): [2.0], (16.0,): [3.0]}}
    assert content(two) == {("r", "m"): {(4.0, 1.0): [1.0], (8.0, 1.0): [2.0]}}


def test_both_json_schemas_and_json_lines_say_the_same(tmp_path):
    new = {
        "parameters": ["p", "size"],
        "measurements": {
            "main": {
                "time": [{"point": [4, 10], "values": [1.5, 1.25]}, {"point": [8, 10], "values": [2.0, 2.5]}]
            }
        },
    }
    lines = [
        json.dumps({"params": {"p": p, "size": 10}, "callpath": "main", "metric": "time", "value": v})
        for p, v in [(4, 1.5), (4, 1.25), (8, 2.0), (8, 2.5)]
    ]
    found = [
        read(tmp_path, "new.json", json.dumps(new)),
        read(tmp_path, "old.json", json.dumps(OLD)),
        read(tmp_path, "lines.jsonl", "\n".join(lines) + "\n"),
    ]
    expected = {("main", "time"): VALUES["main"]["time"]}
    assert [content(series) for series in found] == [expected] * 3
    assert {s.parameters for series in found for s in series} == {("p", "size")}


def test_a_csv_file_needs_its_columns_named_and_takes_value_u_and_n(tmp_path):
    text = "op,p,mean,u,launches\nbcast,4,1.5,0.1,5\nbcast,8,2.5,0.2,5\nreduce,4,3,0.3,5\n"
    series = read(tmp_path, "d.csv", text, Columns("mean", ("p",), ("op",), "u", "launches", "s"))
    assert content(series) == {
        ("bcast", "mean"): {(4.0,): [1.5], (8.0,): [2.5]},
        ("reduce", "mean"): {(4.0,): [3.0]},
    }
    assert [(p.u, p.launches) for p in series[0].points] == [(0.1, 5), (0.2, 5)]
    with pytest.raises(UsageError, match="was not said") as caught:
        read(tmp_path, "d.csv", text)
    assert "--value" in caught.value.hint


numbers = st.floats(1e-9, 1e12, allow_nan=False)
grids = st.lists(st.tuples(st.integers(1, 10**6).map(float)), min_size=1, max_size=4, unique=True).map(sorted)


@given(grids, st.data())
def test_what_is_written_reads_back_the_same(tmp_path_factory, grid, data):
    folder = tmp_path_factory.mktemp("round")
    made = [
        Series(
            name, "time", "s", ("p",),
            tuple(Point(at, tuple(data.draw(st.lists(numbers, min_size=1, max_size=3)))) for at in grid),
        )
        for name in ("main", "main->solve <τ>")
    ]  # fmt: skip
    for form in ("extrap-text", "extrap-json"):
        write(made, folder / "data", form)
        assert content(read_series(folder / "data")) == content(made), form


@pytest.mark.parametrize(
    ("name", "text", "what"),
    [
        (
            "a.txt",
            "PARAMETER p\nPOINTS 4 8\nREGION r\nMETRIC m\nDATA 1\nDATA x\n",
            "line 6: 'x' is not a number",
        ),
        ("a.txt", "PARAMETER p\nPOINTS 4\nREGION r\nDATA 1\nDATA 2\n", "line 5: DATA line 2"),
        ("a.txt", "PARAMETER p q\nPOINTS (4)\n", "has 1 coordinates, not 2"),
        ("a.txt", "POINTS 4\n", "POINTS before PARAMETER"),
        ("a.txt", "PARAMETER p\nPOINTS 4\nTIME 3\n", "line 3: 'TIME' means nothing"),
        ("a.txt", "PARAMETER p\nPOINTS 4\nREGION r\nDATA nan\n", "not a finite number"),
        ("a.json", "{", "Expecting"),
        ("a.json", '{"parameters": ["p"]}', "no 'measurements'"),
        (
            "a.json",
            '{"parameters": ["p"], "measurements": {"m": {"t": [{"point": [1, 2], "values": [1]}]}}}',
            "coordinates",
        ),
        ("a.jsonl", '{"params": {"p": 1}, "value": 1}\n{"params": {"q": 1}, "value": 1}\n', "line 2: no 'p'"),
        ("a.jsonl", '{"params": {"p": 1}, "value": 1}\nnot json\n', "line 2"),
        ("a.json", '{"parameters": ["p"], "measurements": {}}', "no measurement in it"),
        ("a.bin", "hello", "in no format"),
    ],
)
def test_a_mistake_in_a_file_is_pointed_at(tmp_path, name, text, what):
    with pytest.raises(UsageError, match=what) as caught:
        read(tmp_path, name, text)
    assert name in caught.value.message
    assert caught.value.hint


@pytest.mark.parametrize(
    ("columns", "text", "what"),
    [
        (Columns("tme", ("p",)), "time,p\n1,2\n", "there is no column 'tme'"),
        (Columns("time", ("p",)), "time,p\n1,two\n", "line 2: p is 'two'"),
        (Columns("time", ("p",)), "time,p\n,4\n", "line 2: time is ''"),
        (Columns("time", ("p",), u="u"), "time,p,u\n1,4,1\n2,4,1\n", "2 summaries"),
    ],
)
def test_a_mistake_in_a_csv_file_is_pointed_at(tmp_path, columns, text, what):
    with pytest.raises(UsageError, match=what) as caught:
        read(tmp_path, "d.csv", text, columns)
    assert caught.value.hint


def test_a_file_that_cannot_be_read_is_an_error(tmp_path):
    with pytest.raises(UsageError, match="No such file"):
        read_series(tmp_path / "missing.json")
    (tmp_path / "bytes.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UsageError, match="not UTF-8"):
        read_series(tmp_path / "bytes.json")


def test_text_cannot_hold_functions_with_different_points(tmp_path):
    one = Series("a", "t", "", ("p",), (Point((4.0,), (1.0,)),))
    two = Series("b", "t", "", ("p",), (Point((8.0,), (1.0,)),))
    with pytest.raises(UsageError, match="points are not those of a"):
        write([one, two], tmp_path / "x.txt", "extrap-text")
    assert not (tmp_path / "x.txt").exists()
    write([one, two], tmp_path / "x.json", "extrap-json")
    assert content(read_series(tmp_path / "x.json")) == content([one, two])


def test_a_function_without_a_name_gets_one_and_stays_on_its_line(tmp_path):
    points = (Point((4.0,), (1.0,)),)
    write([Series("", "t", "", ("p",), points)], tmp_path / "x.txt", "extrap-text")
    assert content(read_series(tmp_path / "x.txt")) == {("it", "t"): {(4.0,): [1.0]}}
    write([Series("a\nDATA 7", "t", "", ("p",), points)], tmp_path / "x.txt", "extrap-text")
    assert content(read_series(tmp_path / "x.txt")) == {("a DATA 7", "t"): {(4.0,): [1.0]}}
