"""What ASV, tango and tinybench report: results of ASV 0.6.5, tango-bench 0.6.0 and tinybench 6.2.5."""

from __future__ import annotations

import json

import pytest

from steelyard.core.errors import UsageError
from steelyard.extensions.exchange.importers import read, read_output

ASV = {
    "commit_hash": "eb135d33",
    "result_columns": ["result", "params", "version", "samples"],
    "results": {
        "sums.Sums.time_sum": [[1.05e-05, None], [["1000", "4000"]], "ceb", [[1.05e-05, 9.5e-05], None]],
        "sums.time_one": [[6.5e-07], [], "82b"],
        "sums.peakmem_one": [[4096], [], "83c"],
        "sums.track_size": [[42], [], "84d"],
    },
    "version": 2,
}
TANGO = """\
small                                               [ 155.4 ns ... 620.0 ns ...   5.6 us ]  stddev:   1.3 us
large one                                           [   2.2 us ...   3.5 us ...  15.6 us ]  stddev:   3.9 us
"""
TINYBENCH = """\
┌─────────┬─────────────┬────────────────────┬───────────────────┬─────────┐
│ (index) │ Task name   │ Latency avg (ns)   │ Latency med (ns)  │ Samples │
├─────────┼─────────────┼────────────────────┼───────────────────┼─────────┤
│ 0       │ 'small'     │ '154759 ± 110.02%' │ '9705.0 ± 139.50' │ 410     │
│ 1       │ 'large one' │ '613546 ± 189.97%' │ '21973 ± 90.00'   │ 89      │
│ 2       │ 'broken'    │ 'NaN'              │ 'error'           │ 0       │
└─────────┴─────────────┴────────────────────┴───────────────────┴─────────┘
"""
TINYBENCH_2 = """\
│ (index) │ Task Name │  ops/sec  │ Average Time (ns) │ Margin │ Samples │
│    0    │ 'faster'  │ '41,621'  │ 24025.79          │ '±0.50%' │ 4257 │
"""


def values(text, form):
    return {item.title: item.values[0] for item in read_output(text, "it", form).series}


def test_asv_has_a_benchmark_for_each_combination_of_parameters():
    output = read_output(json.dumps(ASV), "it", "asv")
    assert {(item.title, item.metric): item.values[0] for item in output.series} == {
        ("sums.Sums.time_sum(1000)", "time_s"): (1.05e-05, 9.5e-05),
        ("sums.time_one", "time_s"): (6.5e-07,),
        ("sums.peakmem_one", "memory_bytes"): (4096.0,),
        ("sums.track_size", "value"): (42.0,),
    }
    assert list(output.skipped) == ["sums.Sums.time_sum(4000)"]
    assert {element.better for element in output.series if element.metric == "value"} == {"neither"}
    with pytest.raises(UsageError, match="version 3 of ASV's results"):
        read_output(json.dumps({**ASV, "version": 3}), "it", "asv")


def test_benchmarks_of_asv_in_camel_case_are_read_and_those_of_another_kind_named():
    results = {
        "sums.TimeSum": [[1e-5], [], "a"],
        "sums.PeakMem_one": [[4096], [], "b"],
        "sums.timer_one": [[1], [], "c"],
    }
    output = read_output(json.dumps({**ASV, "results": results}), "it", "asv")
    assert {item.title: item.metric for item in output.series} == {
        "sums.TimeSum": "time_s",
        "sums.PeakMem_one": "memory_bytes",
    }
    assert list(output.skipped) == ["sums.timer_one"]


def test_tangos_least_sample_is_read_where_its_digits_can_be_compared():
    assert values(TANGO, "tango") == {"small": (pytest.approx(155.4e-9),)}
    output = read_output(TANGO, "it", "tango")
    assert output.skipped == {"large one": "tango prints 2.2 us, which has too few digits to compare"}


def test_tinybenchs_medians_are_read_and_the_means_of_its_first_versions():
    assert values(TINYBENCH, "tinybench") == {
        "small": (pytest.approx(9705e-9),),
        "large one": (pytest.approx(21973e-9),),
    }
    assert values(TINYBENCH_2, "tinybench") == {"faster": (pytest.approx(24025.79e-9),)}
    with pytest.raises(UsageError, match="no column of a latency"):
        read_output("│ (index) │ Task name │ Samples │\n", "it", "tinybench")


TINYBENCH_FAILED = """\
│ (index) │ Task name             │ Latency med (ns) │ Samples │ Error       │ Stack     │
│ 0       │ 'ok'                  │ '290.00 ± 19.00' │ 4678    │             │           │
│ 1       │ `it's "quoted" │ bar` │ '160.00 ± 10.00' │ 4296    │             │           │
│ 2       │ 'throws'              │                  │         │ 'bad input' │ 'at x.js' │
"""


def test_a_task_of_tinybench_that_threw_is_a_failed_run_with_its_error():
    output = read_output(TINYBENCH_FAILED, "it", "tinybench")
    assert output.skipped == {"throws": "bad input"}
    assert [(runs.title, runs.failed, runs.reason) for runs in output.failures] == [
        ("throws", 1, "bad input")
    ]


def test_a_name_with_the_bar_of_tinybenchs_table_keeps_its_own_time():
    assert values(TINYBENCH_FAILED, "tinybench") == {
        "ok": (pytest.approx(290e-9),),
        'it\'s "quoted" │ bar': (pytest.approx(160e-9),),
    }


@pytest.mark.parametrize(
    ("text", "tool"), [(json.dumps(ASV), "asv"), (TANGO, "tango"), (TINYBENCH, "tinybench")]
)
def test_each_is_recognised_by_import(tmp_path, text, tool):
    (tmp_path / "f").write_text(text)
    assert read(tmp_path / "f").tool == tool
