"""JSON of no tool: a path with wildcards leads to the values, names on the way are columns."""

from __future__ import annotations

import json

import pytest

from steelyard.core.errors import UsageError
from steelyard.extensions.exchange.importers import read
from steelyard.extensions.exchange.importers.columns import Chosen

TREE = {
    "host": "n1",
    "results": {
        "old": {"times": [1.0, 2.0], "config": {"threads": 4}},
        "new": {"times": [3.0, 4.0], "config": {"threads": 8}},
    },
}


def series_of(contents):
    return [(dict(series.levels), series.values) for series in contents.series]


@pytest.mark.parametrize("path", ["results/*/times/*", "results/*/times", "/results/*/times/*"])
def test_keys_on_the_way_are_labels_named_after_what_has_them(written, path):
    contents = read(written(json.dumps(TREE), "tree.json"), chosen=Chosen((path,), ("results",), "s"))
    assert (contents.tool, contents.repeats) == ("json", "launch")
    assert series_of(contents) == [
        ({"results": "old"}, ((1.0,), (2.0,))),
        ({"results": "new"}, ((3.0,), (4.0,))),
    ]


def test_members_beside_the_path_and_of_objects_in_them_are_columns(written):
    chosen = Chosen(("results/*/times/*",), ("config.threads", "host"), "s")
    contents = read(written(json.dumps(TREE), "tree.json"), chosen=chosen)
    assert [levels for levels, _ in series_of(contents)] == [
        {"config_threads": 4, "host": "n1"},
        {"config_threads": 8, "host": "n1"},
    ]


def test_repetitions_are_numbered(written):
    contents = read(
        written(json.dumps(TREE), "tree.json"), chosen=Chosen(("results/*/times/*",), ("results",), "s")
    )
    assert contents.beside is not None
    assert contents.beside.columns["iteration"] == ("0", "1", "0", "1")


@pytest.mark.parametrize("path", ["t", "*/t"])
def test_a_list_of_objects_is_a_table(written, path):
    rows = [{"tool": "a", "t": 5}, {"tool": "b", "t": 6}, {"tool": "b", "t": None, "status": "crash"}]
    contents = read(written(json.dumps(rows), "rows.json"), chosen=Chosen((path,), ("tool",), "ms"))
    assert series_of(contents) == [({"tool": "a"}, ((0.005,),)), ({"tool": "b"}, ((0.006,),))]
    assert [item.failed for item in contents.failures] == [1]


def test_lines_of_json_are_rows_and_objects_in_them_are_reached(written):
    lines = "".join(
        f'{{"run": {{"tool": "{tool}", "t": [{n}, {n + 1}]}}}}\n' for n, tool in ((1, "a"), (5, "b"))
    )
    contents = read(written(lines, "rows.jsonl"), chosen=Chosen(("run/t",), ("tool",), "s"))
    assert contents.tool == "jsonl"
    assert series_of(contents) == [({"tool": "a"}, ((1.0,), (2.0,))), ({"tool": "b"}, ((5.0,), (6.0,)))]


def test_each_element_of_a_list_can_be_one_value(written):
    tree = {"runs": [{"arm": arm, "t": [1.0, 3.0]} for arm in "aabb"]}
    file = written(json.dumps(tree), "tree.json")
    chosen = Chosen(("runs/*/t/*",), ("arm",), "s", job="runs")
    assert series_of(read(file, chosen=chosen)) == [
        ({"arm": "a"}, ((2.0,), (2.0,))),
        ({"arm": "b"}, ((2.0,), (2.0,))),
    ]
    (note,) = read(file, chosen=Chosen(("runs/*/t/*",), ("arm",), "s")).notes
    assert note.startswith("Rows that differ in runs count as runs of one treatment")


def test_several_metrics_stand_beside_each_other(written):
    rows = [{"t": {"wall": 1, "cpu": 2}, "tool": "a"}, {"t": {"wall": 3, "cpu": 4}, "tool": "a"}]
    contents = read(
        written(json.dumps(rows), "rows.json"), chosen=Chosen(("t/wall", "t/cpu"), ("tool",), "s")
    )
    assert [(series.metric, series.values) for series in contents.series] == [
        ("wall", ((1.0,), (3.0,))),
        ("cpu", ((2.0,), (4.0,))),
    ]
    with pytest.raises(UsageError, match="not of the same runs"):
        read(written(json.dumps([{"t": 1, "u": [1, 2]}]), "odd.json"), chosen=Chosen(("t", "u"), (), "s"))


def test_exit_codes_in_a_list_beside_the_times_are_outcomes(written):
    tree = {"results": [{"command": "a", "times": [1.0, 2.0, 3.0], "exit_codes": [0, 1, 124]}]}
    chosen = Chosen(("results/*/times/*",), ("command",), "s")
    contents = read(written(json.dumps(tree), "tree.json"), "json", chosen)
    assert series_of(contents) == [({"command": "a"}, ((1.0,),))]
    assert [(item.failed, item.timed_out) for item in contents.failures] == [(1, 1)]


@pytest.mark.parametrize(
    ("path", "problem", "cure"),
    [
        ("nosuch", "nothing is at 'nosuch'", "results/old/times/*"),
        ("results", "results leads to an object", "results/*"),
        ("results/*/times/*/x", "nothing is at", "numbers are at"),
    ],
)
def test_a_path_that_leads_nowhere_names_those_that_do(written, path, problem, cure):
    with pytest.raises(UsageError, match=problem) as caught:
        read(written(json.dumps(TREE), "tree.json"), chosen=Chosen((path,), (), "s"))
    assert cure in (caught.value.hint or "")


def test_a_file_of_a_tool_is_read_by_paths_where_its_format_is_json(written, tmp_path):
    text = json.dumps({"results": [{"command": "a", "times": [1.0, 2.0], "exit_codes": [0, 0]}]})
    chosen = Chosen(("results/*/times",), ("command",), "s")
    with pytest.raises(UsageError, match="hyperfine names its metrics itself") as caught:
        read(written(text, "h.json"), chosen=chosen)
    assert "--format json" in (caught.value.hint or "")
    assert series_of(read(written(text, "h.json"), "json", chosen)) == [({"command": "a"}, ((1.0,), (2.0,)))]


@pytest.mark.parametrize("lack", [{}, {"t": None}, {"t": []}])
def test_an_element_without_a_value_is_a_run_that_failed_and_no_lost_row(written, lack):
    rows = [{"tool": "a", "t": [5]}, {"tool": "b", "t": [6]}, {"tool": "b", **lack}]
    lines = "\n".join(map(json.dumps, rows))
    contents = read(written(lines, "rows.jsonl"), "jsonl", Chosen(("t",), ("tool",), "ms"))
    assert series_of(contents) == [({"tool": "a"}, ((0.005,),)), ({"tool": "b"}, ((0.006,),))]
    assert [dict(item.levels) for item in contents.failures] == [{"tool": "b"}]
