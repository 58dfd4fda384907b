"""JSON lines of three tools, and texts that are not UTF-8, not JSON by the letter, or not CSV with commas."""

from __future__ import annotations

import json
import math

import pytest

from steelyard.core.errors import UsageError
from steelyard.extensions.exchange.importers import read, read_output
from steelyard.extensions.exchange.importers.columns import Chosen


def go_event(package, output, action="output"):
    return json.dumps({"Action": action, "Package": package, "Output": output})


def test_what_go_test_json_cut_is_put_together_package_by_package(tmp_path):
    path = tmp_path / "go.json"
    events = [
        go_event("m/a", "goos: linux\n"),
        go_event("m/b", "BenchmarkSum-4 \t"),
        go_event("m/a", "BenchmarkSum-4 \t 100\t 10 ns/op\n"),
        go_event("m/b", " 100\t 20 ns/op\n"),
        json.dumps({"Action": "pass", "Package": "m/a", "Elapsed": 1.0}),
    ]
    path.write_text("\n".join(events))
    contents = read(path)
    assert [(series.qualifiers, series.values) for series in contents.series] == [
        ({"package": "m/a"}, ((pytest.approx(1e-8),),)),
        ({"package": "m/b"}, ((pytest.approx(2e-8),),)),
    ]


def criterion_message(**keys):
    message = {
        "reason": "benchmark-complete",
        "id": "grp/f/10",
        "unit": "ns",
        "iteration_count": [10, 20],
        "measured_values": [1000.0, 2010.0],
    }
    return json.dumps(message | keys)


def test_samples_of_cargo_criterion_are_times_of_an_iteration(tmp_path):
    path = tmp_path / "it.jsonl"
    path.write_text(criterion_message() + "\n" + json.dumps({"reason": "group-complete"}) + "\n")
    (series,) = read(path).series
    assert (series.levels, series.values) == (
        {"benchmark": "grp/f/10"},
        ((pytest.approx(1e-7), pytest.approx(1.005e-7)),),
    )


@pytest.mark.parametrize(
    "keys", [{"iteration_count": [10]}, {"iteration_count": [0, 1]}, {"measured_values": ["x", 1]}]
)
def test_samples_without_their_iterations_are_refused_with_their_line(tmp_path, keys):
    path = tmp_path / "it.jsonl"
    path.write_text(criterion_message(**keys))
    with pytest.raises(UsageError, match="line 1: grp/f/10 has no samples with their iterations"):
        read(path)


def test_events_of_perf_stat_are_metrics_and_what_was_not_counted_is_told(tmp_path):
    path = tmp_path / "perf.json"
    events = [
        {"counter-value": "1234567.000000", "unit": "", "event": "instructions:u"},
        {"counter-value": "12.5", "unit": "msec", "event": "task-clock"},
        {"counter-value": "<not counted>", "unit": "", "event": "cache-misses:u"},
    ]
    path.write_text("\n".join(map(json.dumps, events)))
    contents = read(path)
    assert [(series.metric, series.unit, series.values) for series in contents.series] == [
        ("instructions", "", ((1234567.0,),)),
        ("task_clock", "s", ((pytest.approx(0.0125),),)),
    ]
    assert contents.notes == ("cache-misses:u: <not counted>.",)


def test_a_line_that_was_cut_off_is_refused_by_its_number(tmp_path):
    path = tmp_path / "it.jsonl"
    path.write_text(criterion_message() + "\n" + criterion_message()[:40])
    with pytest.raises(UsageError, match=r"it\.jsonl, line 2: the file is cut off"):
        read(path)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_marks_of_byte_order_are_understood(tmp_path, encoding):
    path = tmp_path / "it.json"
    document = {"results": [{"command": "ä", "times": [1.0]}]}
    path.write_bytes(json.dumps(document, ensure_ascii=False).encode(encoding))
    assert read(path).series[0].levels == {"benchmark": "ä"}


