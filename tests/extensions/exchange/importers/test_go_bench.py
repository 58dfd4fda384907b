from __future__ import annotations

import pytest

from steelyard.core.errors import UsageError
from steelyard.extensions.exchange.importers import read, read_output

TEXT = """\
goos: linux
goarch: amd64
pkg: example.com/sort
cpu: Some CPU
BenchmarkSort/n=100-8     \t  100000\t     12.5 ns/op\t      16 B/op\t       1 allocs/op
BenchmarkSort/n=100-8     \t  100000\t     13.5 ns/op\t      16 B/op\t       1 allocs/op
BenchmarkCopy-8           \t     500\t   2000 ns/op\t  512.00 MB/s
PASS
ok  \texample.com/sort\t1.5s
"""


def test_repeated_lines_are_repetitions_of_one_process(written):
    result = read(written(TEXT, "bench.txt"))
    by_name = {(item.levels["benchmark"], item.metric): item for item in result.series}
    sort = by_name["Sort", "time_s"]
    assert dict(sort.levels) == {"benchmark": "Sort", "n": 100, "procs": 8}
    assert sort.values == ((pytest.approx(12.5e-9), pytest.approx(13.5e-9)),)
    assert by_name["Copy", "throughput"].values == ((pytest.approx(512e6),),)
    assert (by_name["Copy", "throughput"].unit, by_name["Copy", "throughput"].better) == ("B/s", "higher")
    assert by_name["Sort", "bytes_per_op"].unit == "B"
    assert result.host["cpu"] == "Some CPU"


def test_units_of_the_program_are_plain_numbers_and_told(written):
    result = read(written("BenchmarkQuery 10 100 ns/op 7 rows/op\n", "bench.txt"))
    rows = next(item for item in result.series if item.metric == "rows_op")
    assert (rows.unit, rows.better, rows.values) == ("", "neither", ((7.0,),))
    assert result.notes == ("Units of the program's own are kept as plain numbers: rows/op.",)


def test_a_line_that_was_cut_off_is_refused_with_its_number(written):
    with pytest.raises(UsageError, match=r"line 6: .* is incomplete: a value without its unit"):
        read(written("\n".join(TEXT.splitlines()[:6]).removesuffix(" allocs/op"), "bench.txt"))


def test_what_is_no_number_is_refused_with_its_file_and_line(written):
    with pytest.raises(UsageError, match=r"bench\.txt, line 5: .*'1x'"):
        read(written(TEXT.replace("     12.5 ns", "     1x ns"), "bench.txt"))


def test_a_benchmark_that_failed_is_told(written):
    result = read(written("BenchmarkA 1 5 ns/op\n--- FAIL: BenchmarkB\n", "bench.txt"))
    assert result.notes == ("BenchmarkB failed; it has no value.",)


def test_a_file_that_go_made_is_read_whole(made_by_the_tool):
    times = [item for item in read(made_by_the_tool("go-bench.txt")).series if item.metric == "time_s"]
    assert [(time.levels["n"], len(time.values[0])) for time in times] == [(100, 5), (1000, 5)]


def levels(text):
    return [dict(entry.levels) for entry in read_output(text, "it", "go-bench").series]


def lines(*names):
    return "".join(f"Benchmark{name} \t 100\t 10 ns/op\n" for name in names)


def test_a_number_in_a_name_is_no_number_of_cpus_where_others_have_none():
    assert levels(lines("AES-128", "AES-256", "X")) == [
        {"benchmark": "AES-128"},
        {"benchmark": "AES-256"},
        {"benchmark": "X"},
    ]
    assert levels(lines("AES-128-2", "X-2")) == [
        {"benchmark": "AES-128", "procs": 2},
        {"benchmark": "X", "procs": 2},
    ]
    # -cpu 1,4: each benchmark has both.
    assert levels(lines("AES-128", "AES-128-4", "X", "X-4")) == [
        {"benchmark": "AES-128"},
        {"benchmark": "AES-128", "procs": 4},
        {"benchmark": "X"},
        {"benchmark": "X", "procs": 4},
    ]


def test_a_result_behind_what_a_benchmark_printed_is_named():
    text = lines("A-2") + "BenchmarkB-2 \thello\n     100\t 20 ns/op\t 3 hits/op\n" + lines("C-2")
    contents = read_output(text, "it", "go-bench")
    assert [entry.name for entry in contents.series] == ["BenchmarkA-2", "BenchmarkC-2"]
    assert contents.skipped == {"BenchmarkB-2": "what it printed broke the line of its result"}


def test_a_result_whose_name_stands_behind_a_print_is_named():
    """A benchmark that prints without a newline has its name, and its result, behind what it printed."""
    broken = "progressBenchmarkB-2 \tprogress     100\t 20 ns/op\n"
    foreign = "Write     100000               730.0 ns/op\n"  # Of another program, without go's names.
    contents = read_output(lines("A-2") + broken + foreign + lines("C-2"), "it", "go-bench")
    assert [entry.name for entry in contents.series] == ["BenchmarkA-2", "BenchmarkC-2"]
    assert contents.skipped == {"BenchmarkB-2": "what it printed broke the line of its result"}


def test_a_file_says_which_side_of_its_units_is_better():
    text = "Unit recall assume=exact better=higher\nUnit p99-ns/op better=lower\nUnit size assume=exact\n"
    contents = read_output(text + "BenchmarkA-2 100 20 ns/op 0.5 recall 9 p99-ns/op 3 size\n", "it")
    assert {entry.metric: entry.better for entry in contents.series} == {
        "time_s": "lower",
        "recall": "higher",
        "p99_ns_op": "lower",
        "size": "neither",
    }
