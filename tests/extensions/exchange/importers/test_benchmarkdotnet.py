"""By BenchmarkDotNet's documented full JSON exporter; not made by it, since .NET is not installed here."""

from __future__ import annotations

import pytest

from steelyard.extensions.exchange.importers import read


def measured(stage, launch, nanoseconds, operations=10):
    return {
        "IterationMode": "Workload",
        "IterationStage": stage,
        "LaunchIndex": launch,
        "IterationIndex": 1,
        "Operations": operations,
        "Nanoseconds": nanoseconds,
    }


def file(*benchmarks):
    return {"HostEnvironmentInfo": {"BenchmarkDotNetVersion": "0.14.0"}, "Benchmarks": list(benchmarks)}


def benchmark(**options):
    return {
        "Type": "Sort",
        "Method": "Run",
        "Parameters": "N=100&Kind=quick",
        "FullName": "Sort.Run(N: 100)",
        "Statistics": {"OriginalValues": [10.0, 11.0], "Mean": 10.5},
        **options,
    }


def test_results_of_each_launch_are_repetitions_of_a_process(written):
    rows = [measured("Warmup", 1, 900.0), measured("Result", 1, 100.0), measured("Result", 2, 120.0)]
    result = read(written(file(benchmark(Measurements=rows))))
    assert result.tool == "benchmarkdotnet 0.14.0"
    assert dict(result.series[0].levels) == {"benchmark": "Sort.Run", "N": 100, "Kind": "quick"}
    assert result.series[0].values == ((pytest.approx(10e-9),), (pytest.approx(12e-9),))


def test_outliers_that_the_tool_removed_are_told(written):
    rows = [measured("Actual", 1, 100.0), measured("Actual", 1, 990.0), measured("Result", 1, 100.0)]
    result = read(written(file(benchmark(Measurements=rows))))
    assert result.notes == ("Sort.Run: BenchmarkDotNet removed 1 of 2 iterations as outliers.",)


def test_without_measurements_the_values_of_the_statistics_are_taken(written):
    result = read(written(file(benchmark())))
    assert result.series[0].values == ((pytest.approx(10e-9), pytest.approx(11e-9)),)


def test_a_mean_alone_is_one_value_and_a_note(written):
    result = read(written(file(benchmark(Statistics={"Mean": 10.5}))))
    assert result.series[0].values == ((pytest.approx(10.5e-9),),)
    assert "Sort.Run: the file has a mean" in result.notes[0]


def test_a_benchmark_that_failed_is_told(written):
    result = read(written(file(benchmark(), benchmark(Method="Bad", FullName="Sort.Bad", Statistics=None))))
    assert result.notes == ("Sort.Bad failed and has no value.",)


def test_allocated_bytes_are_a_metric_and_none_is_a_value(written):
    result = read(
        written(
            file(
                benchmark(Memory={"BytesAllocatedPerOperation": 0, "Gen0Collections": 1}),
                benchmark(Method="Other", Memory={"BytesAllocatedPerOperation": None}),
            )
        )
    )
    assert [
        (entry.levels["benchmark"], entry.unit, entry.better, entry.values)
        for entry in result.series
        if entry.metric == "bytes_per_op"
    ] == [("Sort.Run", "B", "lower", ((0.0,),))]


def test_a_file_of_version_0_9_says_its_processor_as_a_value_that_is_found_late(written):
    """The head of IntroJsonExport-report-brief.json in the documentation of BenchmarkDotNet."""
    document = file(benchmark(Statistics={"N": 2, "Mean": 10.5}, Namespace=None, Measurements=None))
    document["HostEnvironmentInfo"] = {
        "BenchmarkDotNetCaption": "BenchmarkDotNet-Dev.Core",
        "BenchmarkDotNetVersion": "0.9.9.0",
        "OsVersion": "Microsoft Windows NT 6.2.9200.0",
        "ProcessorName": {"IsValueCreated": True, "Value": "Intel(R) Core(TM) i7-4702MQ CPU 2.20GHz"},
        "ProcessorCount": 8,
        "ClrVersion": "MS.NET 4.0.30319.42000",
        "Architecture": "64-bit",
    }
    contents = read(written(document))
    assert contents.host == {
        "cpu": "Intel(R) Core(TM) i7-4702MQ CPU 2.20GHz",
        "cpus_online": 8,
        "arch": "64-bit",
        "os": "Microsoft Windows NT 6.2.9200.0",
        "runtime": "MS.NET 4.0.30319.42000",
    }
    assert contents.series[0].values == ((pytest.approx(10.5e-9),),)
