from __future__ import annotations

from steelyard.extensions.exchange.importers import read


def file(*benchmarks):
    return {"machine_info": {"node": "here"}, "benchmarks": list(benchmarks), "version": "5.0.0"}


def test_rounds_of_one_process_are_repetitions(written):
    result = read(written(file({"name": "test_f", "stats": {"mean": 0.15, "data": [0.1, 0.2]}})))
    assert (result.tool, result.repeats) == ("pytest-benchmark 5.0.0", "process")
    assert result.series[0].values == ((0.1, 0.2),)


def test_parameters_are_levels_beside_the_name_of_the_function(written):
    item = {"name": "test_f[10-a]", "params": {"n": 10, "kind": "a"}, "stats": {"mean": 1, "data": [1.0]}}
    assert dict(read(written(file(item))).series[0].levels) == {"benchmark": "test_f", "n": 10, "kind": "a"}


def test_numbers_of_extra_info_are_metrics_and_nothing_else_of_it_is(written):
    info = {"peak bytes": 4096, "ratio": 0.5, "tag": "x", "is_fast": True, "time_s": 7, "nan": float("nan")}
    item = {"name": "test_f", "fullname": "a.py::test_f", "stats": {"mean": 1, "data": [1.0, 2.0]}}
    result = read(written(file({**item, "extra_info": info})))
    values = {entry.metric: (entry.values, entry.better, entry.name) for entry in result.series}
    assert values == {
        "time_s": (((1.0, 2.0),), "lower", "a.py::test_f"),
        "peak_bytes": (((4096.0,),), "neither", "a.py::test_f"),
        "ratio": (((0.5,),), "neither", "a.py::test_f"),
    }


def test_a_parameter_that_is_no_plain_value_leaves_the_whole_name(written):
    item = {"name": "test_f[x0]", "params": {"x": [1, 2]}, "stats": {"mean": 1, "data": [1.0]}}
    assert dict(read(written(file(item))).series[0].levels) == {"benchmark": "test_f[x0]"}


def test_a_saved_run_without_data_is_one_value_and_a_note(written):
    result = read(written(file({"name": "test_f", "stats": {"mean": 0.15}})))
    assert result.series[0].values == ((0.15,),)
    assert "test_f: the file has a mean and no repetitions" in result.notes[0]


def test_a_file_that_pytest_benchmark_made_is_read_whole(made_by_the_tool):
    result = read(made_by_the_tool("pytest-benchmark.json"))
    assert {item.levels["benchmark"] for item in result.series} == {"test_sum"}
    assert {element.levels["n"] for element in result.series} == {100, 1000}
    assert all(len(element.values[0]) >= 5 for element in result.series)


def test_a_parameter_that_is_no_finite_number_is_a_level_of_text(written):
    item = {"name": "test_f[nan]", "params": {"x": float("nan")}, "stats": {"mean": 1, "data": [1.0]}}
    assert dict(read(written(file(item))).series[0].levels) == {"benchmark": "test_f", "x": "nan"}
