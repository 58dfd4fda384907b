"""Commands in stages: what is shown of them, and what they see."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest
from door import stages


def test_a_failing_stage_shows_its_output_and_a_passing_one_does_not(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert stages.quietly("fine", [["sh", "-c", "echo quiet"]], fatal=False).passed
    assert "quiet" not in capsys.readouterr().err
    commands = [["sh", "-c", "echo loud; exit 3"], ["sh", "-c", "echo never"]]
    assert not stages.quietly("bad", commands, fatal=False).passed
    err = capsys.readouterr().err
    assert "loud\n" in err
    assert "exit code 3" in err
    assert "never" not in err


def test_a_stage_sees_no_other_steelyard(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    variables = ("PYTHONPATH", "PYTHONHOME", "STEELYARD_RUNNER")
    for name in variables:
        monkeypatch.setenv(name, "/somewhere/else")
    environment = stages.environment()
    assert not set(variables) & set(environment)
    assert environment["PATH"].split(os.pathsep)[0] == str(project / ".venv" / "bin")


def test_what_a_machine_lacks_is_no_failure_where_it_may_lack_it_and_is_shown(
    capsys: pytest.CaptureFixture[str],
) -> None:
    lacking = [["sh", "-c", "echo not built: this; exit 4"]]
    stage = stages.quietly("tools", lacking, fatal=False, may_lack=True)
    assert stage.passed
    assert "not built: this" in stage.output
    assert "not built: this" in capsys.readouterr().err
    assert not stages.quietly("tools", lacking, fatal=False).passed
    failing = [["sh", "-c", "exit 1"]]
    assert not stages.quietly("tools", failing, fatal=False, may_lack=True).passed


def test_a_stage_with_nothing_to_do_is_no_failure_where_its_exit_code_is_known() -> None:
    nothing = [["sh", "-c", "echo nothing chosen; exit 5"]]
    stage = stages.quietly("part", nothing, fatal=False, empty=5)
    assert (stage.passed, stage.empty) == (True, True)
    assert not stages.quietly("part", nothing, fatal=False).passed
    assert not stages.quietly("part", [["sh", "-c", "exit 1"]], fatal=False, empty=5).passed
    assert not stages.quietly("part", [["true"]], fatal=False, empty=5).empty


def test_lanes_run_at_the_same_time_and_their_stages_come_back_in_order() -> None:
    meeting = threading.Barrier(2)
    began: list[str] = []

    def stage(name: str, *, meets: bool = False, passed: bool = True) -> stages.Stage:
        began.append(name)
        if meets:
            # Each waits for the other: one after the other, neither would end.
            meeting.wait(timeout=120)
        return stages.Stage(name, passed, "")

    done = stages.side_by_side(
        [lambda: stage("a", meets=True, passed=False), lambda: stage("b")],
        [lambda: stage("c", meets=True), lambda: stage("d")],
    )
    assert [(item.name, item.passed) for item in done] == [
        ("a", False),
        ("b", True),
        ("c", True),
        ("d", True),
    ]
    assert began.index("a") < began.index("b")
    assert began.index("c") < began.index("d")


def test_nothing_begins_after_a_lane_was_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    stopped = threading.Event()
    monkeypatch.setattr(stages, "Event", lambda: stopped)

    def interrupt() -> stages.Stage:
        raise KeyboardInterrupt

    def run_until_stopped() -> stages.Stage:
        assert stopped.wait(timeout=120)
        return stages.Stage("running", passed=True, output="")

    began: list[str] = []
    with pytest.raises(KeyboardInterrupt):
        stages.side_by_side([interrupt], [run_until_stopped, lambda: began.append("late")])
    assert began == []


def test_stages_side_by_side_are_told_in_one_piece(capsys: pytest.CaptureFixture[str]) -> None:
    bad = [["sh", "-c", "echo loud; exit 3"]]
    stages.side_by_side(
        [lambda: stages.quietly("bad", bad, fatal=False)],
        [lambda: stages.quietly("fine", [["true"]], fatal=False)],
    )
    lines = capsys.readouterr().err.splitlines()
    assert sum(line.startswith("  bad ") and "FAILED" in line for line in lines) == 1
    assert sum(line.startswith("  fine ") and " ok " in line for line in lines) == 1
    assert lines[next(i for i, line in enumerate(lines) if "bad" in line) + 1] == "loud"


@pytest.mark.parametrize("is_there", [True, False])
def test_compilers_are_started_by_ccache_where_it_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_there: bool
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CMAKE_CXX_COMPILER_LAUNCHER", raising=False)
    if is_there:
        (tmp_path / "ccache").write_text("#!/bin/sh\n")
        (tmp_path / "ccache").chmod(0o755)
    assert stages.environment().get("CMAKE_CXX_COMPILER_LAUNCHER") == ("ccache" if is_there else None)
