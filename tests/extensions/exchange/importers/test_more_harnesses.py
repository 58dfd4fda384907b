"""Catch2, pytest-codspeed, libtest, mitata, zenbench, gungraun, and the lists of two services.

The witness of each value is the file itself, by arithmetic written here.
"""

from __future__ import annotations

import json

import pytest

from steelyard.core.errors import UsageError
from steelyard.extensions.exchange.importers import read, read_output
from steelyard.extensions.exchange.importers.identity import tell_apart


def by_title(contents, metric="time_s"):
    return {entry.title: entry.values for entry in contents.series if entry.metric == metric}


def test_benchmarks_of_catch2_have_their_test_case_and_sections(made_by_the_tool):
    contents = read(made_by_the_tool("catch2.xml"))
    long = (
        'fib > fib 15, a "quoted" & <odd> name that is much longer than the column of the console reporter is'
    )
    assert by_title(contents) == {
        "fib > fib 10": ((pytest.approx(196.312e-9),),),
        long: ((pytest.approx(2246.42e-9),),),
        "fib > inner > fib 10": ((pytest.approx(205.95e-9),),),
        "other > fib 10": ((pytest.approx(189.105e-9),),),
    }
    assert (contents.tool, dict(contents.skipped)) == ("catch2", {"fib > inner > throws": "no"})
    (series,) = tell_apart({"f": contents.series}).values()
    assert [dict(entry.levels) for entry in series if entry.levels["benchmark"] == "fib 10"] == [
        {"benchmark": "fib 10", "test": "fib"},
        {"benchmark": "fib 10", "test": "fib", "section": "inner"},
        {"benchmark": "fib 10", "test": "other"},
    ]


CATCH2_3 = """noise of the program
<?xml version="1.0" encoding="UTF-8"?>
<Catch2TestRun name="b" rng-seed="1" xml-format-version="3" catch2-version="3.8.1">
  <TestCase name="t"><BenchmarkResults name="f" samples="9"><mean value="5"/></BenchmarkResults></TestCase>
</Catch2TestRun>
"""


def test_catch2_3_and_what_a_program_prints_before_are_read():
    assert by_title(read_output(CATCH2_3, "it")) == {"t > f": ((pytest.approx(5e-9),),)}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("benchmark name                       samples       iterations    est run time\n", "wraps names"),
        (CATCH2_3[:-20], "it does not end"),
        ('{"version": 1, "metadata": {"catch2-version": "3.7.1"}, "test-run": {}}', "leaves benchmarks out"),
        (CATCH2_3.replace('"5"', '"five"'), "'five' is not a number"),
    ],
)
def test_what_catch2_did_not_write_as_xml_is_refused_with_the_option(text, problem):
    with pytest.raises(UsageError, match=problem) as caught:
        read_output(text, "it")
    assert "-r xml" in (caught.value.hint or "")


def test_what_a_program_prints_between_elements_of_catch2_is_passed_over(made_by_the_tool):
    contents = read(made_by_the_tool("catch2-failed.xml"))
    assert "Blaat: <a> & %" in made_by_the_tool("catch2-failed.xml").read_text()
    assert by_title(contents) == {
        "good > fib 10": ((pytest.approx(242.817e-9),),),
        'good > fib <12> & "q"': ((pytest.approx(639.48e-9),),),
        "prints > noisy": ((pytest.approx(244.485e-9),),),
        "section > one > same": ((pytest.approx(92.1431e-9),),),
        "section > two > same": ((pytest.approx(150.193e-9),),),
    }


def test_benchmarks_of_catch2_that_threw_or_whose_test_case_failed_are_failed_runs(made_by_the_tool):
    contents = read(made_by_the_tool("catch2-failed.xml"))
    assert contents.skipped == {
        "throws > boom": "bad input",
        "fails > before failing": "its test case failed",
    }
    assert [(runs.title, runs.failed) for runs in contents.failures] == [(n, 1) for n in contents.skipped]


def test_medians_of_pytest_codspeed_are_read_with_their_file(made_by_the_tool):
    contents = read(made_by_the_tool("codspeed.json"))
    assert (contents.tool, dict(contents.host)) == ("pytest-codspeed 5.0.4", {"runtime": "Python 3.11.7"})
    times = by_title(contents)
    assert times["test_c.py::TestSort::test_a"] == ((pytest.approx(110.198092894494e-9),),)
    assert [*times] == [
        "test_c.py::test_sum[10]",
        "test_c.py::test_sum[100]",
        "test_c.py::test_marked",
        "test_c.py::TestSort::test_a",
    ]


