"""Any interleaving of kills and resumes gives the record of an uninterrupted run, times aside."""

from __future__ import annotations

import fcntl
import itertools
import os
import signal
import tempfile
import time
from pathlib import Path

import killing
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steelyard.core.errors import RecordBusyError
from steelyard.lab.run.run import run
from steelyard.run.runner import strays
from steelyard.run.runner.strays import await_writer
from steelyard.spec import experiment
from steelyard.store import Record

BLOCKS = 5


_numbers = itertools.count(1)


def new_place(tmp_path_factory):
    """A directory whose path is as long as that of the others: it is part of what the trials report."""
    place = tmp_path_factory.getbasetemp() / f"resumed-{next(_numbers):06}"
    place.mkdir()
    return place


def declare(source, contexts, blocks=BLOCKS):
    """Two commands and a factor; each trial logs its number and says how long its environment is."""
    script = 'echo "$1" >> "$0"; echo "bytes=$(env | wc -c)"'
    keys = {"contexts": {"env_bytes": "random", "aslr": "on", "passes": 1}} if contexts else {}
    return experiment(
        name="resumed",
        source=str(source),
        program={"command": ["/bin/sh", "-c", script, "{source}/log", "{trial}", "{n}"]},
        factors={"n": [1, 2, 3]},
        metrics={"bytes": {"source": "stdout", "pattern": "bytes=([0-9]+)", "better": "neither"}},
        design={"blocks": blocks, "discard": 1, "seed": 11},
        **keys,
    )


def observed(directory):
    """The tables without times, and what each trial reported."""
    values = killing.rows(directory, "SELECT trial, metric, i, v FROM value ORDER BY trial, metric, i")
    return killing.tables(directory) | {"value": values}


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory):
    result = {}
    for contexts in (False, True):
        place = new_place(tmp_path_factory)
        run(declare(place, contexts), place / "a.lab")
        result[contexts] = observed(place / "a.lab")
    return result


KILLS = st.tuples(
    st.sampled_from(
        [("python",), ("runner",), ("guard",), ("guard", "runner"), ("python", "guard", "runner")]
    ),
    # Trials of this run that have ended, then a pause that may reach into the next one.
    st.integers(0, 6),
    st.floats(0, 0.004),
)


@settings(max_examples=15)
@given(kills=st.lists(KILLS, max_size=6), contexts=st.booleans())
def test_any_interleaving_of_kills_and_resumes_gives_the_uninterrupted_record(
    tmp_path_factory, uninterrupted, kills, contexts
):
    place = new_place(tmp_path_factory)
    directory, log = place / "a.lab", place / "log"
    moments = []
    for victims, after, pause in kills:
        pid = killing.start_run(declare(place, contexts), directory)
        result = {"python": pid}
        result |= {"guard": killing.find(pid, killing.GUARD), "runner": killing.find(pid, killing.RUNNER)}
        expected = len(killing.logged(log)) + after
        while len(killing.logged(log)) < expected and not killing.has_ended(pid):
            time.sleep(0.001)
        time.sleep(pause)
        for victim in victims:
            killing.kill(result[victim])
        assert killing.end_of(pid) in (0, 5, -9)
        moments.append(killing.finished(directory, log))
    run(declare(place, contexts), directory)
    assert observed(directory) == uninterrupted[contexts]
    killing.check_nothing_lost_or_doubled(directory, log, moments)
    with Record.open(directory) as record:
        order = [trial for trial, _ in itertools.groupby(killing.logged(log))]
        assert order == sorted(order), "trials ran in the order of the plan"
        assert record.runs()[-1].state == "complete"


def test_a_run_waits_until_the_runner_of_a_killed_one_has_cleaned_up(tmp_path):
    again = experiment(
        name="cleaning",
        source=str(tmp_path),
        program={
            "command": ["/bin/sh", "-c", "echo run >> log; [ -e go ] || (touch here; sleep 1000)"],
            "prepare": [["/bin/sh", "-c", "echo prepare >> log"]],
            "cleanup": [["/bin/sh", "-c", "sleep 0.3; echo cleanup >> log"]],
        },
        design={"blocks": 1, "discard": 0},
    )
    pid = killing.start_run(again, tmp_path / "a.lab")
    while not (tmp_path / "here").exists():
        assert not killing.has_ended(pid)
    (tmp_path / "go").touch()
    killing.kill(pid)
    assert killing.end_of(pid) == -9
    run(again, tmp_path / "a.lab")
    words = (tmp_path / "log").read_text().split()
    assert words == ["prepare", "run", "cleanup", "prepare", "run", "cleanup"]


