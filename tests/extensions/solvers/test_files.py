"""Runs of solvers from files of BenchExec and from several tables."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from steelyard.core.errors import UsageError
from steelyard.extensions.exchange.imported import ImportSource, find_source
from steelyard.extensions.solvers.files import read_files
from steelyard.extensions.solvers.judging import answer
from steelyard.extensions.solvers.table import Roles

FILES = Path(__file__).parents[1] / "outputs" / "files"


def write_benchexec(
    path: Path, times: list[float], *, limit: str = "60s", words: dict[int, str] | None = None
):
    """A file as BenchExec writes it: ``words`` are what the runs at these places ended with."""
    runs = "".join(
        f'<run name="t{place}.c" properties="reach"><column title="status" value="'
        f'{(words or {}).get(place, "true")}"/><column title="category" value="missing"/>'
        f'<column title="cputime" value="{time}s"/></run>'
        for place, time in enumerate(times)
    )
    path.write_text(
        f'<result benchmarkname="b" tool="t" toolmodule="m" generator="BenchExec 3.35" timelimit="{limit}">'
        f"{runs}</result>"
    )
    return ImportSource(path.stem, path)


@pytest.mark.extensions("outputs")
def test_files_of_benchexec_are_solvers_and_every_run_counts(tmp_path):
    fast = [1.0 + place for place in range(12)]
    sources = [
        write_benchexec(tmp_path / "fast.xml", fast, words={11: "TIMEOUT"}),
        write_benchexec(tmp_path / "slow.xml", [9 * time for time in fast], words={0: "OUT OF MEMORY"}),
    ]
    campaign = read_files(sources, Roles(), None)
    assert (campaign.limit_s, campaign.origin) == (60, "that of the files")
    solvers = answer(campaign)
    # Of slow, t0 ran out of memory, and t6 to t11 took more than the limit.
    assert [(item.solver, item.solved, item.timeouts, item.failures) for item in solvers.scores] == [
        ("fast", 11, 1, 0),
        ("slow", 5, 6, 1),
    ]
    assert solvers.comparisons[0].verdict == "worse"


@pytest.mark.extensions("outputs")
def test_files_of_one_name_are_further_runs_of_a_solver(tmp_path):
    first = write_benchexec(tmp_path / "first.xml", [1.0, 2.0])
    second = write_benchexec(tmp_path / "second.xml", [3.0, 4.0])
    campaign = read_files([ImportSource("a", first.path), ImportSource("a", second.path)], Roles(), None)
    assert [(run.instance, run.time_s) for run in campaign.runs] == [
        ("t0.c reach", 1),
        ("t1.c reach", 2),
        ("t0.c reach", 3),
        ("t1.c reach", 4),
    ]


@pytest.mark.extensions("outputs")
def test_files_of_two_limits_need_one(tmp_path):
    sources = [
        write_benchexec(tmp_path / "a.xml", [1.0, 70.0], limit="60s"),
        write_benchexec(tmp_path / "b.xml", [1.0, 70.0], limit="1.5min"),
    ]
    with pytest.raises(UsageError, match=r"a.xml has a limit of 60 s, and .*b.xml of 90 s"):
        read_files(sources, Roles(), None)
    campaign = read_files(sources, Roles(), 60)
    assert [run.outcome for run in campaign.runs] == ["solved", "timeout"] * 2


def test_a_table_without_a_column_of_solvers_is_of_the_one_after_which_it_is_called(tmp_path):
    for name, time in (("a", 1), ("b", 2)):
        (tmp_path / f"{name}.csv").write_text(f"task,time\nx,{time}\ny,TIMEOUT\n")
    sources = [find_source(str(tmp_path / f"{name}.csv")) for name in "ab"]
    campaign = read_files(sources, Roles(), 10)
    assert [(run.solver, run.outcome) for run in campaign.runs] == [
        ("a", "solved"),
        ("a", "timeout"),
        ("b", "solved"),
        ("b", "timeout"),
    ]
    with pytest.raises(UsageError, match="no column is known to be the solver"):
        read_files(sources[:1], Roles(), 10)


@pytest.mark.extensions("outputs")
def test_columns_of_tables_are_refused_for_the_file_of_a_tool(tmp_path):
    source = write_benchexec(tmp_path / "a.xml", [1.0])
    with pytest.raises(UsageError, match="benchexec names its runs itself"):
        read_files([source], Roles(instance="task"), None)
    with pytest.raises(UsageError, match="no time walltime_s"):
        read_files([source], Roles(time="walltime_s"), None)


@pytest.mark.extensions("outputs")
def test_run_sets_of_a_table_of_benchexec_are_solvers():
    source = ImportSource("t", FILES / "benchexec-table.csv")
    campaign = read_files([source], Roles(), 1)
    assert campaign.solvers == ("t, a.tasks", "t, b.tasks")
    assert [run.outcome for run in campaign.runs].count("timeout") == 2


@pytest.mark.extensions("outputs")
def test_a_packed_file_that_benchexec_wrote_is_read_with_its_limit(steelyard_cli, tmp_path):
    shutil.copy(FILES / "benchexec.xml.bz2", tmp_path / "one.xml.bz2")
    process = steelyard_cli("solvers", "one.xml.bz2", cwd=tmp_path)
    assert process.stdout.startswith("one solved 2 of 4 instances"), process.stderr
    assert "Time limit 1 s, that of the files" in process.stdout


def test_wrong_answers_and_crashes_are_counted_apart(tmp_path):
    times = [1.0] * 8
    words = {2: "OUT OF MEMORY", 3: "unknown", 4: "OUT OF MEMORY"}
    source = write_benchexec(tmp_path / "new.xml", times, words=words)
    text = source.path.read_text()
    first = '"true"/><column title="category" value="missing"'
    source.path.write_text(text.replace(first, '"true"/><column title="category" value="wrong"', 1))
    (row,) = answer(read_files([source], Roles(), None)).scores
    assert (row.solved, row.failures, row.wrong) == (4, 4, 1)
    assert row.reasons == {"BenchExec: OUT OF MEMORY": 2, "BenchExec: unknown": 1}
