"""Changes tried one after another, judged by memory, which the machine's load does not change."""

from __future__ import annotations

import numpy as np
import pytest

from steelyard.core.errors import RecordBusyError, RecordError, UsageError
from steelyard.extensions.ratchet import ratchet as module
from steelyard.extensions.ratchet.ledger import FILE, lock_ledger, read_ledger
from steelyard.extensions.ratchet.ratchet import Ratchet, RatchetRequest
from steelyard.extensions.repository.repository import Repository

REQUEST = RatchetRequest(words=("./prog",), build="sh build", metric="rss_bytes", blocks=5)


def write(programs, mebibytes, extra=""):
    """Change the work tree, and commit nothing."""
    head = programs.git("rev-parse", "HEAD")
    programs.program(mebibytes)
    programs.git("reset", "-q", "--soft", head)
    if extra:
        text = (programs.path / "prog.in").read_text()
        (programs.path / "prog.in").write_text(text.replace("exec", f"{extra}\nexec"))


@pytest.fixture(autouse=True)
def short(monkeypatch):
    """Confirm in as many blocks as a first look has."""
    monkeypatch.setattr(module, "CONFIRMING", 1)


@pytest.fixture
def ratchet(programs):
    programs.program(16)
    return Ratchet(Repository(programs.path))


def test_a_change_that_is_better_wins_and_is_the_best_from_then_on(programs, ratchet):
    write(programs, 4)
    before = (programs.git("rev-parse", "HEAD"), programs.git("status", "--porcelain"))
    ledger = ratchet.try_tree(REQUEST, "a quarter")
    (attempt,) = ledger.attempts
    assert (attempt.outcome, attempt.test, attempt.note) == ("faster", 1, "a quarter")
    assert attempt.p <= attempt.level
    assert ledger.best == attempt.commit == programs.git("rev-parse", "refs/steelyard/ratchet/1")
    assert (programs.git("rev-parse", "HEAD"), programs.git("status", "--porcelain")) == before
    assert len(programs.git("worktree", "list").splitlines()) == 1
    with pytest.raises(UsageError, match="is the best so far"):
        ratchet.try_tree(RatchetRequest())
    write(programs, 8)  # better than the start, worse than the best
    assert ratchet.try_tree(RatchetRequest()).attempts[-1].outcome == "not_faster"
    assert ratchet.read().best == attempt.commit
    total = ratchet.measure_total().totals[-1]
    assert total.ci95.low > 2
    assert total.blocks == 5


def test_a_gain_that_slow_runs_could_take_away_is_run_on_and_wins_where_none_does(programs, monkeypatch):
    monkeypatch.setattr(module, "count_runs_to_show", lambda gain, margin: gain.blocks + 2)
    programs.program(16)
    messages = []
    ratchet = Ratchet(Repository(programs.path), tell=messages.append)
    write(programs, 4)
    (attempt,) = ratchet.try_tree(REQUEST).attempts
    assert (attempt.outcome, attempt.why) == ("faster", "")
    assert "faster: 2 more blocks would show slow runs that take the gain away" in messages


def test_a_change_that_prints_something_else_fails_and_costs_no_error(programs, ratchet):
    write(programs, 4, "echo wrong")
    (attempt,) = ratchet.try_tree(REQUEST).attempts
    assert (attempt.outcome, attempt.test) == ("failed", None)
    assert "SHA-256" in attempt.why


def test_a_change_that_does_not_build_fails(programs, ratchet):
    write(programs, 4)
    (programs.path / "build").write_text("exit 3\n")
    (attempt,) = ratchet.try_tree(REQUEST).attempts
    assert (attempt.outcome, attempt.test) == ("failed", None)


def test_files_that_are_not_committed_are_tried_and_ignored_ones_are_not(programs, ratchet):
    write(programs, 4)
    (programs.path / ".gitignore").write_text("secret\n")
    (programs.path / "secret").write_text("x")
    (programs.path / "new").write_text("x")
    commit = ratchet.try_tree(REQUEST).attempts[0].commit
    files = programs.git("ls-tree", "--name-only", commit).splitlines()
    assert "new" in files
    assert {"secret", ".steelyard"}.isdisjoint(files)