def test_an_instrument_of_codspeed_that_counts_elsewhere_has_no_times(written):
    benchmarks = [{"name": "test_a", "uri": "a.py::test_a"}]
    with pytest.raises(UsageError, match="contains no measurements"):
        read(written({"instrument": {"type": "valgrind"}, "benchmarks": benchmarks}))


def test_libtest_as_printed_and_as_json_has_the_same_benchmarks(made_by_the_tool):
    printed, lines = (read(made_by_the_tool(f"libtest.{kind}")) for kind in ("txt", "jsonl"))
    assert by_title(printed) == {
        "bench_fib": ((pytest.approx(954.86e-9),),),
        "inner::bench_copy": ((pytest.approx(185_334.63e-9),),),
    }
    assert by_title(lines)["inner::bench_copy"] == ((pytest.approx(18620.55e-9),),)
    # The benchmark copies 1 MiB: bytes over seconds is the witness of what libtest calls MB/s and MiB/s.
    for contents in (printed, lines):
        ((time,),) = by_title(contents)["inner::bench_copy"]
        assert by_title(contents, "throughput") == {
            "inner::bench_copy": ((pytest.approx(2**20 / time, rel=1e-3),),)
        }


def test_targets_of_libtest_tell_names_apart_and_failures_are_named():
    line = "test a ... bench:  {} ns/iter (+/- 1)\n"
    text = "".join(
        f"     Running benches/{name}.rs (target/deps/{name}-1)\n\nrunning 2 tests\n{line.format(time)}"
        for name, time in (("one", "1,000"), ("two", "3"))
    )
    contents = read_output(text + "test b ... FAILED\n", "it")
    (series,) = tell_apart({"it": contents.series}).values()
    assert {entry.levels["target"]: entry.values for entry in series} == {
        "benches/one.rs": ((pytest.approx(1e-6),),),
        "benches/two.rs": ((pytest.approx(3e-9),),),
    }
    assert dict(contents.skipped) == {"b": "it failed"}
    assert [(runs.title, runs.failed) for runs in contents.failures] == [("b", 1)]


def test_a_target_of_libtest_that_counts_cycles_has_that_metric():
    text = (
        "test mov ... bench:        1,508 cycles/iter (+/- 17)\n"
        "test b ... bench: 13,967,756.30 ns/iter (+/- 2.1)\n"
    )
    assert [
        (e.title, e.metric, e.unit, e.better, e.values[0][0]) for e in read_output(text, "it").series
    ] == [
        ("mov", "cycles", "cycles", "lower", 1508.0),
        ("b", "time_s", "s", "lower", pytest.approx(13967756.3e-9)),
    ]


def test_a_failure_in_libtest_json_is_named_and_a_benchmark_needs_its_median():
    suite = '{ "type": "suite", "event": "started", "test_count": 2 }\n'
    failed = '{ "type": "test", "name": "b", "event": "failed" }\n'
    good = '{ "type": "bench", "name": "a", "median": 2, "deviation": 0 }\n'
    assert dict(read_output(suite + failed + good, "it").skipped) == {"b": "it failed"}
    with pytest.raises(UsageError, match="it, line 2: a has no median"):
        read_output(suite + '{ "type": "bench", "name": "a" }\n', "it")


def test_medians_and_heaps_of_mitata_are_read_with_arguments_and_groups(made_by_the_tool):
    contents = read(made_by_the_tool("mitata.json"))
    assert by_title(contents)["sum 100"] == ((pytest.approx(25.8564453125e-9),),)
    assert by_title(contents, "heap_bytes")["sum 100"] == ((0.30874243079584773,),)
    assert dict(contents.series[0].levels) == {"benchmark": "sum $n", "n": 100}
    assert dict(contents.skipped) == {"sort > throws": "no"}
    (series,) = tell_apart({"f": contents.series}).values()
    assert [entry.levels.get("group") for entry in series if entry.levels["benchmark"] == "native"] == [
        "sort",
        "sort",
        None,
        None,
    ]
    assert contents.host == {"cpu": "AMD EPYC", "arch": "x64-linux", "runtime": "node 20.20.2"}


