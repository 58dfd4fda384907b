from __future__ import annotations

import pytest

from steelyard.core.errors import UsageError
from steelyard.extensions.exchange.importers import read
from steelyard.extensions.exchange.reports import read_reports


def run(name, time, **options):
    return {
        "name": name,
        "run_name": name,
        "run_type": "iteration",
        "real_time": time,
        "cpu_time": time / 2,
        "time_unit": "ns",
        "iterations": 1000,
        "threads": 1,
        **options,
    }


def file(*benchmarks, **context):
    return {"context": {"num_cpus": 2, "host_name": "here", **context}, "benchmarks": list(benchmarks)}


def test_repetitions_of_one_process_become_seconds(written):
    result = read(written(file(run("BM_sort", 100.0), run("BM_sort", 110.0))))
    assert result.repeats == "process"
    assert result.host == {"host": "here", "cpus_online": 2}
    real, cpu = result.series
    assert (real.metric, real.unit) == ("real_time_s", "s")
    assert real.values == ((pytest.approx(100e-9), pytest.approx(110e-9)),)
    assert cpu.values == ((pytest.approx(50e-9), pytest.approx(55e-9)),)


def test_the_unit_of_the_file_is_converted(written):
    result = read(written(file(run("BM_sort", 2.0, time_unit="ms"))))
    assert result.series[0].values == ((pytest.approx(0.002),),)


def test_an_unknown_unit_is_refused_and_not_guessed(written):
    with pytest.raises(UsageError, match="BM_sort: unknown unit 'fortnights'"):
        read(written(file(run("BM_sort", 2.0, time_unit="fortnights"))))


def test_a_name_is_taken_apart_and_settings_are_left_out(written):
    name = "BM_copy/1024/n:8/min_time:0.100/repeats:3/threads:2/real_time"
    result = read(written(file(run(name, 1.0))))
    assert dict(result.series[0].levels) == {"benchmark": "BM_copy", "arg": 1024, "n": 8, "threads": 2}


def test_aggregates_are_left_out_where_the_repetitions_are_there(written):
    mean = run("BM_sort_mean", 105.0, run_name="BM_sort", run_type="aggregate", aggregate_name="mean")
    result = read(written(file(run("BM_sort", 100.0), run("BM_sort", 110.0), mean)))
    assert len(result.series[0].values[0]) == 2
    assert result.notes == ()


def test_aggregates_alone_are_one_value_and_a_note(written):
    rows = [
        run(f"BM_sort_{kind}", value, run_name="BM_sort", run_type="aggregate", aggregate_name=kind)
        for kind, value in (("mean", 105.0), ("stddev", 5.0))
    ]
    result = read(written(file(*rows)))
    assert result.series[0].values == ((pytest.approx(105e-9),),)
    assert "BM_sort: the file has a mean and no repetitions" in result.notes[0]


def test_rates_have_their_unit_and_other_counters_are_plain_numbers(written):
    result = read(written(file(run("BM_copy", 1.0, bytes_per_second=2e9, cache_misses=3.0))))
    by_name = {item.metric: item for item in result.series}
    assert (by_name["bytes_per_second"].unit, by_name["bytes_per_second"].better) == ("B/s", "higher")
    assert (by_name["cache_misses"].unit, by_name["cache_misses"].better) == ("", "neither")


def test_a_benchmark_that_failed_has_no_value_and_is_told(written):
    failed = run("BM_io", 0.0, error_occurred=True, error_message="no such file")
    result = read(written(file(run("BM_sort", 1.0), failed)))
    assert {item.levels["benchmark"] for item in result.series} == {"BM_sort"}
    assert result.notes == ("BM_io failed or was skipped and has no value: no such file.",)
    assert result.skipped == {"BM_io": "no such file"}


def test_a_benchmark_that_failed_in_one_repetition_reports_nothing_to_a_run(written):
    failed = run("BM_io", 0.0, error_occurred=True, error_message="no such file")
    text = written(file(run("BM_sort", 1.0), run("BM_io", 1.0), failed)).read_text()
    reports = read_reports(text, "it", "google-benchmark")
    assert {report.benchmark for report in reports if report.values} == {"BM_sort"}
    assert [item.benchmark for item in reports if item.skipped is not None] == ["BM_io"]


def test_another_schema_is_refused_by_its_number(written):
    with pytest.raises(UsageError, match="JSON schema 2 of Google Benchmark, of which 1 is known"):
        read(written(file(run("BM_sort", 1.0), json_schema_version=2)))


def test_a_file_that_google_benchmark_made_is_read_whole(made_by_the_tool):
    result = read(made_by_the_tool("google-benchmark.json"))
    real = [item for item in result.series if item.metric == "real_time_s"]
    assert [len(element.values[0]) for element in real] == [5, 5]
    assert {element.levels["arg"] for element in real} == {64, 1024}


def test_the_growth_that_it_fits_is_no_mean(written):
    of_fit = {"run_name": "BM_a", "run_type": "aggregate"}
    fit = {**of_fit, "name": "BM_a_BigO", "aggregate_name": "BigO", "big_o": "N"}
    rms = {**of_fit, "name": "BM_a_RMS", "aggregate_name": "RMS", "rms": 0.1}
    result = read(written(file(run("BM_a/8", 10), fit, rms)))
    levels = [entry.levels for entry in result.series if entry.metric == "real_time_s"]
    assert levels == [{"benchmark": "BM_a", "arg": 8}]
    assert result.notes == ()


def test_a_benchmark_before_two_of_one_name_does_not_shift_them(written):
    twice = [run("BM_twice", 10.0), run("BM_twice", 20.0)]
    base = [run("BM_first", 1.0), *twice]
    head = [run("BM_added", 1.0), *base]
    families = []
    for rows in (base, head):
        numbered = [{**row, "family_index": place} for place, row in enumerate(rows)]
        series = read(written(file(*numbered))).series
        families.append(
            {
                entry.qualifiers["family"]: entry.values[0][0]
                for entry in series
                if (entry.name, entry.metric) == ("BM_twice", "real_time_s")
            }
        )
    assert families[0] == families[1] == {1: pytest.approx(10e-9), 2: pytest.approx(20e-9)}


def test_a_counter_that_is_called_as_a_field_changes_no_time_and_is_named(written):
    """The JSON of Google Benchmark 1.9 has the key twice then: the field first, and the counter."""
    row = (
        '{"name": "BM", "run_name": "BM", "run_type": "iteration", "repetition_index": 0, "threads": 1,'
        ' "iterations": 10, "real_time": 2.0, "cpu_time": 1.0, "time_unit": "ns", "real_time": 77.0,'
        ' "name": 5.0, "hits": 3.0}'
    )
    context = '{"host_name": "h", "json_schema_version": 1}'
    text = f'{{"context": {context}, "benchmarks": [{row}]}}'
    contents = read(written(text, "bm.json"))
    values = {entry.metric: entry.values for entry in contents.series}
    assert values == {"real_time_s": ((2e-9,),), "cpu_time_s": ((1e-9,),), "hits": ((3.0,),)}
    assert contents.notes == tuple(
        f"BM has a counter that is called {name}, as a field of Google Benchmark is: it is left out."
        for name in ("real_time", "name")
    )
