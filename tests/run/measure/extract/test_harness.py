"""Metrics that a harness of benchmarks reports: one value of a process for each benchmark."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from steelyard.run.measure.measurement import Value
from steelyard.spec.experiment import UserMetric

TIME = UserMetric("time_s", unit="s", source="pytest-benchmark")


def report(*names, data=(1.0, 2.0, 9.0)):
    benchmarks = [
        {"name": name, "fullname": f"t.py::{name}", "stats": {"mean": 4.0, "data": data}} for name in names
    ]
    return json.dumps({"machine_info": {}, "benchmarks": benchmarks}).encode()


@pytest.mark.extensions("exchange", "outputs")
def test_repetitions_are_reduced_and_each_benchmark_has_its_label(extracting):
    expected = tuple(
        Value("time_s", 2.0, 0, {"benchmark": name}) for name in ("t.py::test_a", "t.py::test_b[1]")
    )
    assert extracting(TIME).values(metrics=report("test_a", "test_b[1]")) == expected
    assert extracting(TIME).values(report("test_a", "test_b[1]")) == expected
    mean = UserMetric("time_s", unit="s", source="pytest-benchmark", reduce="mean")
    assert extracting(mean).numbers(report("test_a")) == [4.0]


@pytest.mark.extensions("exchange", "outputs")
def test_the_metrics_file_comes_before_stdout(extracting):
    assert extracting(TIME).numbers(report("a", data=[1.0]), metrics=report("a", data=[2.0])) == [2.0]


@pytest.mark.extensions("exchange", "outputs")
@pytest.mark.parametrize(
    ("metric", "text", "reason"),
    [
        (TIME, b"", "not a file of pytest-benchmark; stdout, which is empty"),
        (TIME, b"hello", "not a file of pytest-benchmark; stdout, which begins 'hello'"),
        (TIME, report(), "pytest-benchmark reports nothing in stdout"),
        (UserMetric("other", source="pytest-benchmark"), report("a"), "reports time_s in stdout"),
        (
            UserMetric("time_s", unit="B", source="pytest-benchmark"),
            report("a"),
            "is in 's', and the spec says 'B'",
        ),
        (UserMetric("time_s", source="google-benchmark"), report("a"), "not a file of google-benchmark"),
    ],
)
def test_a_report_that_does_not_hold_the_metric_fails_the_trial(extracting, metric, text, reason):
    assert reason in extracting(metric).reason(text)


def test_a_report_that_was_cut_is_refused(extracting):
    reason = extracting(TIME).reason(metrics=report("a"), written={"metrics": 10**9})
    assert "bytes of the metrics file were kept" in reason


def read_output(name):
    return Path(__file__, "../../../../extensions/outputs/files", name).resolve().read_bytes()


@pytest.mark.extensions("exchange", "outputs")
def test_formats_of_extensions_are_sources_and_their_labels_the_benchmark(extracting):
    gflops = UserMetric("rate", unit="GFLOP/s", source="hpl", better="higher")
    assert {
        value.labels["benchmark"]: value.value for value in extracting(gflops).values(read_output("hpl.txt"))
    } == {
        "WR11C2R4 N=480 NB=32 P=1 Q=1": 1.458,
        "WR11C2R4 N=480 NB=64 P=1 Q=1": 1.076,
        "WR11C2R4 N=480 NB=96 P=1 Q=1": 1.257,
    }
    iops = UserMetric("iops", unit="1/s", source="fio", better="higher")
    assert len(extracting(iops).values(read_output("fio.json"))) == 2


@pytest.mark.extensions("exchange", "outputs")
def test_a_run_that_a_report_counts_as_failed_fails_the_trial(extracting):
    rate = UserMetric("rate", source="hpl")
    reason = extracting(rate).reason(read_output("hpl-failed.txt"))
    assert "WR11C2R4 N=480 NB=32 P=1 Q=1 failed: the residual check says FAILED" in reason
    assert "fio: error 2" in extracting(UserMetric("iops", source="fio")).reason(
        read_output("fio-error.json")
    )
    assert "wrk failed: unable to connect" in extracting(UserMetric("requests", source="wrk")).reason(
        read_output("wrk-unreached.txt")
    )


@pytest.mark.extensions("exchange", "outputs")
def test_a_report_of_reframe_is_a_source_and_its_failed_tests_fail_the_trial(extracting):
    report = Path(__file__, "../../../../extensions/exchange/importers/files").resolve()
    took = UserMetric("took", unit="s", source="reframe")
    values = extracting(took).values(metrics=(report / "reframe.json").read_bytes())
    assert {value.labels["benchmark"] for value in values} == {"sums_test n=1000", "sums_test n=2000"}
    reason = extracting(took).reason(metrics=(report / "reframe-failed.json").read_bytes())
    assert "stream_like n=200 failed: sanity error: 200 >= 150" in reason
