"""Commands in stages: what is shown of them, and what they see."""

from __future__ import annotations

import os
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
    shown = capsys.readouterr().err
    assert "loud\n" in shown
    assert "exit code 3" in shown
    assert "never" not in shown


def test_a_stage_sees_no_other_steelyard(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    others = ("PYTHONPATH", "PYTHONHOME", "STEELYARD_RUNNER")
    for name in others:
        monkeypatch.setenv(name, "/somewhere/else")
    environment = stages.environment()
    assert not set(others) & set(environment)
    assert environment["PATH"].split(os.pathsep)[0] == str(project / ".venv" / "bin")
