"""Qualification by sessions of equal programs, which report what they are told to."""

from __future__ import annotations

import numpy as np
import pytest
from gate_answers import make_answer
from msgspec.structs import replace
from scipy.stats import binom
from scratch_repository import Suites

from steelyard.core.errors import MachineError
from steelyard.extensions.gate import qualification as module
from steelyard.extensions.gate.qualification import (
    identify_suite,
    keep,
    load_qualification,
    locate_file,
    qualify,
)
from steelyard.extensions.gate.request import GateRequest
from steelyard.extensions.gate.results import GatedBenchmark, Qualification
from steelyard.extensions.gate.words import describe_qualification, list_within_builds
from steelyard.extensions.repository.repository import Repository
from steelyard.stats.hypothesis.clopper_pearson import clopper_pearson


@pytest.fixture(autouse=True)
def state(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def test_sessions_count_false_alarms_and_planted_slow_downs_and_are_kept(suites, tmp_path):
    head = suites.suite(sort=100, find=100)
    request = GateRequest(
        base=head, head=head, words=("./bench",), harness="google-benchmark", seed=1, max_time_s=60.0
    )
    assert load_qualification(request, Repository(suites.path)) is None
    result = qualify(
        request,
        Repository(suites.path),
        tmp_path / "found",
        sessions=2,
        slow_down=0.1,
        watch=lambda _: None,
        tell=lambda _: None,
    )
    assert isinstance(result, Qualification)
    assert (result.sessions, result.verdicts, result.alarms, result.detected) == (2, 4, 0, 4)
    # Of none in n sessions the bound is 1 - 0.05^(1/n), of n of n seen 0.05^(1/n); verdicts do not count.
    assert (result.red, result.alarm_sessions, result.full_sessions) == (0, 0, 2)
    assert result.red_bound == result.alarm_bound == pytest.approx(1 - 0.05**0.5)
    assert result.detected_bound == pytest.approx(0.05**0.5)
    assert result.is_same_build
    assert 0 <= result.floor < 0.02
    assert load_qualification(request, Repository(suites.path)) == result
    import os

    locate_file(os.environ).write_text("damaged")
    assert load_qualification(request, Repository(suites.path)) is None


@pytest.fixture
def kept():
    return Qualification(
        machine="m", date="2026-01-01", harness="cargo", margin=0.5, sessions=2, red=0, red_bound=0.78,
        verdicts=2, alarms=0, alarm_sessions=0, alarm_bound=0.78, floor=0.1, is_same_build=True,
        slow_down=0.1, detected=2, full_sessions=2, detected_bound=0.22, session_s=1.0,
    )  # fmt: skip


def test_a_qualification_speaks_of_gates_and_says_how_many_sessions_are_wanted(kept):
    five = describe_qualification(replace(kept, sessions=5, red_bound=1 - 0.05**0.2))
    assert "0 of 5 sessions red on equal programs (at most 45 % of gates, 95 % sure" in five
    assert "; 59 sessions without one show 5 %)" in five
    assert "both sides were the same file, and its runs differ by up to 10 %" in five
    many = describe_qualification(replace(kept, sessions=59, red_bound=0.0495, is_same_build=False))
    assert "sessions without one" not in many
    assert "two builds of one source differ by up to 10 %" in many


def test_a_slower_time_within_what_builds_differ_by_is_named(kept):
    slower = GatedBenchmark("sort", "slower", 30, 1.0, 1.04, 0.04, metric="real_time_s")
    second = replace(slower, name="scan", change=0.2)
    builds = replace(kept, is_same_build=False)
    answer = make_answer(slower, second, scope="builds", qualification=builds)
    (sentence,) = list_within_builds(answer)
    assert sentence.startswith("sort differs by no more than two builds of one source did here (up to 10 %)")
    assert sentence.endswith(": --layout draws builds for each block.")
    # Drawn layouts are in the verdict, and a qualification of one file knows nothing of builds.
    assert list_within_builds(make_answer(slower, scope="layouts", qualification=builds)) == []
    assert list_within_builds(make_answer(slower, scope="builds", qualification=kept)) == []


def test_bounds_hold_where_verdicts_of_a_session_go_wrong_together():
    """Sessions of 20 verdicts, of which one in ten is wrong in all: the bound is above that in 95 %."""
    rng = np.random.default_rng(404)
    by_session, by_verdict = 0, 0
    for _ in range(400):
        wrong = int((rng.random(20) < 0.1).sum())
        by_session += clopper_pearson(wrong, 20, 0.1).high < 0.1
        by_verdict += clopper_pearson(20 * wrong, 400, 0.1).high < 0.1
    assert by_session <= binom.ppf(0.999, 400, 0.05)
    assert by_verdict > 3 * by_session


def test_the_qualification_of_another_suite_says_nothing_of_this_one(suites, tmp_path, kept):
    ours, theirs = Repository(suites.path), Repository(Suites(tmp_path / "other").path)
    request = GateRequest(base="main", head="main", words=("cargo", "bench"))
    keep(kept, identify_suite(request, theirs))
    assert load_qualification(request, theirs) == kept
    assert load_qualification(replace(request, base="v1", head="v2", margin=0.1), theirs) == kept
    assert load_qualification(request, ours) is None
    assert load_qualification(replace(request, metrics=("other_s",)), theirs) is None
    assert load_qualification(replace(request, words=("cargo bench",)), theirs) is None
    keep(kept, identify_suite(replace(request, head=str(tmp_path / "b")), None))
    of_directories = replace(request, base=str(tmp_path / "a"), are_directories=True)
    assert load_qualification(replace(of_directories, head=f"{tmp_path}/a/../b"), None) == kept
    assert load_qualification(replace(of_directories, head=str(tmp_path / "c")), None) is None


def test_work_trees_of_one_repository_are_one_suite(suites, tmp_path, kept):
    head = suites.suite(sort=100)
    suites.git("worktree", "add", "-q", "--detach", str(tmp_path / "second"), head)
    (suites.path / "below").mkdir()
    request = GateRequest(base=head, head=head, words=("./bench",))
    keep(kept, identify_suite(request, Repository(suites.path / "below")))
    assert load_qualification(request, Repository(tmp_path / "second")) == kept


def test_a_user_without_a_home_gates_without_a_qualification(suites, monkeypatch):
    monkeypatch.setattr(module, "locate_state", refuse)
    request = GateRequest(base="main", head="main", words=("./bench",))
    assert load_qualification(request, Repository(suites.path)) is None


def refuse(_environ):
    raise MachineError("no home", hint="give one")
