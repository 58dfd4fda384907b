from __future__ import annotations

import pytest

from steelyard.core.errors import UsageError
from steelyard.extensions.solvers.runs import SolverRun
from steelyard.extensions.solvers.table import Roles, read_table


def write(tmp_path, text):
    path = tmp_path / "runs.csv"
    path.write_text(text, encoding="utf-8")
    return path


def test_columns_with_usual_names_need_no_option(tmp_path):
    path = write(
        tmp_path, "Benchmark,Tool,Seed,Outcome,CPUtime\np1,x,1,ok,2.5\np1,x,2,timeout,60\np2,x,1,crash,0.1\n"
    )
    assert read_table(path, Roles()) == (
        SolverRun("x", "p1", "solved", 2.5, "1"),
        SolverRun("x", "p1", "timeout", 60.0, "2", reason="timeout"),
        SolverRun("x", "p2", "failed", 0.1, "1", reason="crash"),
    )


def test_a_table_without_a_status_has_words_in_place_of_times(tmp_path):
    path = write(tmp_path, "instance\tsolver\ttime\np1\tx\t2.5\np2\tx\tTIMEOUT\np3\tx\t\n")
    assert [run.outcome for run in read_table(path, Roles())] == ["solved", "timeout", "failed"]


def test_words_of_ones_own_say_what_was_solved_and_all_else_was_not(tmp_path):
    path = write(
        tmp_path, "instance,solver,status,ms\np1,x,10,2500\np2,x,20,100\np3,x,timeout,600\np4,x,ok,1\n"
    )
    runs = read_table(path, Roles(time="ms", solved=("10", "20"), scale=1e-3))
    assert [run.outcome for run in runs] == ["solved", "solved", "timeout", "failed"]
    assert runs[0].time_s == 2.5


@pytest.mark.parametrize(
    ("text", "roles", "problem"),
    [
        ("instance,time\np1,2\n", Roles(), "no column is known to be the solver"),
        ("instance,solver,time\np1,x,2\n", Roles(seed="sed"), "no column 'sed'"),
        ("instance,solver,time\np1,x\n", Roles(), "line 2: 2 cells, but the header has 3"),
        ("instance,solver,status,time\np1,x,ok,\n", Roles(), "line 2: the run is solved, and its time is ''"),
        ("instance,solver,status,time\np1,x,ok,-1\n", Roles(), "its time is '-1'"),
        ("instance,solver,status,time\np1,x,maybe,1\n", Roles(), "line 2: the status 'maybe' is not known"),
        ("instance,solver,time\n", Roles(), "the table has no rows"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_place(tmp_path, text, roles, problem):
    with pytest.raises(UsageError, match=problem):
        read_table(write(tmp_path, text), roles)


@pytest.mark.parametrize("title", ["exit_code", "returncode", "State"])
def test_an_exit_code_or_a_state_says_what_was_solved(tmp_path, title):
    good, late, bad = ("COMPLETED", "TIMEOUT", "FAILED") if title == "State" else ("0", "124", "139")
    rows = f"p1,x,{good},2\np2,x,{late},60\np3,x,{bad},0.1\n"
    runs = read_table(write(tmp_path, f"instance,solver,{title},time\n{rows}"), Roles())
    assert [run.outcome for run in runs] == ["solved", "timeout", "failed"]


def test_exit_codes_of_solved_runs_leave_124_a_timeout(tmp_path):
    path = write(tmp_path, "instance,solver,exit_code,time\np1,x,10,2\np2,x,124,60\np3,x,139,1\n")
    runs = read_table(path, Roles(status="exit_code", solved=("10", "20")))
    assert [run.outcome for run in runs] == ["solved", "timeout", "failed"]


def test_a_column_of_milliseconds_says_so_by_its_name(tmp_path):
    path = write(tmp_path, "instance,solver,status,time_ms\np1,x,ok,2500\n")
    assert [run.time_s for run in read_table(path, Roles())] == [2.5]
    assert [run.time_s for run in read_table(path, Roles(scale=1.0))] == [2500.0]


@pytest.mark.parametrize("word", ["wrong", "Wrong answer", "incorrect", "UNSOUND"])
def test_a_wrong_answer_is_no_failure_without_an_answer(tmp_path, word):
    path = write(tmp_path, f"instance,solver,status,time\np1,x,ok,2\np2,x,{word},3\np3,x,memout,4\n")
    runs = read_table(path, Roles())
    assert [run.outcome for run in runs] == ["solved", "wrong", "failed"]
