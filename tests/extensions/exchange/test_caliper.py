"""Caliper's profiles by a writer of small ones, in the shape of those of LULESH that thicket publishes."""

from __future__ import annotations

import pytest

from steelyard.core.errors import UsageError
from steelyard.extensions.exchange.caliper import holds_caliper, read, read_run
from steelyard.extensions.exchange.files import read_series

HEAD = """\
__rec=node,id=12,attr=10,data=64,parent=3
__rec=node,id=13,attr=8,data=attribute.alias,parent=12
__rec=node,id=14,attr=8,data=attribute.unit,parent=12
__rec=node,id=20,attr=14,data=sec,parent=5
__rec=node,id=21,attr=13,data=Avg time/rank,parent=20
__rec=node,id=22,attr=10,data=65,parent=21
__rec=node,id=23,attr=8,data=avg#inclusive#sum#time.duration,parent=22
__rec=node,id=24,attr=10,data=65,parent=2
__rec=node,id=25,attr=8,data=count,parent=24
__rec=node,id=26,attr=8,data=mpi.rank,parent=1
__rec=node,id=30,attr=10,data=276,parent=3
__rec=node,id=31,attr=8,data=function,parent=30
__rec=node,id=32,attr=8,data=spot.channel,parent=12
__rec=node,id=33,attr=32,data=regionprofile
__rec=node,id=40,attr=31,data=main
__rec=node,id=41,attr=31,data=solve\\, fast,parent=40
__rec=node,id=50,attr=10,data=132,parent=3
__rec=node,id=51,attr=8,data=jobsize,parent=50
__rec=node,id=52,attr=8,data=compiler,parent=50
__rec=node,id=53,attr=8,data=problem_size,parent=50
__rec=node,id=54,attr=8,data=elapsed_time,parent=50
__rec=node,id=55,attr=8,data=launchdate,parent=50
"""


def profile(p, main, solve, *, compiler="gcc", size=30, date=1):
    return HEAD + "".join(
        f"{line}\n"
        for line in (
            f"__rec=node,id=60,attr=51,data={p}",
            f"__rec=node,id=61,attr=52,data={compiler},parent=60",
            f"__rec=node,id=62,attr=53,data={size},parent=61",
            f"__rec=globals,ref=62,attr=54=55,data={main}={date}",
            f"__rec=ctx,ref=33,attr=23=25,data=0.1={p}",
            f"__rec=ctx,ref=40=33,attr=23=25,data={main}={p}",
            f"__rec=ctx,ref=33=41,attr=23=25,data={solve}={p}",
        )
    )


@pytest.fixture
def workspace(tmp_path):
    def write(*profiles):
        for number, text in enumerate(profiles):
            place = tmp_path / f"experiment-{number}" / "run.cali"
            place.parent.mkdir()
            place.write_text(text, encoding="utf-8")
        return tmp_path

    return write


def test_regions_are_functions_and_aliases_metrics(workspace):
    directory = workspace(profile(8, 2.0, 1.5), profile(27, 3.0, 2.5), profile(64, 4.0, 3.0))
    assert holds_caliper(directory)
    series = {(item.name, item.metric): item for item in read(directory)}
    solve = series["main->solve, fast", "Avg time/rank"]
    assert (solve.unit, solve.parameters) == ("s", ("jobsize",))
    assert [(point.at, point.values) for point in solve.points] == [
        ((8.0,), (1.5,)),
        ((27.0,), (2.5,)),
        ((64.0,), (3.0,)),
    ]
    assert [point.values for point in series["", "elapsed_time"].points] == [(2.0,), (3.0,), (4.0,)]
    assert series["main", "count"].unit == ""


def test_files_of_one_point_are_launches(workspace):
    directory = workspace(profile(8, 2.0, 1.5), profile(8, 2.2, 1.7, date=2), profile(27, 3.0, 2.5))
    main = next(item for item in read(directory) if (item.name, item.metric) == ("main", "Avg time/rank"))
    assert [point.values for point in main.points] == [(2.0, 2.2), (3.0,)]


