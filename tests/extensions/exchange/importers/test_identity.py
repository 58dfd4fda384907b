"""As many benchmarks go out as came in, whatever their names are."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.core.errors import UsageError
from steelyard.extensions.exchange.importers import read_output
from steelyard.extensions.exchange.importers.contents import ImportedSeries
from steelyard.extensions.exchange.importers.identity import find_namesakes, tell_apart
from steelyard.extensions.exchange.reports import read_reports

Pair = tuple[str, str]
"""Name of a benchmark, and what tells it from another of that name."""


def write_go(pairs: list[Pair]) -> str:
    return "".join(
        f"goos: linux\npkg: example.org/{place}\nBenchmark{name}-2 \t 100\t {10 + at} ns/op\nPASS\n"
        for at, (name, place) in enumerate(pairs)
    )


def write_google(pairs: list[Pair]) -> str:
    rows = [
        {
            "name": name,
            "run_name": name,
            "run_type": "iteration",
            "family_index": at,
            "repetition_index": repetition,
            "real_time": 10 + at,
            "time_unit": "ns",
        }
        for at, (name, _) in enumerate(pairs)
        for repetition in range(2)
    ]
    return json.dumps({"context": {}, "benchmarks": rows})


def write_pytest(pairs: list[Pair]) -> str:
    rows = [
        {
            "name": f"test_{name}",
            "fullname": f"tests/test_{place}.py::test_{name}",
            "stats": {"mean": 1.0, "data": [1.0 + at]},
        }
        for at, (name, place) in enumerate(pairs)
    ]
    return json.dumps({"machine_info": {}, "benchmarks": rows})


def write_jmh(pairs: list[Pair]) -> str:
    rows = [
        {
            "benchmark": name,
            "mode": place,
            "primaryMetric": {"score": 1.0 + at, "scoreUnit": "ns/op", "rawData": [[1.0 + at, 2.0 + at]]},
        }
        for at, (name, place) in enumerate(pairs)
    ]
    return json.dumps(rows)


def write_dotnet(pairs: list[Pair]) -> str:
    rows = [
        {
            "Type": "Sort",
            "Method": name,
            "Namespace": "N",
            "FullName": f"N.Sort.{name}",
            "DisplayInfo": f"Sort.{name}: Job-X(Runtime={place}) [n=1]",
            "Statistics": {"Mean": 1.0 + at, "OriginalValues": [1.0 + at]},
        }
        for at, (name, place) in enumerate(pairs)
    ]
    return json.dumps({"HostEnvironmentInfo": {}, "Benchmarks": rows})


def write_codspeed(pairs: list[Pair]) -> str:
    rows = [
        {"name": f"test_{name}", "uri": f"test_{place}.py::test_{name}", "stats": {"median_ns": 1.0 + at}}
        for at, (name, place) in enumerate(pairs)
    ]
    return json.dumps({"instrument": {"type": "walltime"}, "benchmarks": rows})


def write_catch2(pairs: list[Pair]) -> str:
    rows = [
        f'<TestCase name="{place}"><BenchmarkResults name="{name}"><mean value="{1 + at}"/>'
        "</BenchmarkResults></TestCase>"
        for at, (name, place) in enumerate(pairs)
    ]
    return f'<?xml version="1.0"?><Catch2TestRun>{"".join(rows)}</Catch2TestRun>'


def write_libtest(pairs: list[Pair]) -> str:
    return "".join(
        f"     Running benches/{place}.rs (target/{place}-1)\n"
        f"test {name} ... bench: {1 + at} ns/iter (+/- 1)\n"
        for at, (name, place) in enumerate(pairs)
    )


def write_mitata(pairs: list[Pair]) -> str:
    rows = [
        {"alias": name, "group": at, "runs": [{"name": name, "stats": {"p50": 1.0 + at}}]}
        for at, (name, _) in enumerate(pairs)
    ]
    return json.dumps({"layout": [{"name": place} for _, place in pairs], "benchmarks": rows, "context": {}})


WRITERS: dict[str, Callable[[list[Pair]], str]] = {
    "go-bench": write_go,
    "google-benchmark": write_google,
    "pytest-benchmark": write_pytest,
    "jmh": write_jmh,
    "benchmarkdotnet": write_dotnet,
    "pytest-codspeed": write_codspeed,
    "catch2": write_catch2,
    "libtest": write_libtest,
    "mitata": write_mitata,
}
PAIRS = st.lists(
    st.tuples(st.sampled_from(["Sort", "Find", "Sum"]), st.sampled_from(["a", "b", "c"])),
    min_size=1,
    max_size=9,
    unique=True,
)


@pytest.mark.parametrize("form", WRITERS)
@given(pairs=PAIRS)
def test_as_many_benchmarks_go_out_as_came_in(form, pairs):
    contents = read_output(WRITERS[form](pairs), "file", form)
    (series,) = tell_apart({"file": contents.series}).values()
    assert len({(tuple(entry.levels.items()), entry.metric) for entry in series}) == len(series) == len(pairs)


@pytest.mark.parametrize("form", WRITERS)
def test_names_that_are_enough_stay_short(form):
    contents = read_output(WRITERS[form]([("Sort", "a"), ("Find", "b")]), "file", form)
    (series,) = tell_apart({"file": contents.series}).values()
    assert {*series[0].levels} <= {"benchmark", "procs"}


def test_what_tells_apart_in_one_file_is_a_level_in_all():
    old = read_output(write_go([("Sort", "a")]), "old", "go-bench").series
    new = read_output(write_go([("Sort", "a"), ("Sort", "b")]), "new", "go-bench").series
    series = tell_apart({"old": old, "new": new})
    assert [entry.levels["package"] for entry in (*series["old"], *series["new"])] == [
        "example.org/a",
        "example.org/a",
        "example.org/b",
    ]


def test_classes_of_one_file_are_told_apart():
    rows = [
        {"name": "test_x", "fullname": f"test_a.py::{name}::test_x", "stats": {"mean": 1.0, "data": [1.0]}}
        for name in ("TestOne", "TestTwo")
    ]
    contents = read_output(json.dumps({"machine_info": {}, "benchmarks": rows}), "f", "pytest-benchmark")
    (series,) = tell_apart({"f": contents.series}).values()
    assert [entry.levels["class"] for entry in series] == ["TestOne", "TestTwo"]


DIVAN = """\
x            fastest       │ slowest       │ median        │ mean          │ samples │ iters
├─ a         1 ns          │ 2 ns          │ 1 ns          │ 1 ns          │ 100     │ 100
╰─ a         1 ns          │ 2 ns          │ 9 ns          │ 1 ns          │ 100     │ 100
"""
NANOBENCH = {"title": "t", "name": "a", "unit": "op", "batch": 1, "measurements": [{"elapsed": 1e-9}]}


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("nanobench", json.dumps({"results": [NANOBENCH] * 2})),
        (
            "google-benchmark",
            json.dumps(
                {
                    "context": {},
                    "benchmarks": [{"name": "BM_a", "repetition_index": 0, "real_time": 10.0}] * 2,
                }
            ),
        ),
        (
            "divan",
            DIVAN,
        ),
    ],
)
def test_benchmarks_that_nothing_tells_apart_are_refused_by_name(form, text):
    contents = read_output(text, "file", form)
    with pytest.raises(UsageError, match=r"file: 2 benchmarks are called '.+', and nothing tells them apart"):
        tell_apart({"file": contents.series})


def test_a_gate_leaves_out_what_it_cannot_tell_apart_and_says_so():
    reports = read_reports(
        write_google([("BM_a", ""), ("BM_a", ""), ("BM_b", "")]), "file", "google-benchmark"
    )
    assert {report.benchmark: bool(report.skipped) for report in reports} == {"BM_a": True, "BM_b": False}
    (reason,) = {report.skipped for report in reports if report.skipped}
    assert reason == "2 benchmarks have this name: give each a name of its own"


def test_a_file_of_several_processes_of_one_package_keeps_them_apart():
    text = write_go([("Sort", "a"), ("Sort", "a")])
    (series,) = read_output(text, "file", "go-bench").series
    assert [len(process) for process in series.values] == [1, 1]


def test_two_metrics_of_one_benchmark_are_no_namesakes():
    series = [ImportedSeries({"benchmark": "a"}, metric, "s", ((1.0,),)) for metric in ("time_s", "cpu_s")]
    assert find_namesakes(series) == {}


def test_a_metric_of_two_units_is_two_unless_a_benchmark_has_both():
    tests = [
        ImportedSeries({"test": test}, "rate", unit, ((1.0,),))
        for test, unit in (("solver", "GFLOP/s"), ("triad", "B/s"))
    ]
    times = [ImportedSeries({"test": "solver"}, "time_s", "s", ((1.0,),))]
    names = {
        file: [entry.metric for entry in series]
        for file, series in tell_apart({"a": tests, "b": times}).items()
    }
    assert names == {"a": ["rate_GFLOP_s", "rate_B_s"], "b": ["time_s"]}
    changed = {"a": tests[:1], "b": [ImportedSeries({"test": "solver"}, "rate", "B/s", ((1.0,),))]}
    assert [entry.metric for series in tell_apart(changed).values() for entry in series] == ["rate", "rate"]


def test_levels_that_are_one_number_in_two_spellings_have_the_names_of_the_tool():
    def make(name, n):
        return ImportedSeries({"benchmark": "A", "n": n}, "time_s", "s", ((1.0,),), name=name)

    old = [make("A/n=10", 10), make("A/n=1e1", 10.0), make("A/n=20", 20)]
    told_apart = tell_apart({"old": old, "new": [make("A/n=10", 10)]})
    assert [entry.levels.get("spelled") for entry in told_apart["old"]] == ["A/n=10", "A/n=1e1", None]
    assert [entry.levels.get("spelled") for entry in told_apart["new"]] == ["A/n=10"]
    with pytest.raises(UsageError, match="nothing tells them apart"):
        tell_apart({"old": [make("A", 10), make("A", 10)]})
