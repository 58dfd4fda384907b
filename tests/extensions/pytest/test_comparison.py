"""Sessions against kept ones: what decides, what is only suspected, and what could not be judged."""

from __future__ import annotations

import re

import pytest

TWO = """\
def test_quick(steelyard, work):
    steelyard(work(1_000_000))


def test_slow(steelyard, work):
    steelyard(work(2_000_000))
"""
SLOWER = TWO.replace("work(2_000_000)", "work(4_000_000)")
BLOCKS = ("--steelyard-blocks", "5")
TWICE = r"(1\.9[5-9]\d*|2|2\.0([0-5]\d*)?) × as long"
"""Noise of 1 % on either side is drawn anew in each process."""


def save(sessions, count=1, text=TWO):
    sessions.write(text)
    for _ in range(count):
        done = sessions.run("--steelyard-save", "main", *BLOCKS)
        assert done.returncode == 0, done.stdout


def compared(sessions, *options, slowed=1.0):
    done = sessions.run("--steelyard-compare", "main", *BLOCKS, *options, slowed=slowed)
    return done.returncode, " ".join(done.stdout.split())


def test_a_test_that_is_slower_in_turns_fails_the_session_after_one_kept_session(sessions):
    sessions.write(TWO)
    commit = sessions.commit()
    save(sessions)
    sessions.write(SLOWER)
    code, output = compared(sessions)
    assert code == 1
    assert re.search(rf"test_it\.py::test_slow: slower, {TWICE} in turns with {commit[:12]}", output)
    assert "test_it.py::test_quick: slower" not in output
    assert re.search(rf"FAILED test_it\.py::test_slow - slower, {TWICE} in turns with {commit[:12]}", output)
    assert "1 failed, 2 passed" in output
    assert sessions.git("worktree", "list").count("\n") == 1


def test_a_slow_hour_is_suspected_and_cleared_in_turns(sessions):
    sessions.write(TWO)
    sessions.commit()
    save(sessions, 3)
    code, output = compared(sessions, "--steelyard-strict", slowed=1.5)
    assert code == 0, output
    assert output.count("not resolved, ") == 2
    assert output.count("× as long across sessions") == 2


@pytest.mark.parametrize("strict", [False, True])
def test_outside_of_a_repository_a_slower_test_fails_strict_sessions_only(sessions, strict):
    save(sessions, 3)
    sessions.write(SLOWER)
    code, output = compared(sessions, *(("--steelyard-strict",) if strict else ()))
    assert code == int(strict)
    assert re.search(rf"test_it\.py::test_slow: suspected to be {TWICE}", output)
    assert "not measured in turns: the last kept session does not say of which commit it is" in output
    assert ("FAILED test_it.py::test_slow - suspected to be " in output) == strict


def test_changes_that_were_not_committed_when_a_session_was_kept_leave_a_suspicion(sessions):
    sessions.write("")
    sessions.commit()
    save(sessions, 3)
    sessions.write(SLOWER)
    code, output = compared(sessions)
    assert code == 0
    assert re.search(rf"test_it\.py::test_slow: suspected to be {TWICE}", output)
    assert "had changes that its commit" in output


def test_one_kept_session_without_turns_judges_nothing(sessions):
    save(sessions)
    sessions.write(SLOWER)
    code, output = compared(sessions)
    assert code == 0
    assert "keep at least two" in output
    assert compared(sessions, "--steelyard-strict")[0] == 1


def test_a_name_under_which_nothing_was_kept_fails_strict_sessions(sessions):
    sessions.write(TWO)
    code, output = compared(sessions)
    assert code == 0
    assert "nothing to compare with: no session was saved as 'main' (pytest --steelyard-save main)" in output
    assert compared(sessions, "--steelyard-strict")[0] == 1


def test_a_session_that_times_nothing_says_that_it_compares_nothing(sessions):
    save(sessions)
    sessions.write("def test_it():\n    pass\n")
    code, output = compared(sessions, "--steelyard-strict")
    assert code == 1
    assert "nothing was timed, so nothing is compared with main" in output


def test_tests_that_are_new_or_gone_are_named_and_fail_strict_sessions(sessions):
    save(sessions, 2)
    sessions.write(TWO.replace("test_slow", "test_new"))
    code, output = compared(sessions)
    assert code == 0
    assert "not in any session saved as 'main': test_it.py::test_new" in output
    assert "saved as 'main' but not timed now: test_it.py::test_slow" in output
    assert compared(sessions, "--steelyard-strict")[0] == 1


def test_tests_of_a_file_that_is_gone_are_named(sessions):
    sessions.write("def test_other(steelyard, work):\n    steelyard(work(1_000_000))\n", "test_gone.py")
    save(sessions, 2)
    (sessions.directory / "test_gone.py").unlink()
    assert "not timed now: test_gone.py::test_other" in compared(sessions)[1]


@pytest.mark.parametrize("chosen", [("-k", "quick"), ("test_it.py::test_quick",)])
def test_tests_that_were_not_chosen_are_not_gone(sessions, chosen):
    save(sessions, 2)
    code, output = compared(sessions, "--steelyard-strict", *chosen)
    assert "not timed here" not in output
    assert code == 0, output


def test_a_damaged_kept_session_is_named_and_left_out(sessions):
    save(sessions, 3)
    file = sessions.directory / ".steelyard/main/0002.lab/record.sqlite"
    file.write_bytes(file.read_bytes()[:5000])
    code, output = compared(sessions)
    assert code == 0
    assert "0002.lab/record.sqlite is damaged" in output
    assert "2 kept sessions" in output
    assert "INTERNALERROR" not in output
    assert compared(sessions, "--steelyard-strict")[0] == 1


def test_a_session_that_fails_its_comparison_is_not_kept(sessions):
    sessions.write(TWO)
    sessions.commit()
    save(sessions)
    sessions.write(SLOWER)
    code, output = compared(sessions, "--steelyard-save", "main")
    assert code == 1
    assert "not kept as main, since it fails the comparison" in output
    assert len(list((sessions.directory / ".steelyard/main").iterdir())) == 1
