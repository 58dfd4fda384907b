"""Other tools' files: round trips, both JSON schemas, and every mistake pointed at."""

from __future__ import annotations

import io
import json
import math
import struct
from zipfile import ZipFile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.core.errors import UsageError
from steelyard.core.series import CsvColumns, Point, Series, series_of
from steelyard.extensions.exchange.export import export_series
from steelyard.extensions.exchange.files import read_series
from steelyard.extensions.growth.algebra import Growth
from steelyard.extensions.growth.scaling import model, model_all

pytestmark = pytest.mark.extensions("growth")

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
    export_series(series, to, form, unnamed="it")


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
    result = read(
        tmp_path, "a.txt", "PARAMETER p\nPOINTS 4 8 16\nREGION r\nMETRIC m\nDATA 1\nDATA 2\nDATA 3\n"
    )
    two = read(tmp_path, "b.txt", "PARAMETER p q\nPOINTS 4 1 8 1\nREGION r\nMETRIC m\nDATA 1\nDATA 2\n")
    assert content(result) == {("r", "m"): {(4.0,): [1.0], (8.0,): [2.0], (16.0,): [3.0]}}
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
    result = [
        read(tmp_path, "new.json", json.dumps(new)),
        read(tmp_path, "old.json", json.dumps(OLD)),
        read(tmp_path, "lines.jsonl", "\n".join(lines) + "\n"),
    ]
    expected = {("main", "time"): VALUES["main"]["time"]}
    assert [content(series) for series in result] == [expected] * 3
    assert {s.parameters for series in result for s in series} == {("p", "size")}


@pytest.mark.parametrize("name", ["d.tsv", "d.TAB", "d", "d.csv"])
def test_a_table_with_tabs_is_read_as_one_with_commas(tmp_path, name):
    rows = [("n", "time_s"), ("10", "1.5"), ("20", "2.5"), ("20", "2.7")]
    (tabs,), (commas,) = (
        read(tmp_path, name, "".join(f"{separator.join(row)}\n" for row in rows)) for separator in "\t,"
    )
    assert tabs == commas


def test_a_csv_file_needs_its_columns_named_and_takes_value_u_and_n(tmp_path):
    text = "op,p,mean,u,launches\nbcast,4,1.5,0.1,5\nbcast,8,2.5,0.2,5\nreduce,4,3,0.3,5\n"
    series = read(tmp_path, "d.csv", text, CsvColumns("mean", ("p",), ("op",), "u", "launches", "s"))
    assert content(series) == {
        ("bcast", "mean"): {(4.0,): [1.5], (8.0,): [2.5]},
        ("reduce", "mean"): {(4.0,): [3.0]},
    }
    assert [(p.u, p.launches) for p in series[0].points] == [(0.1, 5), (0.2, 5)]
    with pytest.raises(UsageError, match="--value is missing") as caught:
        read(tmp_path, "d.csv", text)
    assert "--value" in caught.value.hint
    assert caught.value.hint.endswith("it has op, p, mean, u, launches")


def test_of_two_columns_the_first_varies_and_the_second_is_measured(tmp_path):
    (series,) = read(tmp_path, "d.csv", "n, time_s\n10,1.5\n20,2.5\n20,2.7\n")
    assert (series.parameters, series.metric) == (("n",), "time_s")
    assert [list(point.values) for point in series.points] == [[1.5], [2.5, 2.7]]


def test_repeated_points_and_numbers_in_text_are_read_as_one_plain_point(tmp_path):
    def read(*points):
        document = {
            "parameters": ["p"],
            "measurements": {"m": {"visits": list(points), "time": list(points)}},
        }
        (tmp_path / "a.json").write_text(json.dumps(document), encoding="utf-8")
        return read_series(tmp_path / "a.json")

    plain = read({"point": [8], "values": [3, 4.5]}, {"point": [4], "values": [1, 2]})
    assert [point.at for point in plain[0].points] == [(4.0,), (8.0,)]
    assert [item.counts for item in plain] == [True, False]
    four = {"point": [4], "values": [1]}, {"point": [4.0], "values": ["2"]}
    assert read({"point": ["8"], "values": ["3", 4.5]}, *four) == plain


MEASURED = '{"parameters": ["p"], "measurements": {"m": {"t": [{"point": [POINT], "values": [VALUE]}]}}}'
HUGE = "1" + "0" * 400

numbers = st.floats(1e-9, 1e12, allow_nan=False)
grids = st.lists(st.tuples(st.integers(1, 10**6).map(float)), min_size=1, max_size=4, unique=True).map(sorted)