def test_a_trial_that_a_runner_still_runs_without_its_python_is_not_ended_as_a_stray(tmp_path):
    slow = experiment(
        name="slow",
        source=str(tmp_path),
        program={"command": ["/bin/sh", "-c", "touch here; while [ ! -e go ]; do sleep 0.01; done"]},
        design={"blocks": 1, "discard": 0},
    )
    killed = killing.start_run(slow, tmp_path / "a.lab")
    while not (tmp_path / "here").exists():
        assert not killing.has_ended(killed)
    guard = killing.find(killed, killing.GUARD)
    killing.kill(guard, signal.SIGSTOP)  # slow to see that Python is gone
    killing.kill(killed)
    assert killing.end_of(killed) == -9
    again = killing.start_run(slow, tmp_path / "a.lab")
    time.sleep(0.3)
    (tmp_path / "go").touch()
    assert killing.end_of(again) == 0
    killing.kill(guard, signal.SIGCONT)
    assert killing.rows(tmp_path / "a.lab", "SELECT id, run, status FROM trial") == [(1, 1, "ok")]


def test_a_journal_is_read_only_when_its_runner_has_let_go_of_it(tmp_path):
    journal, log = tmp_path / "journal", tmp_path / "log"
    journal.touch()

    def hold():
        with journal.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            (tmp_path / "held").touch()
            time.sleep(0.1)
            log.write_text("last frame")

    pid = killing.start(hold)
    while not (tmp_path / "held").exists():
        assert not killing.has_ended(pid)
    await_writer(journal)
    assert log.read_text() == "last frame"
    assert killing.end_of(pid) == 0


def test_a_runner_that_never_lets_go_is_an_error_with_its_cure(tmp_path, monkeypatch):
    monkeypatch.setattr(strays, "_WRITER_TIMEOUT_S", 0.02)
    (tmp_path / "journal").touch()
    with (tmp_path / "journal").open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with pytest.raises(RecordBusyError, match="still writes to") as error:
            await_writer(tmp_path / "journal")
    assert "steelyard-run" in str(error.value.hint)


def test_a_daemon_that_outlived_runner_and_guard_is_ended_before_the_first_trial(tmp_path):
    script = "[ -e go ] || (setsid sleep 1000 & touch here; sleep 1000)"
    spec_ = experiment(
        name="daemon",
        source=str(tmp_path),
        program={"command": ["/bin/sh", "-c", script]},
        design={"blocks": 2, "discard": 0},
    )
    pid = killing.start_run(spec_, tmp_path / "a.lab")
    while not (tmp_path / "here").exists():
        assert not killing.has_ended(pid)
    victims = (killing.find(pid, killing.GUARD), killing.find(pid, killing.RUNNER), pid)
    # Stopped first, so that none of them can tidy up after another one.
    for number in (signal.SIGSTOP, signal.SIGKILL):
        for victim in victims:
            killing.kill(victim, number)
    assert killing.end_of(pid) == -9
    with Record.open(tmp_path / "a.lab") as record:
        # What the runner started itself dies with it, a moment later.
        deadline = time.monotonic() + killing.PATIENCE_S
        leftovers = strays.find_strays(record.id)
        while {stray.command for stray in leftovers} != {"sleep"}:
            assert time.monotonic() < deadline, leftovers
            time.sleep(0.01)
            leftovers = strays.find_strays(record.id)
    (tmp_path / "go").touch()
    assert run(spec_, tmp_path / "a.lab") == "complete"
    assert all(killing.has_ended(stray.pid) for stray in leftovers)


def host_state(temporary):
    """What the experiment changes of a process, and what it may leave lying about."""
    return {
        "personality": Path("/proc/self/personality").read_text(),
        "affinity": os.sched_getaffinity(0),
        "nice": os.nice(0),
        "temporary files": sorted(temporary.iterdir()),
    }


def test_settings_of_a_killed_run_stay_with_its_programs_and_not_on_the_host(tmp_path, monkeypatch):
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    spec_ = experiment(
        name="settings",
        source=str(tmp_path),
        program={"command": ["/bin/sh", "-c", "[ -e go ] || (touch here; sleep 1000)"], "nice": 5},
        factors={"aslr": ["on", "off"], "affinity": [str(min(os.sched_getaffinity(0)))]},
        design={"blocks": 2, "discard": 0},
    )
    before = host_state(temporary)
    for victims in (["python"], ["runner"], ["guard", "runner", "python"]):
        pid = killing.start_run(spec_, tmp_path / "a.lab")
        while not (tmp_path / "here").exists():
            assert not killing.has_ended(pid)
        result = {"python": pid, "guard": killing.find(pid, killing.GUARD)}
        result["runner"] = killing.find(pid, killing.RUNNER)
        for victim in victims:
            killing.kill(result[victim])
        killing.end_of(pid)
        assert host_state(temporary) == before
        (tmp_path / "here").unlink()
    (tmp_path / "go").touch()
    assert run(spec_, tmp_path / "a.lab") == "complete"
    assert host_state(temporary) == before
