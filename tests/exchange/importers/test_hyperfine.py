from __future__ import annotations

from steelyard.exchange.importers import read


def result(command, times, **more):
    return {"command": command, "mean": sum(times) / len(times), "times": times, **more}


def test_every_elapsed_time_is_a_launch_of_its_own(written):
    found = read(written({"results": [result("sleep 1", [1.01, 1.02]), result("sleep 2", [2.01])]}))
    assert (found.tool, found.repeats) == ("hyperfine", "launch")
    assert [(dict(each.levels), each.metric, each.values) for each in found.series] == [
        ({"benchmark": "sleep 1"}, "wall_s", ((1.01,), (1.02,))),
        ({"benchmark": "sleep 2"}, "wall_s", ((2.01,),)),
    ]


def test_parameters_that_tell_commands_apart_are_the_factors_and_numbers_where_they_are_numbers(written):
    found = read(
        written(
            {
                "results": [
                    result("sleep 0.1", [0.1], parameters={"t": "0.1", "n": "1"}),
                    result("sleep 0.2", [0.2], parameters={"t": "0.2", "n": "1"}),
                ]
            }
        )
    )
    assert [dict(each.levels) for each in found.series] == [{"t": 0.1, "n": 1}, {"t": 0.2, "n": 1}]


def test_parameters_that_do_not_tell_commands_apart_leave_the_commands(written):
    both = [result(f"./{it}", [0.1], parameters={"n": "1"}) for it in "ab"]
    assert [dict(each.levels) for each in read(written({"results": both})).series] == [
        {"benchmark": "./a"},
        {"benchmark": "./b"},
    ]


def test_memory_is_read_where_every_run_has_it(written):
    some = result("a", [0.1, 0.2], memory_usage_byte=[1000, 2000])
    found = read(written({"results": [some, result("b", [0.1], memory_usage_byte=[])]}))
    memory = [each for each in found.series if each.metric == "rss_bytes"]
    assert [(each.unit, each.values) for each in memory] == [("B", ((1000.0,), (2000.0,)))]


def test_a_mean_without_times_is_one_value_and_a_note(written):
    found = read(written({"results": [{"command": "a", "mean": 0.5}]}))
    assert found.series[0].values == ((0.5,),)
    assert found.notes == (
        "a: the file has a mean and no repetitions, which is one value: no verdict rests on it.",
    )


def test_runs_that_failed_are_told(written):
    found = read(written({"results": [result("a", [0.1, 0.2], exit_codes=[0, 7])]}))
    assert found.notes == ("'a' ended with another exit code than 0 in 1 runs; hyperfine counted them.",)


def test_a_file_that_hyperfine_made_is_read_whole(made_by_the_tool):
    found = read(made_by_the_tool("hyperfine.json"))
    assert [len(each.values) for each in found.series if each.metric == "wall_s"] == [10, 10]
    assert all(0 < value < 10 for each in found.series for (value,) in each.values if each.metric == "wall_s")