def test_an_interrupted_confirmation_goes_on_with_the_level_that_it_began_with(
    programs, ratchet, monkeypatch
):
    write(programs, 4)
    measure = module.measure_builds

    def interrupted(pair, trees, watch):
        if pair.name.endswith("confirm"):
            raise KeyboardInterrupt
        return measure(pair, trees, watch)

    with monkeypatch.context() as patch:
        patch.setattr(module, "measure_builds", interrupted)
        with pytest.raises(KeyboardInterrupt):
            ratchet.try_tree(REQUEST)
    assert ratchet.read().attempts[0].outcome == "open"
    level = ratchet.read().attempts[0].level
    ledger = ratchet.try_tree(RatchetRequest())
    assert [(item.outcome, item.test, item.level) for item in ledger.attempts] == [("faster", 1, level)]


def test_a_confirmation_that_is_given_up_stays_a_test(programs, ratchet, monkeypatch):
    write(programs, 4)
    measure = module.measure_builds

    def interrupted(pair, trees, watch):
        if pair.name == "0001-confirm":
            raise KeyboardInterrupt
        return measure(pair, trees, watch)

    monkeypatch.setattr(module, "measure_builds", interrupted)
    with pytest.raises(KeyboardInterrupt):
        ratchet.try_tree(REQUEST)
    write(programs, 2)
    first, second = ratchet.try_tree(RatchetRequest()).attempts
    assert (first.outcome, first.test) == ("abandoned", 1)
    assert (second.outcome, second.test) == ("faster", 2)


@pytest.mark.parametrize(("first", "test"), [(8, None), (24, 1)], ids=["first look", "confirmation"])
def test_a_change_that_is_wrong_in_one_run_is_no_win(programs, ratchet, tmp_path, first, test):
    # Of both programs; a pair of runs lies in one block, so that the change has one of them.
    count = f"n=$(wc -l < {tmp_path / 'runs'}); [ $n = {first} -o $n = {first + 1} ] && echo wrong"
    write(programs, 4, count)
    (attempt,) = ratchet.try_tree(REQUEST).attempts
    assert (attempt.outcome, attempt.test) == ("failed", test)
    assert attempt.why.startswith("1 of ")
    assert "SHA-256" in attempt.why
    assert ratchet.read().discoveries == ()


def test_a_total_that_was_interrupted_does_not_stand_in_the_way_of_a_later_best(
    programs, ratchet, monkeypatch, draw_samples
):
    names = []

    def measure(pair, trees, watch):
        names.append(pair.name)
        return draw_samples(np.linspace(0.5, 0.7, 15))

    monkeypatch.setattr(module, "measure_builds", measure)
    monkeypatch.setattr(module, "is_same_program", lambda *_: False)
    for mebibytes in (4, 2):
        write(programs, mebibytes)
        ratchet.try_tree(REQUEST)
        with monkeypatch.context() as patch:
            patch.setattr(module, "write_ledger", lambda *_: None)
            ratchet.measure_total()
    totals = [name for name in names if name.startswith("total")]
    assert len(set(totals)) == 2


def test_two_processes_do_not_try_at_once(programs, ratchet):
    write(programs, 4)
    ratchet.try_tree(REQUEST)
    before = ratchet.read()
    write(programs, 2)
    with lock_ledger(ratchet.directory):
        for call in (lambda: ratchet.try_tree(RatchetRequest()), ratchet.measure_total):
            with pytest.raises(RecordBusyError, match="is being run by"):
                call()
        assert ratchet.read() == before  # reading is no try


@pytest.mark.parametrize("metric", ["typo", "queue_wait_s"])
def test_a_metric_that_no_change_can_win_by_begins_no_ledger(programs, ratchet, metric):
    write(programs, 4)
    with pytest.raises(UsageError, match="not one of which less is better"):
        ratchet.try_tree(RatchetRequest(words=("./prog",), build="sh build", metric=metric))
    assert read_ledger(ratchet.directory) is None


def test_another_program_than_the_ledgers_is_refused(programs, ratchet):
    write(programs, 16, "# the same")
    ratchet.try_tree(REQUEST)
    with pytest.raises(UsageError, match="of another program"):
        ratchet.try_tree(RatchetRequest(words=("./other",)))


def test_without_a_program_nothing_begins(programs, ratchet):
    with pytest.raises(UsageError, match="no program"):
        ratchet.try_tree(RatchetRequest())
    with pytest.raises(UsageError, match="nothing was tried"):
        ratchet.read()
    assert read_ledger(ratchet.directory) is None


def test_a_damaged_ledger_is_named(programs, ratchet):
    ratchet.directory.mkdir(parents=True)
    (ratchet.directory / FILE).write_text('{"start": 1}')
    with pytest.raises(RecordError, match="is not a ledger"):
        ratchet.read()
