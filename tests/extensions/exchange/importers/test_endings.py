"""Columns of a table that say what became of its rows: no run that failed is a value."""

from __future__ import annotations

import pytest

from steelyard.core.errors import UsageError
from steelyard.extensions.exchange.importers import read
from steelyard.extensions.exchange.importers.columns import Chosen

CHOSEN = Chosen(("time",), ("arm",), "s")


def rows(title: str, *cells: str) -> str:
    return f"arm,time,{title}\n" + "".join(f"a,1.5,{cell}\n" for cell in cells)


@pytest.mark.parametrize(
    ("title", "cells"),
    [
        ("status", ("ok", "ok", "FAILED", "TIMEOUT")),
        ("State", ("COMPLETED", "COMPLETED", "OUT_OF_MEMORY", "TIMEOUT")),
        ("job state", ("COMPLETED", "COMPLETED", "CANCELLED by 1000", "DEADLINE")),
        ("outcome", ("pass", "pass", "skipped", "timed out")),
        ("exit_code", ("0", "0", "139", "124")),
        ("ExitCode", ("0:0", "0:0", "0:9", "124:0")),
        ("returncode", ("0", "0", "-11", "124")),
        ("rc", ("0", "0", "1", "124")),
    ],
)
def test_a_row_that_failed_is_no_value_although_it_has_a_time(written, title, cells):
    contents = read(written(rows(title, *cells), "runs.csv"), chosen=CHOSEN)
    assert [len(series.values) for series in contents.series] == [2]
    (failures,) = contents.failures
    assert (failures.failed, failures.timed_out) == (1, 1)
    assert failures.values == ({"time": 1.5}, {"time": 1.5})
    assert not contents.notes


def test_both_a_status_and_an_exit_code_can_say_that_a_run_failed(written):
    text = "arm,time,status,exit_code\na,1,ok,0\na,1,ok,7\na,1,failed,0\n"
    contents = read(written(text, "runs.csv"), chosen=CHOSEN)
    assert [item.failed for item in contents.failures] == [2]
    assert contents.failures[0].reason == "exit_code 7"


@pytest.mark.parametrize("title", ["result", "state", "status"])
def test_a_column_without_a_word_for_an_outcome_is_no_status(written, title):
    contents = read(written(rows(title, "red", "blue", "red", "blue"), "runs.csv"), chosen=CHOSEN)
    assert not contents.failures
    assert f"Rows that differ in {title} count as runs of one treatment" in contents.notes[0]


def test_a_word_that_is_not_known_is_refused_with_its_line_or_named(written):
    file = written(rows("status", "ok", "green"), "runs.csv")
    with pytest.raises(UsageError, match=r"line 3: the status 'green' is not known") as caught:
        read(file, chosen=CHOSEN)
    assert "--ok WORD" in (caught.value.hint or "")
    contents = read(file, chosen=Chosen(("time",), ("arm",), "s", ok=("green",)))
    assert [len(series.values) for series in contents.series] == [2]


def test_beside_words_of_good_runs_an_unknown_word_is_of_one_that_failed(written):
    file = written(rows("status", "ok", "deadlock detected"), "runs.csv")
    contents = read(file, chosen=Chosen(("time",), ("arm",), "s", ok=("ok",)))
    assert [(item.failed, item.reason) for item in contents.failures] == [(1, "deadlock detected")]


def test_any_column_can_be_the_status(written):
    file = written(rows("what", "ok", "crash", "ok"), "runs.csv")
    assert read(file, chosen=Chosen(("time",), ("arm",), "s", status="what")).failures[0].failed == 1
    with pytest.raises(UsageError, match="no column 'nosuch'"):
        read(file, chosen=Chosen(("time",), ("arm",), "s", status="nosuch"))


def test_a_status_that_tells_treatments_apart_is_none(written):
    file = written(rows("status", "ok", "failed"), "runs.csv")
    contents = read(file, chosen=Chosen(("time",), ("status",), "s"))
    assert not contents.failures
    assert [series.levels for series in contents.series] == [{"status": "ok"}, {"status": "failed"}]


@pytest.mark.parametrize("cell", ["", "n/a", "-", "null"])
def test_a_row_without_any_value_is_a_run_that_failed(written, cell):
    contents = read(written(f"arm,time\na,1.5\na,{cell}\nb,2.5\n", "runs.csv"), chosen=CHOSEN)
    assert [(item.levels, item.failed, item.reason) for item in contents.failures] == [
        ({"arm": "a"}, 1, "no value")
    ]


def test_a_row_that_has_one_of_two_metrics_did_not_fail(written):
    file = written("arm,time,mem\na,1.5,\na,1.6,7\n", "runs.csv")
    contents = read(file, chosen=Chosen(("time", "mem"), ("arm",), ""))
    assert not contents.failures
    assert contents.notes == ("Left out: line 2: mem is ''.",)


@pytest.mark.parametrize("cell", ["nan", "-NaN", "-nan(ind)", "inf", "-Infinity"])
def test_a_loss_that_diverged_is_a_failed_run_whatever_else_was_measured(written, cell):
    file = written(f"model,tokens,loss\na,100,2.5\na,101,{cell}\na,102,2.4\n", "runs.csv")
    contents = read(file, chosen=Chosen(("tokens", "loss"), ("model",), ""))
    (failures,) = contents.failures
    assert failures.failed == 1
    assert failures.values == ({"tokens": 101.0},)
    assert failures.reason == f"loss is {cell}"
    assert [len(series.values) for series in contents.series] == [2, 2]