@given(grids, st.data())
def test_what_is_written_reads_back_the_same(tmp_path_factory, grid, data):
    folder = tmp_path_factory.mktemp("round")
    files = [
        Series(
            name, "time", "s", ("p",),
            tuple(Point(at, tuple(data.draw(st.lists(numbers, min_size=1, max_size=3)))) for at in grid),
        )
        for name in ("main", "main->solve <τ>")
    ]  # fmt: skip
    for form in ("extrap-text", "extrap-json"):
        write(files, folder / "data", form)
        assert content(read_series(folder / "data")) == content(files), form


@pytest.mark.parametrize(
    ("name", "text", "message"),
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
        ("a.txt", "PARAMETER p\nPOINTS nan\nREGION r\nDATA 1\n", "is not finite"),
        ("a.json", "{", "Expecting"),
        ("a.json", '{"parameters": ["p"]}', "no 'measurements'"),
        (
            "a.json",
            '{"parameters": ["p"], "measurements": {"m": {"t": [{"point": [1, 2], "values": [1]}]}}}',
            "coordinates",
        ),
        ("a.jsonl", '{"params": {"p": 1}, "value": 1}\n{"params": {"q": 1}, "value": 1}\n', "line 2: no 'p'"),
        ("a.jsonl", '{"params": {"p": 1}, "value": 1}\nnot json\n', "line 2"),
        ("a.json", '{"parameters": ["p"], "measurements": {}}', "no measurements in it"),
        ("a.json", MEASURED.replace("POINT", "4").replace("VALUE", HUGE), "too large for a double"),
        ("a.json", MEASURED.replace("POINT", HUGE).replace("VALUE", "1"), "too large for a double"),
        (
            "a.jsonl",
            '{"params": {"p": 1}, "value": HUGE}'.replace("HUGE", HUGE),
            "line 1: a number is too large",
        ),
        (
            "a.jsonl",
            '{"params": {"p": HUGE}, "value": 1}'.replace("HUGE", HUGE),
            "line 1: a number is too large",
        ),
        ("a.bin", "hello", "in no format"),
    ],
)
def test_a_mistake_in_a_file_is_pointed_at(tmp_path, name, text, message):
    with pytest.raises(UsageError, match=message) as caught:
        read(tmp_path, name, text)
    assert name in caught.value.message
    assert caught.value.hint


@pytest.mark.parametrize(
    ("columns", "text", "message"),
    [
        (CsvColumns("tme", ("p",)), "time,p\n1,2\n", "no column 'tme'"),
        (CsvColumns("time", ("p",)), "time,p, time\n1,2,3\n", "columns 1 and 3 are both named 'time'"),
        (CsvColumns("time", ("p",)), "", "the file is empty"),
        (CsvColumns("time", ("p",)), "\n1,2\n", "its first line names no column"),
        (CsvColumns("time", ("p",)), "time,p\n1,two\n", "line 2: p is 'two'"),
        (CsvColumns("time", ("p",)), "time,p\n,4\n", "no row has a finite time"),
        (CsvColumns("time", ("p",), u="u"), "time,p,u\n1,4,1\n2,4,1\n", "2 summaries"),
    ],
)
def test_a_mistake_in_a_csv_file_is_pointed_at(tmp_path, columns, text, message):
    with pytest.raises(UsageError, match=message) as caught:
        read(tmp_path, "d.csv", text, columns)
    assert caught.value.hint