def test_records_of_several_ranks_are_their_mean(workspace):
    text = profile(2, 2.0, 1.5)
    rows = "".join(f"__rec=ctx,ref=40,attr=26=23,data={rank}={time}\n" for rank, time in ((0, 4.0), (1, 6.0)))
    text = text.replace("__rec=ctx,ref=40=33,attr=23=25,data=2.0=2\n", rows)
    run = read_run(workspace(text) / "experiment-0" / "run.cali")
    assert run.values["main", "Avg time/rank"] == 5.0


@pytest.mark.parametrize(
    ("other", "words"),
    [
        (profile(8, 2.0, 1.5, compiler="icc"), "compiler is 'icc', and 'gcc'"),
        (profile(64, 2.0, 1.5, size=60), "problem_size is '60', and '30'"),
    ],
)
def test_runs_of_another_configuration_are_refused(workspace, other, words):
    directory = workspace(profile(8, 2.0, 1.5), profile(27, 3.0, 2.5), other)
    with pytest.raises(UsageError) as refusal:
        read(directory)
    assert words in str(refusal.value)
    assert read(directory, pool=["compiler", "problem_size"])


def test_a_global_tells_functions_apart(workspace):
    directory = workspace(*(profile(p, 2.0, 1.0, compiler=name) for p in (8, 27) for name in ("gcc", "icc")))
    names = {item.name for item in read(directory, by=["compiler"])}
    assert names >= {"main compiler=gcc", "main compiler=icc"}


def test_where_no_scale_varies_numbers_that_do_are_named(workspace):
    directory = workspace(profile(8, 2.0, 1.5, size=10), profile(8, 3.0, 2.5, size=20))
    with pytest.raises(UsageError) as refusal:
        read(directory)
    assert "problem_size" in (refusal.value.hint or "")
    series = read(directory, parameters=["problem_size"])
    assert series[0].parameters == ("problem_size",)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (HEAD + "__rec=ct", "line 23: not a record of Caliper"),
        (HEAD, "no region with a number in it"),
        ("p,t\n1,2\n", "line 1: not a record of Caliper"),
        (HEAD + "__rec=node,id=60,attr=31,data=a,parent=60\n", "line 23: not a record of Caliper"),
        (HEAD + "__rec=node,id=12,attr=10,data=64,parent=32\n", "line 23: not a record of Caliper"),
        (HEAD + "__rec=node,id=60,attr=10,data=no,parent=3\n", "line 23: not a record of Caliper"),
        (HEAD + "__rec=ctx,ref=main,attr=23,data=0.1\n", "line 23: not a record of Caliper"),
        (HEAD + "__rec=ctx,ref=40,attr=time,data=0.1\n", "line 23: not a record of Caliper"),
    ],
)
def test_what_is_no_whole_profile_is_refused(workspace, text, words):
    with pytest.raises(UsageError) as refusal:
        read(workspace(text))
    assert words in str(refusal.value)


def test_model_and_efficiency_read_a_workspace(workspace, steelyard_cli):
    directory = workspace(*(profile(p, 2 + p / 100, 1 + p / 100) for p in (8, 27, 64, 125, 216)))
    done = steelyard_cli("model", str(directory), "--metric", "Avg time/rank")
    assert done.returncode == 0, done.stderr
    assert "O(jobsize)" in done.stdout
    done = steelyard_cli("efficiency", str(directory), "--metric", "elapsed_time", "--weak")
    assert done.stdout.startswith("elapsed_time: 70 % of efficiency up to jobsize = ")
    done = steelyard_cli("check", str(directory), "--metric", "elapsed_time", "--at-most", "O(1)")
    assert done.returncode == 1, done.stdout + done.stderr


def test_a_directory_is_read_as_any_other_file_of_series(workspace):
    directory = workspace(profile(8, 2.0, 1.5), profile(27, 3.0, 2.5))
    assert {item.name for item in read_series(directory)} == {"", "main", "main->solve, fast"}
