from __future__ import annotations

import pytest

from steelyard.core.errors import UsageError
from steelyard.extensions.exchange.importers import read


def result(command, times, **options):
    return {"command": command, "mean": sum(times) / len(times), "times": times, **options}


def test_every_elapsed_time_is_a_launch_of_its_own(written):
    answer = read(written({"results": [result("sleep 1", [1.01, 1.02]), result("sleep 2", [2.01])]}))
    assert (answer.tool, answer.repeats) == ("hyperfine", "launch")
    assert [(dict(item.levels), item.metric, item.values) for item in answer.series] == [
        ({"benchmark": "sleep 1"}, "wall_s", ((1.01,), (1.02,))),
        ({"benchmark": "sleep 2"}, "wall_s", ((2.01,),)),
    ]


def test_parameters_that_tell_commands_apart_are_factors_and_may_be_numbers(written):
    answer = read(
        written(
            {
                "results": [
                    result("sleep 0.1", [0.1], parameters={"t": "0.1", "n": "1"}),
                    result("sleep 0.2", [0.2], parameters={"t": "0.2", "n": "1"}),
                ]
            }
        )
    )
    assert [dict(item.levels) for item in answer.series] == [{"t": 0.1, "n": 1}, {"t": 0.2, "n": 1}]


def test_parameters_that_do_not_tell_commands_apart_leave_the_commands(written):
    both = [result(f"./{it}", [0.1], parameters={"n": "1"}) for it in "ab"]
    assert [dict(item.levels) for item in read(written({"results": both})).series] == [
        {"benchmark": "./a"},
        {"benchmark": "./b"},
    ]


def test_memory_is_read_where_every_run_has_it(written):
    some = result("a", [0.1, 0.2], memory_usage_byte=[1000, 2000])
    answer = read(written({"results": [some, result("b", [0.1], memory_usage_byte=[])]}))
    memory = [item for item in answer.series if item.metric == "rss_bytes"]
    assert [(element.unit, element.values) for element in memory] == [("B", ((1000.0,), (2000.0,)))]


def test_a_mean_without_times_is_one_value_and_a_note(written):
    result = read(written({"results": [{"command": "a", "mean": 0.5}]}))
    assert result.series[0].values == ((0.5,),)
    assert result.notes == (
        "a: the file has a mean and no repetitions, which is one value: no verdict rests on it.",
    )


def test_runs_that_failed_are_no_values(written):
    contents = read(written({"results": [result("a", [0.1, 0.2], exit_codes=[0, 7])]}))
    assert contents.series[0].values == ((0.1,),)
    (runs,) = contents.failures
    assert (runs.levels, runs.failed, runs.values) == ({"benchmark": "a"}, 1, ({"wall_s": 0.2},))


def test_a_file_that_hyperfine_made_is_read_whole(made_by_the_tool):
    result = read(made_by_the_tool("hyperfine.json"))
    assert [len(item.values) for item in result.series if item.metric == "wall_s"] == [10, 10]
    assert all(
        0 < value < 10
        for element in result.series
        for (value,) in element.values
        if element.metric == "wall_s"
    )


def run(seconds, exit_code=0, **options):
    return {
        "time_wall_clock": {"value": seconds, "unit": "second"},
        "time_user": {"value": seconds / 2, "unit": "second"},
        "memory_peak_resident": {"value": 1e6 * seconds, "unit": "byte"},
        "exit_code": exit_code,
        **options,
    }


def version_2(*results):
    summary = {"primary_metric": "time_wall_clock", "metadata": {"hyperfine_version": "2.0.0"}}
    return {"schema_version": 2, **summary, "results": list(results)}


def test_version_2_has_every_metric_of_each_launch(written):
    runs = [run(1.5, instructions={"value": 7e6}), run(2.5, instructions={"value": 8e6})]
    result = read(written(version_2({"command": "a", "measurements": runs})))
    assert result.tool == "hyperfine"
    assert {item.metric: (item.unit, item.values) for item in result.series} == {
        "wall_s": ("s", ((1.5,), (2.5,))),
        "user_s": ("s", ((0.75,), (1.25,))),
        "rss_bytes": ("B", ((1.5e6,), (2.5e6,))),
        "instructions": ("", ((7e6,), (8e6,))),
    }


def test_a_metric_that_some_launches_of_version_2_lack_is_left_out(written):
    runs = [run(1.0, cpu_cycles={"value": 3e9}), run(2.0)]
    result = read(written(version_2({"command": "a", "measurements": runs})))
    assert {item.metric for item in result.series} == {"wall_s", "user_s", "rss_bytes"}


def test_parameters_and_environment_of_version_2_are_factors(written):
    results = [
        {
            "command": "a",
            "name": f"OMP_NUM_THREADS={n} a",
            "parameters": {"size": {"value": "10"}},
            "environment": {"OMP_NUM_THREADS": n},
            "measurements": [run(1.0)],
        }
        for n in ("1", "2")
    ]
    result = read(written(version_2(*results)))
    assert {tuple(item.levels.items()) for item in result.series} == {
        (("size", 10), ("OMP_NUM_THREADS", 1)),
        (("size", 10), ("OMP_NUM_THREADS", 2)),
    }


def test_failed_launches_of_version_2_are_no_values(written):
    contents = read(written(version_2({"command": "a", "measurements": [run(1.0, 7), run(1.0, None)]})))
    assert all(series.values == () for series in contents.series)
    assert contents.failures[0].failed == 2


def test_a_newer_schema_is_refused_by_its_number(written):
    with pytest.raises(UsageError, match="schema version 3 of hyperfine, and 2 is the newest"):
        read(written(version_2() | {"schema_version": 3}))


def test_two_results_of_one_command_stay_two(written):
    answer = read(written({"results": [result("a", [1.0]), result("a", [2.0]), result("b", [3.0])]}))
    assert [(item.levels["benchmark"], item.values) for item in answer.series] == [
        ("a (1)", ((1.0,),)),
        ("a (2)", ((2.0,),)),
        ("b", ((3.0,),)),
    ]


def test_a_file_that_hyperfine_2_made_is_read_whole(made_by_the_tool):
    result = read(made_by_the_tool("hyperfine-2.json"))
    assert {(element.metric, element.unit) for element in result.series} == {
        ("wall_s", "s"),
        ("cpu_s", "s"),
        ("user_s", "s"),
        ("system_s", "s"),
        ("rss_bytes", "B"),
    }
    assert {tuple(element.levels.items()) for element in result.series} == {
        (("t", 1), ("N", 1)),
        (("t", 2), ("N", 2)),
    }
    wall = [value for item in result.series if item.metric == "wall_s" for (value,) in item.values]
    assert len(wall) == 20
    assert all(0.01 < value < 1 for value in wall)
