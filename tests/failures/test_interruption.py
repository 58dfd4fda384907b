"""Ctrl-C, SIGTERM and a second run, as a user meets them: on the command line."""

from __future__ import annotations

import signal

import pytest

from steelyard.run.runner.strays import find_strays
from steelyard.store import Record

# Says that it is there, then stays until the file "go" is there; with a tree of its own below.
WAITING = {
    "gentle": "echo here >> here; (sleep 1000 & sleep 1000) & while ! [ -e go ]; do sleep 0.01; done",
    "ignores SIGTERM": 'trap "" TERM; echo here >> here; sleep 1000 & while ! [ -e go ]; do sleep 0.01; done',
    "in a session of its own": "echo here >> here; [ -e go ] || setsid sleep 1000; [ -e go ]",
}


@pytest.fixture
def spec(tmp_path):
    def write(program):
        path = tmp_path / "waiting.toml"
        path.write_text(
            f"[program]\ncommands = {{ a = ['/bin/sh', '-c', '{program}'], b = ['/bin/true'] }}\n"
            "[design]\nblocks = 3\ndiscard = 0\n"
        )
        return path

    return write


@pytest.fixture
def started(tmp_path, steelyard_started, spec, eventually):
    """``started(program)``: ``steelyard run`` whose first waiting trial is there."""

    def start(program):
        process = steelyard_started("run", str(spec(program)))
        eventually((tmp_path / "here").exists, process)
        return process

    return start


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("program", WAITING)
def test_an_interrupted_run_ends_the_whole_tree_exits_130_and_can_be_continued(
    tmp_path, started, steelyard_cli, program, number
):
    process = started(WAITING[program])
    process.send_signal(number)
    output, errors = process.communicate()
    assert (process.returncode, output) == (130, "")
    assert errors.startswith("error: interrupted; measurements so far are in ")
    assert "hint: steelyard run" in errors
    assert "Traceback" not in errors
    with Record.open(tmp_path / "waiting.lab") as record:
        assert [run.state for run in record.runs()] == ["interrupted"]
        assert find_strays(record.id) == []
    (tmp_path / "go").touch()
    assert steelyard_cli("run", "waiting.toml").returncode == 0
    with Record.open(tmp_path / "waiting.lab") as record:
        assert [run.state for run in record.runs()] == ["interrupted", "complete"]
        assert [outcome.state for outcome in record.outcomes()] == ["complete"] * 3


def test_a_second_run_is_refused_and_says_who_is_at_it(tmp_path, started, steelyard_cli):
    first = started(WAITING["gentle"])
    before = (tmp_path / "here").read_text()
    second = steelyard_cli("run", "waiting.toml")
    assert second.returncode == 2
    assert f"waiting.lab is being run by process {first.pid} on " in second.stderr
    assert f"hint: wait for it, or stop it: kill {first.pid}" in second.stderr
    assert (tmp_path / "here").read_text() == before, "the second one started nothing"
    (tmp_path / "go").touch()
    output, errors = first.communicate()
    assert (first.returncode, errors) == (0, "")
    assert output