def test_arguments_of_mitata_that_are_objects_tell_benchmarks_apart(written):
    runs = [
        {"name": "obj", "args": {"o": {"a": number}}, "stats": {"p50": float(number)}} for number in (1, 2)
    ]
    failed = {"name": "obj", "args": {"o": [3]}, "error": {"message": "bad input\nat x.js"}}
    contents = read(
        written({"layout": [], "context": {}, "benchmarks": [{"alias": "obj", "runs": [*runs, failed]}]})
    )
    (series,) = tell_apart({"it": contents.series}).values()
    assert [(dict(e.levels), e.values[0][0]) for e in series] == [
        ({"benchmark": "obj", "o": '{"a": 1}'}, pytest.approx(1e-9)),
        ({"benchmark": "obj", "o": '{"a": 2}'}, pytest.approx(2e-9)),
    ]
    assert [(dict(runs.levels), runs.reason) for runs in contents.failures] == [
        ({"benchmark": "obj", "o": "[3]"}, "bad input")
    ]


def test_rounds_of_zenbench_are_trials_over_their_iterations(made_by_the_tool):
    file = made_by_the_tool("zenbench.json")
    contents = read(file)
    rounds = json.loads(file.read_text())["comparisons"][0]["samples"]
    assert by_title(contents)["sort/sort_unstable"] == (
        tuple(pytest.approx(entry["compensated_ns"][1] / entry["iterations"] * 1e-9) for entry in rounds),
    )
    assert [*by_title(contents)] == ["sort", "sort/sort_unstable", "fib"]
    assert contents.host["cpus_online"] == 2


def zenbench(samples, **members):
    entry = {"name": "a", "summary": {"median": 7.0}, "tags": [["n", "10"]]}
    group = {"group_name": "g", "benchmarks": [entry], "samples": samples}
    return {"run_id": "1", "comparisons": [group], **members}


def test_a_run_of_zenbench_without_rounds_has_its_median_and_its_doubts(written):
    contents = read(
        written(zenbench([], unreliable=True, standalones=[{"name": "b", "summary": {"median": 3}}]))
    )
    assert by_title(contents) == {"g/a": ((pytest.approx(7e-9),),), "b": ((pytest.approx(3e-9),),)}
    assert contents.series[0].levels == {"benchmark": "g/a", "n": "10"}
    assert contents.notes == ("zenbench calls these results unreliable.",)


def test_rounds_of_a_single_group_of_zenbench_have_the_order_of_their_benchmarks(written):
    entries = [{"name": name, "summary": {"median": 7.0}} for name in ("a", "b")]
    samples = [
        {"iterations": 2, "compensated_ns": [2, 4], "execution_order": order} for order in ([1, 0], [0, 1])
    ]
    group = {"group_name": "g", "benchmarks": entries, "samples": samples}
    document = {"run_id": "1", "comparisons": [group]}
    assert read(written(document)).rounds == ((1, 0), (0, 1))
    # Two groups, a benchmark beside the group, and rounds that do not say their order pair nothing.
    samples_only = [{"iterations": 2, "compensated_ns": [2, 4]}] * 2
    for text in (
        {"comparisons": [group, group | {"group_name": "h"}]},
        {"standalones": [{"name": "b", "summary": {"median": 3}}]},
        {"comparisons": [group | {"samples": samples_only}]},
    ):
        assert read(written(document | text)).rounds == ()


@pytest.mark.parametrize(
    "entry", [{"iterations": 0, "compensated_ns": [1]}, {"iterations": 1, "compensated_ns": []}]
)
def test_a_damaged_round_of_zenbench_is_refused(written, entry):
    with pytest.raises(UsageError, match="g/a: round 1 has"):
        read(written(zenbench([entry])))


def test_measures_that_bencher_knows_have_its_units_and_others_no_side(written):
    contents = read(
        written(
            {
                "sort": {"latency": {"value": 88.0, "lower_value": 87.4}, "throughput": {"value": 5.5}},
                "program": {"file-size": {"value": 42}, "my score": {"value": 3}},
            }
        )
    )
    assert [(e.title, e.metric, e.unit, e.better, e.values[0][0]) for e in contents.series] == [
        ("sort", "time_s", "s", "lower", pytest.approx(88e-9)),
        ("sort", "throughput", "1/s", "higher", 5.5),
        ("program", "file_size_bytes", "B", "lower", 42.0),
        ("program", "my_score", "", "neither", 3.0),
    ]


def test_entries_of_bencher_have_parameters_and_named_values(written):
    entries = [
        {"parameters": {"op": "read", "n": 16}, "measures": {"latency": {"value": 42, "p99": 97}}},
        {"parameters": {"n": 16, "op": "read"}, "measures": {"latency": {"p99": 98, "lower_value": 1}}},
        {"measures": {"score": {"value": 3}}},
    ]
    contents = read(written({"sort": entries}))
    assert [(e.title, e.metric, e.unit, e.values[0][0]) for e in contents.series] == [
        ("sort n=16 op=read", "time_s", "s", pytest.approx(42e-9)),
        ("sort n=16 op=read", "time_s_p99", "s", pytest.approx(98e-9)),
        ("sort", "score", "", 3.0),
    ]


