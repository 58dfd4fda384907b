"""A mark is a function of rule, claim, control, limits and origin, and of nothing else."""

from __future__ import annotations

import itertools
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "studies"))

from declarations import Answer, Cause, Data, mark_of, runs_to_decide

HERE = "measured here"
FEW = Cause("too few runs", "90 blocks", "run.py")
HOLDS, FAILS = Answer("1.2 ×", "holds"), Answer("1.0 ×", "fails")
OPEN = Answer("1.1 ×", "not resolved", FEW)


def test_a_rule_and_a_claim_that_hold_reproduce_unless_the_control_gives_the_same():
    assert mark_of(HOLDS, HOLDS, None, {}, HERE) == ("reproduced", None)
    assert mark_of(HOLDS, HOLDS, FAILS, {}, HERE) == ("reproduced", None)
    mark, cause = mark_of(HOLDS, HOLDS, HOLDS, {}, HERE)
    assert mark == "not resolved"
    assert cause is not None
    assert cause.kind == "control"


def test_a_claim_that_fails_contradicts_by_real_data_and_never_by_a_simulation():
    assert mark_of(HOLDS, FAILS, None, {}, HERE) == ("contradicted", None)
    assert mark_of(HOLDS, FAILS, None, {}, "the authors' data") == ("contradicted", None)
    mark, cause = mark_of(FAILS, FAILS, None, {}, "simulated")
    assert mark == "not resolved"
    assert cause is not None
    assert cause.kind == "stand-in"
    assert mark_of(HOLDS, HOLDS, None, {}, "simulated") == ("reproduced", None)


def test_a_limit_leaves_open_the_verdict_that_it_names():
    machine = Cause("machine", "one of four metrics", "run.py")
    assert mark_of(HOLDS, HOLDS, None, {"holds": machine}, HERE) == ("not resolved", machine)
    assert mark_of(HOLDS, FAILS, None, {"holds": machine}, HERE) == ("contradicted", None)
    assert mark_of(HOLDS, FAILS, None, {"fails": machine}, HERE) == ("not resolved", machine)


def test_methods_that_disagree_resolve_nothing():
    mark, cause = mark_of(FAILS, HOLDS, None, {}, HERE)
    assert mark == "not resolved"
    assert cause is not None
    assert cause.kind == "methods"


def test_whatever_the_answers_a_cause_stands_beside_not_resolved_and_nothing_else():
    answers = (HOLDS, FAILS, OPEN)
    for rule, claim, control in itertools.product(answers, answers, (None, *answers)):
        mark, cause = mark_of(rule, claim, control, {}, HERE)
        assert (mark == "not resolved") == (cause is not None)


def test_a_claim_that_is_not_resolved_without_a_cause_is_an_error():
    with pytest.raises(ValueError, match=r"without a cause: 1\.1"):
        mark_of(HOLDS, Answer("1.1", "not resolved"), None, {}, HERE)


def test_replaced_data_are_seen_and_the_files_stay(tmp_path):
    (tmp_path / "a.csv").write_text("x\n1\n")
    data = Data(tmp_path)
    changed = data.replace("a.csv", [{"x": "2"}])
    assert data.table("a.csv") == [{"x": "1"}]
    assert changed.table("a.csv") == [{"x": "2"}]
    changed.table("a.csv")[0]["x"] = "3"
    assert changed.table("a.csv") == [{"x": "2"}]


def test_an_interval_twice_too_wide_takes_four_times_the_runs():
    assert runs_to_decide(30, 0.02, 0.01) == 120
