"""The user's own commands for levels: entered before the first trial of a level, left whatever happens."""

from __future__ import annotations

import os
import signal
import threading
from contextlib import suppress

import pytest

from steelyard.core.errors import ProgramError
from steelyard.design import treatments
from steelyard.lab.run.run import run
from steelyard.run.launch.launch_plan import LaunchPlan
from steelyard.run.runner.journal import read_journal
from steelyard.run.runner.level_changes import leave_levels, levels_file
from steelyard.run.runner.orders import Enter, Leave
from steelyard.run.runner.runner import HookError, Runner, RunnerDiedError, TrialOrder
from steelyard.spec import experiment
from steelyard.store import Record


@pytest.fixture
def flagged(tmp_path):
    """``flagged(**design)``: a factor whose level "on" is a file ``flag``; the program logs what it finds."""

    def declare(
        *, change="easy", enter="touch flag; echo enter >> log", leave="rm flag; echo leave >> log", **design
    ):
        return experiment(
            name="flagged",
            source=str(tmp_path),
            program={"command": "if [ -e flag ]; then echo on; else echo off; fi >> log", "shell": True},
            factors={"service": ["off", "on"]},
            levels=[
                {
                    "factor": "service",
                    "level": "on",
                    "enter": ["/bin/sh", "-c", enter],
                    "leave": ["/bin/sh", "-c", leave],
                    "change": change,
                }
            ],
            design={"blocks": 4, "discard": 0, **design},
        )

    return declare


def log(tmp_path):
    return (tmp_path / "log").read_text().split()


def test_every_trial_finds_its_level_and_none_is_left_at_the_end(flagged, tmp_path):
    run(flagged(), tmp_path / "made.lab")
    result = log(tmp_path)
    inside = False
    for word in result:
        if word in ("enter", "leave"):
            assert inside == (word == "leave")
            inside = word == "enter"
        else:
            assert (word == "on") == inside
    assert (result.count("on"), result.count("off"), inside) == (4, 4, False)
    assert not (tmp_path / "flag").exists()
    assert list((tmp_path / "made.lab").rglob("*.levels")) == []


def test_what_is_hard_to_change_is_set_up_anew_in_each_block(flagged, tmp_path):
    run(flagged(change="hard", replicates=3, blocks=5), tmp_path / "made.lab")
    result = log(tmp_path)
    assert result.count("enter") == result.count("leave") == 5
    with Record.open(tmp_path / "made.lab") as record:
        orders = [outcome.block.order for outcome in record.outcomes()]
    assert all(order in ((1, 1, 1, 2, 2, 2), (2, 2, 2, 1, 1, 1)) for order in orders)


def test_a_level_that_is_easy_to_change_stays_where_the_next_trial_has_it(flagged, tmp_path):
    run(flagged(blocks=12, seed=2), tmp_path / "made.lab")
    text = [word for word in log(tmp_path) if word in ("on", "off")]
    changes = sum(before != after for before, after in zip(["off", *text], text, strict=False))
    assert log(tmp_path).count("enter") == (changes + 1) // 2


def test_a_command_that_cannot_begin_a_level_ends_the_run_and_is_undone(flagged, tmp_path):
    with pytest.raises(ProgramError):
        run(flagged(enter="touch flag; exit 3"), tmp_path / "made.lab")
    assert not (tmp_path / "flag").exists()


def test_where_leaving_fails_too_the_command_that_began_it_is_named_first(flagged, tmp_path):
    with pytest.raises(ProgramError) as caught:
        run(flagged(enter="exit 3", leave="exit 4"), tmp_path / "made.lab")
    before, _, after = caught.value.message.partition("; after that, service = on could not be left: ")
    assert "exit code 3" in before
    assert "exit code 4" in after


def test_a_level_that_cannot_be_left_is_told_and_written_down_until_a_run_leaves_it(flagged, tmp_path):
    leave = "[ -e key ] && rm flag"
    with pytest.raises(ProgramError, match=r"service = on could not be left") as caught:
        run(flagged(leave=leave), tmp_path / "made.lab")
    (file,) = (tmp_path / "made.lab").rglob("*.levels")
    assert str(file) in caught.value.hint
    assert (tmp_path / "flag").exists()
    (tmp_path / "key").write_text("")
    run(flagged(leave=leave), tmp_path / "made.lab")
    assert not (tmp_path / "flag").exists()
    assert list((tmp_path / "made.lab").rglob("*.levels")) == []


@pytest.fixture
def entered(flagged, journal, tmp_path, eventually):
    """A runner in the middle of a trial at the level "on", which took a moment to be entered."""
    result = flagged(leave="sleep 0.3; rm flag")
    launches = LaunchPlan(result, treatments(result), builds={})
    (level,) = result.levels
    enter, leave = launches.hooks(launches.treatments[0], [level.enter, level.leave])
    (sleep,) = launches.hooks(launches.treatments[0], [["sleep", "60"]])
    runner = Runner(journal, close_timeout_s=75.0)
    orders = [Enter(0, runner.define(enter), runner.define(leave)), TrialOrder(1, runner.define(sleep))]
    thread = threading.Thread(target=_quietly, args=(runner, orders))
    thread.start()
    eventually((tmp_path / "flag").exists)
    yield runner, launches
    runner.close()
    thread.join()


def _quietly(runner, orders):
    with suppress(RunnerDiedError, OSError, ValueError):
        runner.run(orders)


def test_a_runner_that_is_told_to_stop_leaves_its_levels_and_takes_its_time(
    entered, journal, tmp_path, eventually
):
    runner, _ = entered
    runner.stop()
    eventually(lambda: not (tmp_path / "flag").exists())
    eventually(lambda: levels_file(journal).read_bytes() == b"")


def test_a_runner_whose_guard_is_killed_leaves_its_levels(entered, tmp_path, eventually):
    runner, _ = entered
    os.kill(runner.guard_pid, signal.SIGKILL)
    eventually(lambda: not (tmp_path / "flag").exists())


def test_what_a_killed_runner_had_entered_is_written_down_and_left_by_the_next_run(
    entered, journal, tmp_path, eventually
):
    runner, launches = entered
    os.kill(runner.pid, signal.SIGKILL)
    runner.close()
    assert levels_file(journal).read_bytes() == b"\0\0\0\0"
    leave_levels(launches, journal)
    assert not (tmp_path / "flag").exists()
    assert not levels_file(journal).exists()


def test_a_level_without_commands_changes_nothing(runner, journal, sh):
    number = runner.define(sh("true"))
    assert runner.run([Enter(3, None, None), TrialOrder(1, number), Leave(3, None)]) == 1
    assert levels_file(journal).read_bytes() == b""


def test_a_batch_ends_where_a_level_cannot_be_entered(runner, sh, journal):
    with pytest.raises(HookError):
        runner.run([Enter(0, runner.define(sh("exit 1")), None), TrialOrder(1, runner.define(sh("true")))])
    assert read_journal(journal)[0] == []