def test_nan_of_one_benchmark_does_not_refuse_the_others(tmp_path):
    path = tmp_path / "it.json"
    row = {"name": "BM_a", "run_name": "BM_a", "repetition_index": 0, "real_time": 10.0}
    document = {
        "context": {},
        "benchmarks": [row, row | {"name": "BM_b", "run_name": "BM_b", "x": float("nan")}],
    }
    path.write_text(json.dumps(document))
    assert "NaN" in path.read_text()
    assert {series.name for series in read(path).series} == {"BM_a", "BM_b"}


@pytest.mark.parametrize("number", ["nan", "-nan", "-nan(ind)", "inf", "-inf", "Infinity"])
def test_numbers_as_c_prints_them_do_not_refuse_a_document(number):
    text = f'{{"context": {{}}, "benchmarks": [{{"name": "a nan, -inf", "real_time": 1, "x": {number}}}]}}'
    time, rate = read_output(text, "it").series
    assert (time.name, time.values) == ("a nan, -inf", ((pytest.approx(1e-9),),))
    assert not math.isfinite(rate.values[0][0])


def test_a_damaged_document_with_nan_says_where(tmp_path):
    path = tmp_path / "it.json"
    path.write_text('{"context": {}, "benchmarks": [NaN, ')
    with pytest.raises(UsageError, match=r"not JSON|cut off"):
        read(path)


def test_semicolons_and_decimal_commas_are_a_table(tmp_path):
    path = tmp_path / "it.csv"
    path.write_text("variant;zeit[ms];n\nalt;12,5;1\nneu;1.010,1;2\n")
    series = read(path, chosen=Chosen(("zeit",), ("variant",))).series
    assert [(entry.levels, entry.values) for entry in series] == [
        ({"variant": "alt"}, ((0.0125,),)),
        ({"variant": "neu"}, ((pytest.approx(1.0101),),)),
    ]


def vitest_report(*tests):
    return {
        "numTotalTests": len(tests),
        "testResults": [{"name": "/w/t.bench.js", "assertionResults": tests}],
    }


def test_the_report_of_vitest_5_has_a_benchmark_for_each_task(tmp_path):
    path = tmp_path / "report.json"
    tasks = [{"name": name, "latency": {"p50": 0.5, "mean": 0.7}} for name in ("a", "b 1/2, ü")]
    passed = {
        "fullName": "sum cmp",
        "ancestorTitles": ["sum"],
        "title": "cmp",
        "status": "passed",
        "benchmarks": [{"name": "cmp", "tasks": tasks}],
    }
    failed = {"fullName": "bad", "status": "failed", "failureMessages": ["boom\n at x"], "benchmarks": []}
    unchosen = {"fullName": "other", "status": "skipped", "failureMessages": [], "benchmarks": []}
    late = {**passed, "fullName": "late", "ancestorTitles": [], "title": "late", "status": "failed"}
    late |= {"failureMessages": ["wrong answer"], "benchmarks": [{"name": "c", "tasks": tasks[:1]}]}
    path.write_text(json.dumps(vitest_report(passed, failed, unchosen, late)))
    contents = read(path)
    assert [(series.name, series.values) for series in contents.series] == [
        ("sum > cmp > a", ((0.0005,),)),
        ("sum > cmp > b 1/2, ü", ((0.0005,),)),
    ]
    # A task that ran before its test failed has no time that counts.
    assert contents.skipped == {"bad": "boom", "late": "wrong answer", "late > a": "wrong answer"}
    assert [(runs.title, runs.reason) for runs in contents.failures] == [
        ("bad", "boom"),
        ("late > a", "wrong answer"),
    ]


def test_a_file_that_is_not_there_needs_no_list_of_formats(tmp_path):
    with pytest.raises(UsageError, match="No such file") as caught:
        read(tmp_path / "none.json")
    assert caught.value.hint == "give the path of a file of results"
