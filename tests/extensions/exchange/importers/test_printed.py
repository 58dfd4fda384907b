"""What criterion, divan and Vitest report: outputs of criterion 0.5.1, divan 0.1.21 and Vitest's documented
JSON."""

from __future__ import annotations

import json
import math

import pytest

from steelyard.core.errors import UsageError
from steelyard.extensions.exchange.importers import FORMATS, columns, read, read_output
from steelyard.spec.tables.metrics import HARNESSES

CRITERION = """\
total of a thousand     time:   [819.98 ns 825.63 ns 832.99 ns]
Found 1 outliers among 10 measurements (10.00%)
  1 (10.00%) high mild

group/total/100         time:   [74.720 ns 76.258 ns 78.254 ns]
                        change: [-6.9989% -3.9756% -1.4001%] (p = 0.00 < 0.05)
                        Performance has improved.
a name that is too long for a column of its own
                        time:   [1.0000 ms 1.5000 ms 2.0000 ms]
                        thrpt:  [1.0 Melem/s 2.0 Melem/s 3.0 Melem/s]
"""
DIVAN = """\
Timer precision: 20 ns
div         fastest       │ slowest       │ median        │ mean          │ samples │ iters
├─ sized                  │               │               │               │         │
│  ├─ 500   407.8 ns      │ 409.1 ns      │ 409.1 ns      │ 408.8 ns      │ 20      │ 160
│  ╰─ 1000  813.2 ns      │ 820.9 ns      │ 815.7 ns      │ 816.6 ns      │ 20      │ 80
├─ small    75.44 ns      │ 76.07 ns      │ 75.79 ns      │ 75.73 ns      │ 20      │ 640
╰─ inner                  │               │               │               │         │
   ╰─ deep  237.5 µs      │ 239.4 µs      │ 238.1 µs      │ 238.1 µs      │ 20      │ 320
"""
DIVAN_MEMORY = """\
Timer precision: 20 ns
div       fastest       │ slowest       │ median        │ mean          │ samples │ iters
├─ fibd                 │               │               │               │         │
│  ├─ 1   1.92 ns       │ 24.61 ns      │ 1.939 ns      │ 2.162 ns      │ 100     │ 102400
│  ╰─ 10  103 ns        │ 103.9 ns      │ 103.3 ns      │ 103.3 ns      │ 100     │ 3200
├─ vecs   22.71 ns      │ 498.1 ns      │ 29.29 ns      │ 34.23 ns      │ 100     │ 6400
│         max alloc:    │               │               │               │         │
│           1           │ 1             │ 1             │ 1             │         │
│           101 B       │ 101 B         │ 101 B         │ 101 B         │         │
│         alloc:        │               │               │               │         │
│           1           │ 1             │ 1             │ 1             │         │
│           10 B        │ 10 B          │ 10 B          │ 10 B          │         │
│         grow:         │               │               │               │         │
│           1           │ 1             │ 1             │ 1             │         │
│           91 B        │ 91 B          │ 91 B          │ 91 B          │         │
╰─ m                    │               │               │               │         │
   ╰─ t                 │               │               │               │         │
      ├─ t=1  33.24 ns      │ 54.68 ns      │ 35.2 ns       │ 38.24 ns      │ 100     │ 6400
      │       max alloc:    │               │               │               │         │
      │         1           │ 1             │ 1             │ 1             │         │
      │         100 B       │ 100 B         │ 100 B         │ 100 B         │         │
      │       alloc:        │               │               │               │         │
      │         1           │ 1             │ 1             │ 1             │         │
      │         100 B       │ 100 B         │ 100 B         │ 100 B         │         │
      ╰─ t=2  34.29 ns      │ 1.015 µs      │ 36.79 ns      │ 46.01 ns      │ 100     │ 400
              max alloc:    │               │               │               │         │
                1           │ 1             │ 1             │ 1             │         │
                100 B       │ 100 B         │ 100 B         │ 100 B         │         │
              alloc:        │               │               │               │         │
                1           │ 1             │ 1             │ 1             │         │
                100 B       │ 100 B         │ 100 B         │ 100 B         │         │
"""


def values(text):
    return {
        item.title: item.values[0][0] for item in read_output(text, "it").series if item.metric == "time_s"
    }


def test_criterions_estimate_is_read_with_its_name():
    assert values(CRITERION) == {
        "total of a thousand": pytest.approx(825.63e-9),
        "group/total/100": pytest.approx(76.258e-9),
        "a name that is too long for a column of its own": pytest.approx(1.5e-3),
    }
    with pytest.raises(UsageError, match=r"it: 'time:.*' has no name before it"):
        read_output("  time:   [1.0 ms 1.5 ms 2.0 ms]\n", "it", "criterion")