def test_a_file_that_cannot_be_read_is_an_error(tmp_path):
    with pytest.raises(UsageError, match="No such file"):
        read_series(tmp_path / "missing.json")
    (tmp_path / "bytes.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UsageError, match="not UTF-8"):
        read_series(tmp_path / "bytes.json")


def test_text_cannot_hold_functions_with_different_points(tmp_path):
    series = Series("a", "t", "", ("p",), (Point((4.0,), (1.0,)),))
    two = Series("b", "t", "", ("p",), (Point((8.0,), (1.0,)),))
    with pytest.raises(UsageError, match="points are not those of a"):
        write([series, two], tmp_path / "x.txt", "extrap-text")
    assert not (tmp_path / "x.txt").exists()
    write([series, two], tmp_path / "x.json", "extrap-json")
    assert content(read_series(tmp_path / "x.json")) == content([series, two])


def test_a_function_without_a_name_gets_one_and_stays_on_its_line(tmp_path):
    points = (Point((4.0,), (1.0,)),)
    write([Series("", "t", "", ("p",), points)], tmp_path / "x.txt", "extrap-text")
    assert content(read_series(tmp_path / "x.txt")) == {("it", "t"): {(4.0,): [1.0]}}
    write([Series("a\nDATA 7", "t", "", ("p",), points)], tmp_path / "x.txt", "extrap-text")
    assert content(read_series(tmp_path / "x.txt")) == {("a DATA 7", "t"): {(4.0,): [1.0]}}


OWN_KEYS = "".join(
    json.dumps({"op": op, "at": {"p": p}, "host": f"node{p % 7}-{i}", "t": p * 0.5}) + "\n"
    for op in ("bcast", "gather") for i in range(2) for p in (4, 8, 16)
)  # fmt: skip


def test_json_lines_with_keys_of_ones_own_are_read_as_csv_is(tmp_path):
    path = tmp_path / "own.jsonl"
    path.write_text(OWN_KEYS + json.dumps({"op": "bcast", "at": {"p": 32}, "t": [16.0, 17.0]}) + "\n")
    bcast, gather = read_series(path, CsvColumns("t", ("at.p",), ("op",)))
    assert (bcast.labels, bcast.parameters, bcast.metric) == ({"op": "bcast"}, ("at.p",), "t")
    assert [point.values for point in bcast.points] == [(2.0, 2.0), (4.0, 4.0), (8.0, 8.0), (16.0, 17.0)]
    assert len(gather.points) == 3


def test_functions_that_nobody_named_are_not_pooled(tmp_path):
    path = tmp_path / "own.jsonl"
    path.write_text(OWN_KEYS)
    with pytest.raises(UsageError) as caught:
        read_series(path, CsvColumns("t", ("at.p",)))
    assert "column 'op' tells 2 functions apart (bcast, gather)" in caught.value.message
    assert caught.value.hint == "--by op models each; --pool op takes them for one"
    (pooled,) = read_series(path, CsvColumns("t", ("at.p",), pool=("op",)))
    assert [point.launches for point in pooled.points] == [4, 4, 4]


@pytest.mark.parametrize("sizes", [(10, 100, 1000), (0.5, 1.0), (1, 2, 4)])
def test_a_factor_of_numbers_that_nobody_named_is_not_pooled(tmp_path, sizes):
    path = tmp_path / "grid.csv"
    rows = [f"{p},{n},{p * n}" for p in (2, 4, 8, 16) for n in sizes for _ in range(2)]
    path.write_text("\n".join(["p,n,t", *rows]))
    with pytest.raises(UsageError) as caught:
        read_series(path, CsvColumns("t", ("p",)))
    assert f"column 'n' tells {len(sizes)} functions apart ({sizes[0]}, " in caught.value.message
    assert caught.value.hint == (
        "--parameter n makes it one more parameter; --by n models each; --pool n takes them for one"
    )
    (pooled,) = read_series(path, CsvColumns("t", ("p",), pool=("n",)))
    assert [point.launches for point in pooled.points] == [2 * len(sizes)] * 4
    assert len(read_series(path, CsvColumns("t", ("p",), by=("n",)))) == len(sizes)
    assert read_series(path, CsvColumns("t", ("p", "n")))[0].parameters == ("p", "n")


@pytest.mark.parametrize(
    ("column", "of"),
    [
        pytest.param("repetition", lambda p, again: again + 1, id="repetitions"),
        pytest.param("second", lambda p, again: 100 * p + again, id="a time of day"),
        pytest.param("messages", lambda p, again: 2 * p, id="what hangs on the parameter"),
        pytest.param("misses", lambda p, again: (7, 9, 7, 8)[(again + p // 4) % 4], id="another value"),
        pytest.param("port", lambda p, again: 137, id="always the same"),
    ],
)
def test_a_column_of_numbers_that_is_no_factor_is_left_alone(tmp_path, column, of):
    path = tmp_path / "runs.csv"
    rows = [f"{p},{of(p, again)},{p + again}" for p in (2, 4, 8, 16) for again in range(3)]
    path.write_text("\n".join([f"p,{column},t", *rows]))
    (series,) = read_series(path, CsvColumns("t", ("p",)))
    assert [point.launches for point in series.points] == [3, 3, 3, 3]


def test_one_cell_that_is_no_number_loses_one_row_and_says_so(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("p,t\n4,1.0\n4,nan\n8,2.0\n16,\n16,3.0\n32,4\n")
    (series,) = read_series(path, CsvColumns("t", ("p",)))
    assert series.lost == ("'nan' at p = 4 (line 3)", "'' at p = 16 (line 5)")
    assert [point.values for point in series.points] == [(1.0,), (2.0,), (3.0,), (4.0,)]
    (warning,) = [item for item in model(series).warnings if item.kind == "left_out"]
    assert warning.words == "no value: 'nan' at p = 4 (line 3), '' at p = 16 (line 5); no rank is given"
    path.write_text("p,t\n4,nan\n8,nan\n")
    with pytest.raises(UsageError, match="no row has a finite t"):
        read_series(path, CsvColumns("t", ("p",)))


@pytest.mark.parametrize("values", ["", "NaN"])
def test_a_function_of_which_no_value_is_left_is_not_modelled_and_the_others_are(tmp_path, values):
    good = ", ".join(f'{{"point": [{p}], "values": [{p}]}}' for p in (4, 8, 16, 32, 64))
    bad = f'{{"point": [4], "values": [{values}]}}'
    text = f'{{"parameters": ["p"], "measurements": {{"good": {{"t": [{good}]}}, "bad": {{"t": [{bad}]}}}}}}'
    modelled, failed = model_all(read(tmp_path, "a.json", text))
    assert modelled.growth() == "O(p)"
    assert failed.reason == "no finite value" + (" (nan at p = 4)" if values else "")


def test_a_line_with_more_or_fewer_cells_than_the_header_is_refused(tmp_path):
    path = tmp_path / "data.csv"
    for line, cells in (("8,2.0,9", "3 cells"), ("8", "1 cell")):
        path.write_text(f"p,t\n4,1.0\n{line}\n")
        with pytest.raises(UsageError, match=f"line 3: {cells}, but the header has 2"):
            read_series(path, CsvColumns("t", ("p",)))


def test_fewer_data_than_points_are_refused(tmp_path):
    path = tmp_path / "data.txt"
    for text in (TEXT.replace("DATA 2 2.5\n", ""), TEXT.replace("DATA 4\n", "")):
        path.write_text(text)
        with pytest.raises(UsageError, match="has 1 DATA lines, but there are 2 POINTS"):
            read_series(path)


def test_talpas_lines_are_read(tmp_path):
    path = tmp_path / "data.txt"
    path.write_text(
        "".join(
            f'{{"parameters": {{"p": {p}; "n": 10}}; "metric": "time"; "callpath": "main->f";'
            f' "value": {p}.5}}\n'
            for p in (4, 8, 4)
        )
    )
    (series,) = read_series(path)
    assert (series.name, series.metric, series.parameters) == ("main->f", "time", ("p", "n"))
    assert [(point.at, point.values) for point in series.points] == [
        ((4.0, 10.0), (4.5, 4.5)), ((8.0, 10.0), (8.5,)),
    ]  # fmt: skip


def experiment(path, *, keep):
    """An experiment as Extra-P 4.2.5 writes it: positions of arrays count from the start of their file."""
    points = []
    data, positions = io.BytesIO(b"Extra-P VALUES\0\0"), []
    data.seek(0, io.SEEK_END)
    for place, p in enumerate((4.0, 8.0)):
        values = np.array([p, p + 1, p + 2])
        positions.append(data.tell())
        np.lib.format.write_array(data, values)
        points.append(
            {"coordinate": [p, 10.0], "mean": values.mean(), "std": values.std(), "repetitions": 3,
             "values": [0, place] if keep else None}
        )  # fmt: skip
    document = {"Extra-P": "4.2.5", "parameters": ["p", "n"], "measurements": {"main": {"time": points}}}
    with ZipFile(path, "w") as archive:
        archive.writestr("experiment.json", json.dumps(document))
        if keep:
            archive.writestr("values/0.vals", data.getvalue())
            packed = struct.pack(f"<Q{len(positions)}Q", len(positions), *positions)
            archive.writestr("values/0.indx", b"Extra-P INDEX\0\0\0" + packed)


def test_experiments_of_extra_p_are_read_with_their_repetitions_or_their_summary(tmp_path):
    path = tmp_path / "it.extra-p"
    experiment(path, keep=True)
    (series,) = read_series(path)
    assert (series.name, series.metric, series.unit, series.parameters) == ("main", "time", "s", ("p", "n"))
    assert [point.values for point in series.points] == [(4.0, 5.0, 6.0), (8.0, 9.0, 10.0)]
    experiment(path, keep=False)
    (series,) = read_series(path)
    first = series.points[0]
    assert (first.values, first.n) == ((5.0,), 3)
    # The standard error of the mean of 4, 5 and 6.
    assert first.u == pytest.approx(1 / math.sqrt(3))


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 no archive"])
def test_what_is_no_experiment_is_refused(tmp_path, content):
    path = tmp_path / "it.extra-p"
    path.write_bytes(content)
    with pytest.raises(UsageError, match="not an experiment of Extra-P"):
        read_series(path)


def test_four_parameters_are_modelled():
    at = [(p, n, k, t) for p in (2, 4, 8) for n in (10, 20, 40) for k in (1, 2, 3) for t in (1, 2, 4)]
    values = [[3.0 + 2 * p * n + k**2] for p, n, k, t in at]
    result = model(series_of("f", ["p", "n", "k", "t"], at, values))
    assert (result.growth(), result.lead) == (
        "O(p n + k^2)",
        (Growth.make(1), Growth.make(1), Growth.make(2), Growth()),
    )
