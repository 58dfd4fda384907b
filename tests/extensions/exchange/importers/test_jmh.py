"""JMH's JSON: a file that it made, and others by the same format."""

from __future__ import annotations

import json

import pytest

from steelyard.core.errors import UsageError
from steelyard.extensions.exchange.importers import read


def result(data, unit="ns/op", mode="avgt", **options):
    metric = {"score": 12.0, "scoreUnit": unit, "rawData": data}
    return {
        "jmhVersion": "1.37",
        "benchmark": "org.it.Sort.run",
        "mode": mode,
        "threads": 1,
        "primaryMetric": metric,
        "secondaryMetrics": {},
        **options,
    }


def test_forks_are_processes_and_iterations_their_repetitions(written):
    answer = read(written([result([[10.0, 11.0], [12.0, 13.0]], params={"n": "8"})]))
    assert (answer.tool, answer.repeats) == ("jmh 1.37", "process")
    assert dict(answer.series[0].levels) == {"benchmark": "org.it.Sort.run", "n": 8}
    assert answer.series[0].values[1] == (pytest.approx(12e-9), pytest.approx(13e-9))


def test_throughput_is_a_rate_and_higher_is_better(written):
    series = read(written([result([[2.0]], unit="ops/us", mode="thrpt")])).series[0]
    assert (series.metric, series.unit, series.better) == ("throughput", "1/s", "higher")
    assert series.values == ((pytest.approx(2e6),),)


def test_an_unknown_unit_is_refused(written):
    with pytest.raises(UsageError, match="unknown unit 'moons/op'"):
        read(written([result([[2.0]], unit="moons/op")]))


def test_secondary_metrics_in_unknown_units_are_left_out_and_told(written):
    of_gc = {"score": 1.0, "scoreUnit": "B/op", "rawData": [[16.0]]}
    strange = {"score": 1.0, "scoreUnit": "counts", "rawData": [[3.0]]}
    secondary = {"gc.alloc.rate.norm": of_gc, "gc.count": strange}
    answer = read(written([result([[2.0]], secondaryMetrics=secondary)]))
    assert {item.metric: item.unit for item in answer.series} == {"time_s": "s", "gc_alloc_rate_norm": "B"}
    assert answer.notes == ("Left out, in units that are not known here: gc.count.",)


def test_sampled_modes_have_a_mean_alone(written):
    answer = read(written([result([], mode="sample")]))
    assert answer.series[0].values == ((pytest.approx(12e-9),),)
    assert "org.it.Sort.run: the file has a mean" in answer.notes[0]


def test_of_sampled_modes_each_iteration_is_the_mean_of_its_histogram(written):
    sampled = result([], mode="sample")
    sampled["primaryMetric"]["rawDataHistogram"] = [[[[10.0, 3], [30.0, 1]], [[12.0, 1]]]]
    answer = read(written([sampled]))
    assert answer.series[0].values == ((pytest.approx(15e-9), pytest.approx(12e-9)),)
    assert answer.notes == ()


def test_a_file_that_jmh_made_is_read_whole(made_by_the_tool):
    result = read(made_by_the_tool("jmh.json"))
    assert (result.tool, result.repeats) == ("jmh 1.37", "process")
    assert result.notes == ("Left out, in units that are not known here: gc.count.",)
    main = [item for item in result.series if item.metric in ("time_s", "throughput")]
    assert {(element.levels["benchmark"], element.levels["n"], element.metric) for element in main} == {
        (f"it.Sums.{name}", n, metric)
        for name, metric in (("boxed", "throughput"), ("sum", "time_s"), ("sampled", "time_s"))
        for n in (100, 1000)
    }
    assert [[len(fork) for fork in element.values] for element in main] == [[3, 3]] * 6
    assert {element.better for element in result.series if element.metric == "gc_alloc_rate"} == {"neither"}


def test_numbers_of_threads_are_levels_where_there_are_two_of_them(written):
    both = [result([[2.0]], threads=threads) for threads in (1, 2)]
    assert [item.levels.get("threads") for item in read(written(both)).series] == [1, 2]
    assert ["threads" in element.levels for element in read(written(both[:1])).series] == [False]


def test_a_metric_without_a_number_is_left_out_and_told(written):
    """JMH writes a value that is no number as a text."""
    nothing = {"score": "NaN", "scoreUnit": "ms", "rawData": [["NaN", "NaN"]]}
    answer = read(written([result([[2.0]], secondaryMetrics={"gc.time": nothing})]))
    assert [entry.metric for entry in answer.series] == ["time_s"]
    assert answer.notes == ("Left out, since a value is no number: gc.time.",)


def test_parameters_that_are_one_number_in_two_spellings_are_two_benchmarks(written):
    results = [
        {
            "jmhVersion": "1.37",
            "benchmark": "a.B.c",
            "mode": "avgt",
            "params": {"n": text, "size": "100"},
            "primaryMetric": {"score": 1.0, "scoreUnit": "us/op", "rawData": [[1.0, 1.1]]},
        }
        for text in ("10", "1e1")
    ]
    contents = read(written(json.dumps(results), "jmh.json"))
    assert [entry.levels for entry in contents.series] == [
        {"benchmark": "a.B.c", "n": "10", "size": 100},
        {"benchmark": "a.B.c", "n": "1e1", "size": 100},
    ]