@pytest.mark.parametrize(
    "document",
    [{}, {"a": {}}, {"a": {"b": 1}}, {"a": 1}, {"a": {"b": {"mean": 1}}}, {"a": []}, {"a": [{"b": 1}]}],
)
def test_other_objects_are_not_taken_for_bencher(written, document):
    with pytest.raises(UsageError, match="JSON of no tool that is known"):
        read(written(document))


def test_units_of_a_list_for_github_action_benchmark_say_which_side_is_better(written):
    rows = [
        {"name": "sort", "unit": "ns/iter", "value": 120, "range": "± 3"},
        {"name": "load", "unit": "Percent", "value": 50},
        {"name": "answers", "unit": "ops/sec", "value": "12.5"},
        {"name": "sort", "unit": "MB", "value": 2},
        {"name": "bad", "unit": "ms", "value": "n/a"},
        {"name": "none", "unit": "ms", "value": None},
        {"name": "heap", "unit": "words", "value": 199154},
    ]
    contents = read(written(rows))
    assert [(e.title, e.metric, e.unit, e.better, e.values[0][0]) for e in contents.series] == [
        ("sort", "time_s", "s", "lower", pytest.approx(120e-9)),
        ("load", "Percent", "Percent", "neither", 50.0),
        ("answers", "rate", "1/s", "higher", 12.5),
        ("sort", "bytes", "B", "lower", 2e6),
        ("heap", "words", "words", "neither", 199154.0),
    ]
    assert contents.skipped == {"bad": "its value is 'n/a'", "none": "its value is null"}


def test_counts_of_gungraun_are_read_from_its_json(made_by_the_tool):
    contents = read(made_by_the_tool("gungraun.jsonl"))
    assert by_title(contents, "instructions") == {
        "gun::fibs::bench_fib short": ((1805.0,),),
        "gun::fibs::bench_fib long": ((19977.0,),),
    }
    # By the formula of Callgrind's manual: L1 hits, 5 last-level hits and 35 RAM hits.
    hits = [
        by_title(contents, name)["gun::fibs::bench_fib short"][0][0]
        for name in ("L1hits", "LLhits", "ram_hits")
    ]
    assert by_title(contents, "estimated_cycles")["gun::fibs::bench_fib short"] == (
        (hits[0] + 5 * hits[1] + 35 * hits[2],),
    )


def summary(name, result, **members):
    profile = {"tool": "callgrind", "data": {"total": {"metrics": result}}}
    return {"module_path": f"b::{name}", "function_name": name, "profiles": [profile], **members}


def test_summaries_of_gungraun_count_the_new_run_alone(written):
    ir = {"values": {"new": 1001, "old": 1000}}
    old_form = {
        "tool": "Callgrind",
        "summaries": {
            "total": {"summary": {"Callgrind": {"Ir": {"metrics": {"Both": [{"Int": 7}, {"Int": 8}]}}}}}
        },
    }
    text = "".join(
        json.dumps(entry) + "\n"
        for entry in (
            summary("f", {"Ir": ir, "L1HitRate": {"values": {"new": 99.5}}}, id="short"),
            summary("g", {}) | {"profiles": [old_form]},
        )
    )
    contents = read(written(text, "it.jsonl"))
    assert [(e.title, dict(e.levels), e.metric, e.better, e.values[0][0]) for e in contents.series] == [
        ("b::f short", {"benchmark": "b::f", "id": "short"}, "instructions", "lower", 1001.0),
        ("b::f short", {"benchmark": "b::f", "id": "short"}, "L1HitRate", "neither", 99.5),
        ("b::g", {"benchmark": "b::g"}, "instructions", "lower", 7.0),
    ]


@pytest.mark.parametrize(
    ("result", "problem"),
    [({"Ir": {"values": {"old": 1}}}, "no count of a new run"), ({}, "no count")],
)
def test_a_summary_of_gungraun_without_a_new_count_is_refused(written, result, problem):
    with pytest.raises(UsageError, match=problem):
        read(written(summary("f", result)))


def test_a_summary_of_another_form_is_refused_with_the_place(written):
    with pytest.raises(UsageError, match=r"looks like a file of gungraun, but .*`\$\[0\]\.profiles`"):
        read(written({**summary("f", {}), "profiles": "none"}))
