"""ReFrame's run reports: one that it made, and others by their documentation."""

from __future__ import annotations

import pytest

from steelyard.extensions.exchange.importers import read
from steelyard.extensions.exchange.importers.contents import word_levels
from steelyard.extensions.exchange.importers.identity import tell_apart


def case(value=10.0, unit="MB/s", **options):
    return {
        "name": "stream_test",
        "display_name": "stream_test %n=4",
        "system": "daint",
        "partition": "gpu",
        "environ": "gnu",
        "result": "pass",
        "check_params": {"stream_test.n": 4},
        "perfvalues": {"daint:gpu:copy_bw": [value, 9.0, -0.1, None, unit, "pass"]},
        **options,
    }


def file(*cases):
    return {"session_info": {"version": "4.7.3", "hostname": "here"}, "runs": [{"testcases": list(cases)}]}


def test_every_run_of_a_test_is_a_launch(written):
    result = read(written(file(case(10.0), case(12.0))))
    assert (result.tool, result.repeats) == ("reframe 4.7.3", "launch")
    (series,) = result.series
    assert dict(series.levels) == {"test": "stream_test", "n": 4}
    assert (series.metric, series.unit, series.better) == ("copy_bw", "B/s", "higher")
    assert series.values == ((10e6,), (12e6,))


def test_environments_are_levels_where_they_differ(written):
    result = read(written(file(case(), case(environ="nvidia"))))
    assert [item.levels["environment"] for item in result.series] == ["gnu", "nvidia"]


def test_a_place_that_differs_in_one_file_is_a_level_in_all(written):
    files = (file(case()), file(case(), case(partition="cpu")), file(case(environ="nvidia"), case()))
    series = {str(i): read(written(text)).series for i, text in enumerate(files)}
    before, after, third = tell_apart(series).values()
    assert [word_levels(entry.levels) for entry in (*before, *after, *third)] == [
        "stream_test n=4 partition=gpu environment=gnu",
        "stream_test n=4 partition=gpu environment=gnu",
        "stream_test n=4 partition=cpu environment=gnu",
        "stream_test n=4 partition=gpu environment=nvidia",
        "stream_test n=4 partition=gpu environment=gnu",
    ]


def test_reports_of_version_3_list_variables(written):
    old = case(perfvalues=None, perfvars=[{"name": "time", "value": 2.0, "unit": "ms"}])
    assert read(written(file(old))).series[0].values == ((0.002,),)


def test_tests_that_are_skipped_failed_or_without_a_value_are_told_apart(written):
    cases = (
        case(name="bad", display_name="bad", perfvalues={}),
        case(name="left", display_name="left", perfvalues={}, result="skip"),
        case(name="lost", display_name="lost", perfvalues={}, result="fail"),
    )
    contents = read(written(file(case(), *cases)))
    assert contents.notes == ("Without a value: bad.", "Skipped: left.")
    assert [entry.title for entry in contents.failures] == ["lost n=4"]


def test_a_test_that_missed_its_reference_has_its_value_and_is_named(written):
    reason = "performance error: failed to meet reference"
    slow = case(8.0, result="fail", fail_phase="performance", fail_reason=f"{reason}\nmore")
    contents = read(written(file(slow)))
    assert [entry.values for entry in contents.series] == [((8e6,),)]
    assert contents.notes == (
        f"Failed by ReFrame's own judgement, with a value that counts: stream_test %n=4 ({reason}).",
    )


def test_any_unit_is_one_and_a_test_that_failed_is_a_run_that_failed(written):
    contents = read(written(file(case(unit="Gflops"), case(result="fail", perfvalues=None))))
    (series,) = contents.series
    assert (series.unit, series.better) == ("Gflops", "higher")
    (runs,) = contents.failures
    assert (runs.failed, runs.reason) == (1, "ReFrame: fail")


def test_a_report_that_reframe_made_is_read_whole_with_its_parameters(made_by_the_tool):
    result = read(made_by_the_tool("reframe.json"))
    assert (result.tool, result.repeats, result.notes) == ("reframe 4.10.4", "launch", ())
    assert [(dict(item.levels), item.metric, item.unit, item.values) for item in result.series] == [
        ({"test": "sums_test", "n": 1000}, "rate", "B/s", ((100e6,),)),
        ({"test": "sums_test", "n": 1000}, "took", "s", ((pytest.approx(0.6e-3),),)),
        ({"test": "sums_test", "n": 2000}, "rate", "B/s", ((200e6,),)),
        ({"test": "sums_test", "n": 2000}, "took", "s", ((pytest.approx(0.7e-3),),)),
    ]


def test_a_report_with_failures_that_reframe_made_counts_them(made_by_the_tool):
    contents = read(made_by_the_tool("reframe-failed.json"))
    assert [(dict(runs.levels), runs.failed) for runs in contents.failures] == [
        ({"test": "stream_like", "n": 200}, 1)
    ]
    # A test that missed its reference has a value, which is one.
    assert {entry.levels["test"]: entry.values for entry in contents.series if entry.metric == "rate"} == {
        "stream_like": ((200.5,),),
        "bounds": ((10e6,),),
    }
