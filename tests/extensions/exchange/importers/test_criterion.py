"""Directories of Criterion: one that it made, and others by its layout."""

from __future__ import annotations

import json

import pytest

from steelyard.core.errors import UsageError
from steelyard.extensions.exchange.importers import read


def save(directory, saved, times, iters=None, **about):
    place = directory / saved
    place.mkdir(parents=True)
    sample = {"sampling_mode": "Linear", "iters": iters or [1.0] * len(times), "times": times}
    (place / "sample.json").write_text(json.dumps(sample))
    (place / "benchmark.json").write_text(json.dumps({"group_id": "fib", **about}))


def test_times_are_those_of_one_iteration_in_seconds(tmp_path):
    save(tmp_path / "fib", "new", [100.0, 200.0, 330.0], [1.0, 2.0, 3.0])
    (series,) = read(tmp_path).series
    assert dict(series.levels) == {"benchmark": "fib", "saved": "new"}
    assert series.values == ((pytest.approx(100e-9), pytest.approx(100e-9), pytest.approx(110e-9)),)


def test_saved_runs_are_levels_and_the_copy_of_the_newest_is_left_out(tmp_path):
    save(tmp_path / "fib", "base", [100.0, 101.0])
    save(tmp_path / "fib", "main", [90.0, 91.0])
    save(tmp_path / "fib", "new", [100.0, 101.0])
    assert [item.levels["saved"] for item in read(tmp_path).series] == ["main", "new"]


def test_functions_and_values_of_a_group_are_told_apart(tmp_path):
    save(tmp_path / "fib" / "loop" / "20", "new", [1.0], function_id="loop", value_str="20")
    assert dict(read(tmp_path).series[0].levels) == {"benchmark": "fib/loop", "value": 20, "saved": "new"}


def test_a_sample_that_was_cut_off_is_refused(tmp_path):
    save(tmp_path / "fib", "new", [1.0])
    sample = tmp_path / "fib" / "new" / "sample.json"
    sample.write_text(sample.read_text()[:-5])
    with pytest.raises(UsageError, match=r"sample\.json: the file is cut off"):
        read(tmp_path)


def test_counts_that_do_not_match_the_times_are_refused(tmp_path):
    save(tmp_path / "fib", "new", [1.0, 2.0], [1.0])
    with pytest.raises(UsageError, match="1 counts of iterations for 2 times"):
        read(tmp_path)


def test_a_directory_of_something_else_is_refused(tmp_path):
    with pytest.raises(UsageError, match=r"a directory without a sample\.json"):
        read(tmp_path)


def test_of_a_run_that_was_saved_by_name_and_is_the_newest_the_name_is_kept(tmp_path):
    save(tmp_path / "fib", "base", [100.0, 101.0])
    save(tmp_path / "fib", "main", [90.0, 91.0])
    save(tmp_path / "fib", "new", [90.0, 91.0])
    assert [item.levels["saved"] for item in read(tmp_path).series] == ["base", "main"]


def test_a_directory_that_criterion_made_is_read_whole(made_by_the_tool):
    result = read(made_by_the_tool("criterion"))
    assert (result.tool, result.notes) == ("criterion", ())
    assert [dict(item.levels) for item in result.series] == [
        {"benchmark": "one", "saved": "base"},
        {"benchmark": "one", "saved": "main"},
        {"benchmark": "sum/fold", "value": 100, "saved": "base"},
        {"benchmark": "sum/fold", "value": 100, "saved": "main"},
        {"benchmark": "sum/fold", "value": 1000, "saved": "base"},
        {"benchmark": "sum/fold", "value": 1000, "saved": "main"},
    ]
    assert {len(values) for element in result.series for values in element.values} == {10}
    assert result.series[1].values[0][0] == pytest.approx(128941 / 68038 * 1e-9)