def test_a_throughput_of_criterion_is_a_metric_whatever_its_prefix():
    text = "\n".join(
        f"{name}    time:   [1 ns 2 ns 3 ns]\n        thrpt:  [1 {unit} 2 {unit} 3 {unit}]"
        for name, unit in (("a", "GiB/s"), ("b", "Melem/s"), ("c", "elem/s"))
    )
    rates = [entry for entry in read_output(text, "it").series if entry.metric == "throughput"]
    assert [(e.title, e.unit, e.better, e.values) for e in rates] == [
        ("a", "B/s", "higher", ((2 * 2.0**30,),)),
        ("b", "elem/s", "higher", ((2e6,),)),
        ("c", "elem/s", "higher", ((2.0,),)),
    ]


def test_a_measurement_of_criterions_program_is_a_metric_called_as_its_unit():
    contents = read_output("sum    time:   [2830.0 cycles 2835.0 cycles 2840.0 cycles]\n", "it")
    (series,) = contents.series
    assert (series.metric, series.unit, series.better, series.values) == (
        "cycles",
        "cycles",
        "lower",
        ((2835.0,),),
    )


def test_divans_allocations_are_read_and_what_it_shortens_is_no_number():
    contents = read_output(DIVAN_MEMORY.replace("100 B  ", "12.2 KB"), "it")
    shortened = {(e.title, e.metric) for e in contents.series if not math.isfinite(e.values[0][0])}
    assert shortened == {
        (f"div::m::t::t={threads}", metric)
        for threads in (1, 2)
        for metric in ("max_alloc_bytes", "alloc_bytes")
    }
    numbers = [e for e in contents.series if (e.title, e.metric) not in shortened]
    assert {(e.title, e.metric, e.unit): e.values for e in numbers if e.metric != "time_s"} == {
        ("div::vecs", "max_allocs", ""): ((1.0,),),
        ("div::vecs", "max_alloc_bytes", "B"): ((101.0,),),
        ("div::vecs", "allocs", ""): ((1.0,),),
        ("div::vecs", "alloc_bytes", "B"): ((10.0,),),
        ("div::vecs", "grows", ""): ((1.0,),),
        ("div::vecs", "grow_bytes", "B"): ((91.0,),),
        **{
            (f"div::m::t::t={threads}", metric, ""): ((1.0,),)
            for threads in (1, 2)
            for metric in ("max_allocs", "allocs")
        },
    }
    times = values("\n".join(line for line in DIVAN_MEMORY.splitlines() if "alloc" not in line))
    assert [*times] == ["div::fibd::1", "div::fibd::10", "div::vecs", "div::m::t::t=1", "div::m::t::t=2"]


def test_bytes_of_divan_below_ten_thousand_have_all_their_digits():
    contents = read_output(DIVAN_MEMORY.replace("100 B   ", "1.001 KB"), "it")
    assert {e.values for e in contents.series if e.title.endswith("t=2") and e.unit == "B"} == {((1001.0,),)}


def test_a_name_with_the_bar_of_divans_table_keeps_its_own_time():
    row = "╰─ x│y           0.659 ns      │ 0.7 ns │ 0.664 ns │ 0.663 ns │ 100 │ 409600"
    head = next(line for line in DIVAN.splitlines() if "fastest" in line)
    assert list(values(f"{head}\n{row}\n").values()) == [pytest.approx(0.664e-9)]


def test_divans_medians_are_read_by_paths_as_its_filters_take_them():
    assert values(DIVAN) == {
        "div::sized::500": pytest.approx(409.1e-9),
        "div::sized::1000": pytest.approx(815.7e-9),
        "div::small": pytest.approx(75.79e-9),
        "div::inner::deep": pytest.approx(238.1e-6),
    }
    with pytest.raises(UsageError, match="unknown unit 'days'"):
        read_output(DIVAN.replace("75.79 ns", "75.79 days"), "it")


def test_vitest_is_read_with_files_and_groups():
    benchmarks = [{"name": "sort", "median": 2.0, "samples": [1.0, 3.0]}, {"name": "find", "median": 5.0}]
    document = {"files": [{"groups": [{"fullName": "a.bench.ts > g", "benchmarks": benchmarks}]}]}
    output = read_output(json.dumps(document), "it")
    assert [(item.title, item.values) for item in output.series] == [
        ("a.bench.ts > g > sort", ((1e-3, 3e-3),)),
        ("a.bench.ts > g > find", ((5e-3,),)),
    ]


def test_a_benchmark_of_vitest_that_threw_is_skipped_and_the_others_are_read():
    benchmarks = [{"name": "sum", "median": 2.0, "samples": [1.0, 3.0]}, {"name": "boom", "rank": 0}]
    document = {"files": [{"groups": [{"fullName": "a.bench.ts", "benchmarks": benchmarks}]}]}
    output = read_output(json.dumps(document), "it")
    assert [item.title for item in output.series] == ["a.bench.ts > sum"]
    assert output.skipped == {"a.bench.ts > boom": "it failed"}


def test_a_file_of_what_was_printed_is_imported_too(tmp_path):
    (tmp_path / "bench.txt").write_text(DIVAN)
    assert read(tmp_path / "bench.txt").tool == "divan"


def test_a_metric_of_a_spec_can_name_each_format_that_is_no_table():
    assert {*HARNESSES} == {*FORMATS} - {columns.CSV, columns.TSV, columns.JUBE, "json", "jsonl", "parquet"}
