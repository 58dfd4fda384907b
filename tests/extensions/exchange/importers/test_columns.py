"""Tables: CSV, and JUBE's by its documented styles (not made by JUBE)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from steelyard.core.errors import UsageError
from steelyard.extensions.exchange.importers import read
from steelyard.extensions.exchange.importers.columns import Chosen, read_units

BARS = """\
result:
| np | time[ms] |
|----|----------|
|  1 |     10.0 |
|  2 |      6.0 |
|  2 |      7.0 |
"""


def test_rows_of_csv_are_launches(written):
    file = written("kind,time\na,1.5\nb,2.5\na,1.6\n", "it.csv")
    result = read(file, chosen=Chosen(("time",), ("kind",), "ms"))
    assert (result.tool, result.repeats) == ("csv", "launch")
    assert [(dict(item.levels), item.values) for item in result.series] == [
        ({"kind": "a"}, ((0.0015,), (0.0016,))),
        ({"kind": "b"}, ((0.0025,),)),
    ]


@pytest.mark.parametrize(
    ("cells", "levels"),
    [
        (("1.1", "1.10"), ["1.1", "1.10"]),
        (("3.9", "3.10"), ["3.9", "3.10"]),
        (("1.10", "1.10"), ["1.10"]),
        (("7", "007"), ["7", "007"]),
        (("0.25", "0.50"), [0.25, 0.5]),
        (("1.5", "2.0", "10"), [1.5, 2.0, 10]),
        (("1000", "1e3", "1000.0"), [1000]),
    ],
)
def test_a_column_of_versions_or_of_names_is_not_made_of_numbers(written, cells, levels):
    rows = "".join(f"{cell},1.5\n" for cell in cells)
    result = read(written(f"kind,time\n{rows}", "it.csv"), chosen=Chosen(("time",), ("kind",), "ms"))
    assert [item.levels["kind"] for item in result.series] == levels


@pytest.mark.parametrize(
    ("text", "name", "form"),
    [
        ("kind\ttime\na\t1.5\nb\t2.5\na\t1.6\n", "it.tsv", None),
        ("kind\ttime\r\na\t1.5\r\nb\t2.5\r\na\t1.6\r\n", "it", None),
        ("kind\ttime\tname, as shown\na\t1.5\tx\nb\t2.5\ty, z\na\t1.6\t\n", "it.tab", None),
        ("kind\ttime\tname, as shown\na\t1.5\tx\nb\t2.5\ty, z\na\t1.6\t\n", "it.txt", "tsv"),
        ('"kind"\t"time"\n"a"\t1.5\nb\t2.5\na\t1.6\n', "it.txt", "csv"),
    ],
)
def test_columns_may_be_separated_by_tabs(written, text, name, form):
    contents = read(written(text, name), form, Chosen(("time",), ("kind",), "ms"))
    assert [(dict(series.levels), series.values) for series in contents.series] == [
        ({"kind": "a"}, ((0.0015,), (0.0016,))),
        ({"kind": "b"}, ((0.0025,),)),
    ]


@pytest.mark.parametrize(
    ("text", "name"), [(BARS.removeprefix("result:\n"), "result.dat"), (BARS, "result.dat")]
)
def test_jube_says_the_unit_in_its_header(written, text, name):
    result = read(written(text, name), chosen=Chosen(("time",), ("np",)))
    assert result.tool == "jube"
    assert [(dict(item.levels), item.values) for item in result.series] == [
        ({"np": 1}, ((0.01,),)),
        ({"np": 2}, ((0.006,), (0.007,))),
    ]


def test_jubes_csv_is_read_under_its_name_too(written):
    file = written("np,time[s]\n1,10.0\n", "result.csv")
    assert read(file, "jube", Chosen(("time",), ("np",))).series[0].values == ((10.0,),)


@pytest.mark.parametrize(
    ("name", "unit", "si", "value"),
    [
        ("time_s", None, "s", 3.0),
        ("wall_ms", None, "s", 0.003),
        ("latency_us", None, "s", 3e-6),
        ("rss_MiB", None, "B", 3 * 2.0**20),
        ("sent_bytes", None, "B", 3.0),
        ("time_s", "ms", "s", 0.003),
    ],
)
def test_the_name_of_a_column_may_end_with_its_unit(written, name, unit, si, value):
    (series,) = read(written(f"kind,{name}\na,3\n", "it.csv"), chosen=Chosen((name,), ("kind",), unit)).series
    assert (series.metric, series.unit, series.values) == (name, si, ((pytest.approx(value),),))


@pytest.mark.parametrize("name", ["time_min", "s", "errors_h", "glass", "runs_total"])
def test_what_a_name_ends_with_is_no_unit_where_it_may_be_a_word(written, name):
    with pytest.raises(UsageError, match="--unit is missing"):
        read(written(f"kind,{name}\na,3\n", "it.csv"), chosen=Chosen((name,), ("kind",)))


def test_a_rate_by_its_name_is_no_time_in_seconds(written):
    result = read(written("kind,tokens_per_s\na,5\n", "it.csv"), chosen=Chosen(("tokens_per_s",), ("kind",)))
    assert [(item.unit, item.better, item.values) for item in result.series] == [
        ("tokens/s", "higher", ((5.0,),))
    ]


@pytest.mark.parametrize("name", ["images_s", "ops_s", "rate_s", "throughput_GB_s", "tok_s"])
def test_a_name_that_may_be_a_rate_or_a_time_asks(written, name):
    with pytest.raises(UsageError, match="--unit is missing"):
        read(written(f"kind,{name}\na,5\n", "it.csv"), chosen=Chosen((name,), ("kind",)))


def test_each_metric_may_have_a_unit_of_its_own(written):
    value = ("speed", "energy_J")
    unit, units = read_units(["speed=tokens/s"], value)
    file = written("kind,speed,energy_J\na,5,9\n", "it.csv")
    for chosen in (Chosen(value, ("kind",), unit, units=units), Chosen(value, ("kind",), "tokens/s")):
        result = read(file, chosen=chosen)
        assert [(item.metric, item.unit, item.better) for item in result.series] == [
            ("speed", "tokens/s", "higher"),
            ("energy_J", "J", "lower"),
        ]
    for texts, problem in ((["s", "ms"], "all metrics are in s"), (["x=s"], "x is no --value")):
        with pytest.raises(UsageError, match=problem):
            read_units(texts, value)


def test_a_metric_without_a_unit_is_refused(written):
    with pytest.raises(UsageError, match="--unit is missing: what is the unit of time"):
        read(written("kind,time\na,1.5\n", "it.csv"), chosen=Chosen(("time",), ("kind",)))


def test_a_metric_that_nobody_named_is_asked_for(written):
    with pytest.raises(UsageError, match="--value is missing: which column has the measurements") as caught:
        read(written("kind,time\na,1.5\n", "it.csv"))
    assert caught.value.hint == "--value COLUMN, one of: kind, time"


def test_a_column_that_is_not_there_is_refused(written):
    with pytest.raises(UsageError, match="no column 'tiem'"):
        read(written("kind,time\na,1.5\n", "it.csv"), chosen=Chosen(("tiem",)))


def test_a_row_that_was_cut_off_is_refused_with_its_line(written):
    with pytest.raises(UsageError, match="line 3: 1 cell, but the header has 2"):
        read(written("kind,time\na,1.5\nb", "it.csv"), chosen=Chosen(("time",), ("kind",), "s"))


def test_values_that_are_no_numbers_are_left_out_and_told(written):
    file = written("kind,time\na,1.5\na,n/a\na,\n", "it.csv")
    result = read(file, chosen=Chosen(("time",), ("kind",), "s"))
    assert result.series[0].values == ((1.5,),)
    assert result.notes == ("Left out: line 3: time is 'n/a'; line 4: time is ''.",)


@pytest.mark.parametrize(
    ("word", "timed_out"), [("TIMEOUT", 1), ("timed out", 1), ("DNF", 1), ("crashed", 0), ("OOM", 0)]
)
def test_a_word_in_place_of_a_value_is_a_run_that_failed(written, word, timed_out):
    contents = read(
        written(f"kind,time\na,1.5\nb,{word}\n", "it.csv"), chosen=Chosen(("time",), ("kind",), "s")
    )
    (runs,) = contents.failures
    assert (runs.levels, runs.timed_out, runs.failed) == ({"kind": "b"}, timed_out, 1 - timed_out)


@pytest.mark.parametrize(
    ("unit", "si", "scale", "better"),
    [
        ("GFLOP/s", "GFLOP/s", 1, "higher"),
        ("tokens/s", "tokens/s", 1, "higher"),
        ("ns/day", "ns/day", 1, "higher"),
        ("MTEPS", "MTEPS", 1, "higher"),
        ("kJ", "kJ", 1, "lower"),
        ("W", "W", 1, "lower"),
        ("MB/s", "B/s", 1e6, "higher"),
        ("ms", "s", 1e-3, "lower"),
    ],
)
def test_any_text_is_a_unit_and_rates_are_better_higher(written, unit, si, scale, better):
    file = written(f"kind,it[{unit}]\na,1.5\n", "it.csv")
    (series,) = read(file, chosen=Chosen(("it",), ("kind",))).series
    assert (series.unit, series.values, series.better) == (si, ((1.5 * scale,),), better)


def test_a_unit_that_does_not_say_which_way_is_better_asks(written):
    file = written("kind,it\na,1.5\n", "it.csv")
    with pytest.raises(UsageError, match="is less it better, or more, in points") as caught:
        read(file, chosen=Chosen(("it",), ("kind",), "points"))
    assert caught.value.hint == "--better it=lower, or --better it=higher"
    (series,) = read(file, chosen=Chosen(("it",), ("kind",), "points", "higher")).series
    assert (series.unit, series.better) == ("points", "higher")


@pytest.mark.parametrize(
    ("rows", "by", "note"),
    [
        (
            "a,1,10\na,1,11\nb,1,20\nb,1,21\n",
            (),
            "Rows that differ in arm count as runs of one treatment; --by arm tells them apart.",
        ),
        (
            "a,8,10\na,8,11\na,64,20\na,64,21\n",
            ("arm",),
            "Rows that differ in big size count as runs of one treatment; --by 'big size' tells them apart.",
        ),
        (
            "a,8,10\na,8,11\nb,64,20\nb,64,TIMEOUT\n",
            (),
            "Rows that differ in arm count as runs of one treatment; --by arm tells them apart.",
        ),
        (
            "a,8,10\na,8,11\na,9,12\na,9,13\nb,8,20\nb,8,TIMEOUT\nb,9,21\nb,9,21\n",
            (),
            (
                "Rows that differ in arm or big size count as runs of one treatment;"
                " --by arm --by 'big size' tell them apart."
            ),
        ),
        (
            "a,1,10\na,2,11\nb,1,20\nb,2,21\n",
            (),
            "Rows that differ in arm count as runs of one treatment; --by arm tells them apart.",
        ),
    ],
)
def test_rows_of_several_levels_in_one_treatment_are_told(written, rows, by, note):
    contents = read(written(f"arm,big size,time\n{rows}", "it.csv"), chosen=Chosen(("time",), by, "ms"))
    assert note in contents.notes


@pytest.mark.parametrize(
    ("rows", "by"),
    [
        ("a,1,10\na,2,11\nb,1,20\nb,2,21\n", ("arm",)),
        ("a,1,10\na,1,11\nb,9,20\nb,9,21\n", ("arm",)),
        ("a,3,10\nb,3,11\nc,4,12\n", ()),
        ("a,1.5,10\na,TIMEOUT,11\na,TIMEOUT,12\n", ()),
    ],
    ids=["a number of the run", "constant in a treatment", "a count that repeats by chance", "a metric"],
)
def test_columns_that_are_no_levels_are_not_told(written, rows, by):
    contents = read(written(f"arm,extra,time\n{rows}", "it.csv"), chosen=Chosen(("time",), by, "ms"))
    assert contents.notes == ()


@pytest.mark.parametrize("cell", ['"1,234"', "12.5 ms", "-3x"])
def test_a_number_that_no_program_reads_is_refused_with_its_line(written, cell):
    file = written(f"kind,time\na,990\nb,{cell}\n", "it.csv")
    with pytest.raises(UsageError, match=r"line 3: time is .* which is not a number") as caught:
        read(file, chosen=Chosen(("time",), ("kind",), "s"))
    assert "without marks of thousands" in caught.value.hint


@pytest.mark.parametrize("cell", ["1.234", "1.5", "1.234.567"])
def test_points_beside_decimal_commas_are_refused(written, cell):
    file = written(f"kind;time\na;990,5\nb;{cell}\n", "it.csv")
    with pytest.raises(UsageError, match=f"line 3: '{re.escape(cell)}' beside '990,5' may be thousands"):
        read(file, chosen=Chosen(("time",), ("kind",), "s"))


@pytest.mark.parametrize("name", ["time", "time [ms]", " time [ms] "])
def test_a_column_may_be_named_with_the_unit_of_its_header(written, name):
    file = written("kind [x],time [ms]\na,1.5\n", "it.csv")
    (series,) = read(file, chosen=Chosen((name,), ("kind [x]",))).series
    assert (dict(series.levels), series.values) == ({"kind": "a"}, ((0.0015,),))


JOBS = "arm,jobid,node,bw[GB/s]\n" + "".join(
    f"{arm},{job},n{job % 2},{10 * job + run}\n"
    for arm, jobs in (("a", (1, 2)), ("b", (3, 4)))
    for job in jobs
    for run in (0, 1)
)


@pytest.mark.parametrize("job", [None, "jobid"])
def test_rows_of_a_job_are_one_value_and_the_note_counts_them(written, job):
    contents = read(written(JOBS, "runs.csv"), chosen=Chosen(("bw",), ("arm",), job=job))
    assert [series.values for series in contents.series] == [
        ((10.5e9,), (20.5e9,)),
        ((30.5e9,), (40.5e9,)),
    ]
    assert contents.notes[0].startswith(
        "Rows of one jobid share its luck: the mean of each is one value, 4 of 8"
    )


def test_each_row_counts_where_that_is_asked_for_and_where_no_job_has_two(written):
    contents = read(written(JOBS, "runs.csv"), chosen=Chosen(("bw",), ("arm",), job=""))
    assert [len(series.values) for series in contents.series] == [4, 4]
    single = "arm,job,time[s]\na,1,1\na,2,2\n"
    contents = read(written(single, "single.csv"), chosen=Chosen(("time",), ("arm",)))
    assert (len(contents.series[0].values), contents.notes) == (2, ())


def test_rows_of_a_job_that_failed_are_one_failure_with_their_mean(written):
    text = "arm,jobid,step,state,time[s]\n" + "".join(
        f"a,{job},{step},{state},{time}\n"
        for job, state, times in (
            (1, "COMPLETED", (1, 3)),
            (2, "TIMEOUT", ("", "", "")),
            (3, "FAILED", (4, 6)),
            (4, "TIMEOUT", ("",)),
        )
        for step, time in enumerate(times)
    )
    path = written(text, "runs.csv")
    (failure,) = read(path, chosen=Chosen(("time",), ("arm",))).failures
    assert (failure.failed, failure.timed_out, failure.values) == (1, 2, ({"time": 5.0},))
    (failure,) = read(path, chosen=Chosen(("time",), ("arm",), job="")).failures
    assert (failure.failed, failure.timed_out) == (2, 4)
    assert failure.values == ({"time": 4.0}, {"time": 6.0})


def test_instances_are_levels_and_seeds_number_their_runs(written):
    text = "tool,problem,seed,time\n" + "".join(
        f"{tool},{problem},{seed},1.5\n" for tool in "ab" for problem in "xy" for seed in (1, 2)
    )
    chosen = Chosen(("time",), ("tool",), "s", instance="problem", seed="seed")
    contents = read(written(text, "runs.csv"), chosen=chosen)
    assert contents.instances == "problem"
    assert [dict(series.levels) for series in contents.series] == [
        {"tool": tool, "problem": problem} for tool in "ab" for problem in "xy"
    ]
    assert not contents.notes
    with pytest.raises(UsageError, match="line 10: a, x has a second row of seed 1"):
        read(written(text + "a,x,1,2.5\n", "runs.csv"), chosen=chosen)


def test_a_column_may_have_the_unit_of_each_row(written):
    text = "arm,time,unit\na,1500,ms\na,2,s\n"
    contents = read(written(text, "runs.csv"), chosen=Chosen(("time",), ("arm",), "unit"))
    assert [(series.unit, series.values) for series in contents.series] == [("s", ((1.5,), (2.0,)))]
    with pytest.raises(UsageError, match="time is in s and in B"):
        read(written(text + "a,3,MB\n", "runs.csv"), chosen=Chosen(("time",), ("arm",), "unit"))


@pytest.mark.parametrize("name", ["jube.csv", "jube.txt"])
def test_tables_that_jube_made_have_units_in_their_titles(name):
    file = Path(__file__).parent / "files" / name
    contents = read(file, None, Chosen(value=("t", "r"), by=("n",)))
    assert {(entry.levels["n"], entry.metric, entry.unit): entry.values for entry in contents.series} == {
        (100, "t", "s"): ((pytest.approx(0.1005),),),
        (200, "t", "s"): ((pytest.approx(0.2005),),),
        (100, "r", "B/s"): ((7.25e6,),),
        (200, "r", "B/s"): ((7.25e6,),),
    }


def test_a_row_that_is_a_mean_with_its_error_gets_no_verdict_and_says_why(written):
    chosen = Chosen(("time",), ("arm",), "s")
    means = "arm,time,Std Dev,n\na,1.0,0.1,10\nb,1.2,0.1,10\n"
    (note,) = read(written(means, "it.csv"), chosen=chosen).notes
    assert note.startswith("Each row is a mean, whose error is Std Dev: one value, on which no verdict rests")
    runs = read(written(means + "a,1.1,0.1,10\n", "it.csv"), chosen=chosen)
    assert not any("is a mean" in text for text in runs.notes)
    with pytest.raises(UsageError, match="a mean with its error, of which no verdict is made"):
        read(written("arm,time\na,1.0 ± 0.1\nb,2\n", "it.csv"), chosen=chosen)


SACCT = """JobID|JobName|State|ExitCode|Elapsed
1|cfd|COMPLETED|0:0|00:05:01
2|cfd|TIMEOUT|0:0|1-00:00:00
3|cfd|COMPLETED|0:0|1-01:00:02
"""


@pytest.mark.parametrize("name", ["sacct.txt", "sacct.csv"])
def test_what_sacct_prints_with_bars_has_times_of_a_clock_and_states(written, name):
    contents = read(written(SACCT, name), chosen=Chosen(("Elapsed",), ("JobName",)))
    (series,) = contents.series
    assert (series.unit, series.values) == ("s", ((301.0,), (90002.0,)))
    assert [(runs.timed_out, runs.values) for runs in contents.failures] == [(1, ({"Elapsed": 86400.0},))]


def test_two_numbers_with_a_colon_are_no_time_since_they_may_be_hours_or_minutes(written):
    file = written("job,took\n1,05:12\n", "t.csv")
    with pytest.raises(UsageError, match="'05:12', which is not a number"):
        read(file, chosen=Chosen(("took",), (), "s"))


def test_a_text_with_a_bar_in_its_first_line_is_no_table(written):
    with pytest.raises(UsageError, match="unrecognised format"):
        read(written("usage: prog [-a|-b]\nno such option\n", "log.txt"))


def test_a_rate_in_words_that_are_joined_needs_no_unit(written):
    (series,) = read(
        written("a,requestsPerSec\nx,5\nx,6\n", "t.csv"), chosen=Chosen(("requestsPerSec",))
    ).series
    assert (series.unit, series.better) == ("requests/s", "higher")


def test_a_text_whose_second_line_has_other_cells_needs_the_name_of_a_table(written):
    text = "This is ApacheBench, Version 2.3\nServer Hostname:        localhost\n"
    with pytest.raises(UsageError, match="unrecognised format"):
        read(written(text, "ab.txt"))
    with pytest.raises(UsageError, match="--value is missing"):
        read(written(text, "ab.csv"))


def test_a_file_without_anything_in_it_is_said_to_be_so(written):
    with pytest.raises(UsageError, match=r"t\.txt: nothing is in it"):
        read(written(" \n", "t.txt"))
