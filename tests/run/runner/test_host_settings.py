"""What is changed on the host is put back to what it was: at the end, and after kills of any of us."""

from __future__ import annotations

import os
import signal
import threading
from contextlib import suppress
from pathlib import Path

import pytest

from steelyard.interventions.launch_change import HostSetting
from steelyard.run.launch.launch import Launch
from steelyard.run.runner.journal import read_journal
from steelyard.run.runner.runner import Runner, RunnerDiedError, TrialOrder


@pytest.fixture
def undo(tmp_path, monkeypatch):
    path = tmp_path / "run" / "undo"
    monkeypatch.setenv("STEELYARD_UNDO", str(path))
    return path


@pytest.fixture
def setting(tmp_path):
    path = tmp_path / "setting"
    path.write_text("before\n")
    return path


def under(path, value, script="true"):
    return Launch("/bin/sh", ("sh", "-c", script), (), "/", host=(HostSetting(str(path), value),))


@pytest.fixture
def one(undo, journal):
    with Runner(journal) as runner:
        yield runner


def test_a_setting_holds_while_its_launch_runs_and_is_put_back_at_the_end(undo, journal, setting):
    with Runner(journal) as runner:
        runner.run([TrialOrder(1, runner.define(under(setting, "during", f"cat {setting}")))])
        assert setting.read_text() == "during"
    assert read_journal(journal)[0][0].stdout == b"during"
    assert setting.read_text() == "before"
    assert undo.read_bytes() == b""


def test_a_launch_that_does_not_name_a_setting_finds_what_was_there_before(undo, journal, setting):
    plain = Launch("/bin/cat", ("cat", str(setting)), (), "/")
    with Runner(journal) as runner:
        changing, reading = runner.define(under(setting, "during")), runner.define(plain)
        runner.run(
            [TrialOrder(1, changing), TrialOrder(2, reading), TrialOrder(3, changing), TrialOrder(4, reading)]
        )
        assert [item.stdout for item in read_journal(journal)[0]] == [b"", b"before", b"", b"before"]


def test_of_a_file_that_offers_several_values_the_chosen_one_is_put_back(undo, journal, tmp_path):
    path = tmp_path / "enabled"
    path.write_text("always [madvise] never\n")
    with Runner(journal) as runner:
        runner.run([TrialOrder(1, runner.define(under(path, "never")))])
        assert undo.read_text() == f"{path}\tmadvise\n"
    assert path.read_text().startswith("madvise")


def test_what_is_changed_is_written_down_before(undo, journal, setting):
    with Runner(journal) as runner:
        command = f"cat {undo}"
        runner.run([TrialOrder(1, runner.define(under(setting, "during", command)))])
    assert read_journal(journal)[0][0].stdout == f"{setting}\tbefore\n".encode()


def test_a_setting_that_cannot_be_made_fails_the_trial_before_it_starts(undo, journal, tmp_path):
    with Runner(journal) as runner:
        runner.run([TrialOrder(1, runner.define(under(tmp_path / "missing", "x")))])
    (raw,) = read_journal(journal)[0]
    assert (raw.status, raw.step) == ("setup_failed", "host")


def test_two_experiments_do_not_change_the_host_at_once(undo, journal, tmp_path, setting):
    with Runner(journal) as first, Runner(tmp_path / "other") as second:
        first.run([TrialOrder(1, first.define(under(setting, "first")))])
        second.run([TrialOrder(1, second.define(under(setting, "second")))])
        (raw,) = read_journal(tmp_path / "other")[0]
        assert (raw.status, raw.step) == ("setup_failed", "host")
        assert setting.read_text() == "first"
    assert setting.read_text() == "before"


def killed(runner, setting, eventually, *pids):
    """Kill processes while a trial runs under a changed setting; they are stopped first, so that none sees
    another one die.
    """
    number = runner.define(under(setting, "during", "exec sleep 60"))
    thread = threading.Thread(target=_until_death, args=(runner, number))
    thread.start()
    eventually(lambda: setting.read_text() == "during")
    for deed in (signal.SIGSTOP, signal.SIGKILL):
        for pid in pids:
            os.kill(pid, deed)
    thread.join()


def _until_death(runner, number):
    with suppress(RunnerDiedError):  # where it was the runner that was killed
        assert runner.run([TrialOrder(1, number)]) == 0


def test_the_guard_puts_it_back_where_the_runner_is_killed(undo, journal, setting, eventually):
    with Runner(journal) as runner:
        killed(runner, setting, eventually, runner.pid)
    assert setting.read_text() == "before"


def test_the_runner_puts_it_back_where_the_guard_is_killed(undo, journal, setting, eventually):
    with Runner(journal) as runner:
        killed(runner, setting, eventually, runner.guard_pid)
        eventually(lambda: setting.read_text() == "before")


def test_the_next_runner_puts_it_back_where_both_are_killed(undo, journal, setting, eventually):
    with Runner(journal) as runner:
        killed(runner, setting, eventually, runner.guard_pid, runner.pid)
        pid = runner.pid
    eventually(
        lambda: not Path(f"/proc/{pid}").exists() or "\nState:\tZ" in Path(f"/proc/{pid}/status").read_text()
    )
    assert setting.read_text() == "during"
    with Runner(journal):
        pass
    assert setting.read_text() == "before"


def test_an_undo_journal_that_others_may_write_is_not_obeyed(undo, journal, setting):
    undo.parent.mkdir()
    undo.write_text(f"{setting}\tplanted\n")
    undo.chmod(0o666)
    with Runner(journal) as runner:
        runner.run([TrialOrder(1, runner.define(under(setting, "during")))])
    (raw,) = read_journal(journal)[0]
    assert (raw.status, raw.errno) == ("setup_failed", 1)
    assert setting.read_text() == "before\n"


def test_a_line_that_was_being_written_when_the_machine_stopped_is_left_out(undo, journal, setting):
    undo.parent.mkdir()
    undo.write_text(f"{setting}\trestored\n{setting}\tto")
    undo.chmod(0o600)
    with Runner(journal):
        pass
    assert setting.read_text() == "restored"
