"""``.venv``: what is remembered of it, and when it is made again."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from door import installation
from door.stages import DevError


@pytest.mark.parametrize(
    ("path", "rebuilds"),
    [
        ("native/runner/main.cpp", True),
        ("native/runner/new.cpp", True),
        ("pyproject.toml", True),
        ("requirements/run.txt", True),
        ("src/steelyard/new.py", True),
        ("src/steelyard/core/units.py", False),
        ("README.md", False),
    ],
)
def test_only_a_change_that_reaches_an_installation_repeats_it(
    project: Path, path: str, rebuilds: bool
) -> None:
    before = installation.package_fingerprint()
    (project / path).write_text("changed")
    assert (installation.package_fingerprint() != before) is rebuilds


def test_content_that_moves_from_one_file_to_the_next_is_a_change(project: Path) -> None:
    first, second = project / "one", project / "two"
    first.write_text("ab")
    second.write_text("c")
    before = installation.fingerprint([first, second])
    first.write_text("a")
    second.write_text("bc")
    assert installation.fingerprint([second, first]) != before


def test_a_finished_step_is_noted_at_once_and_survives(project: Path) -> None:
    (project / ".venv").mkdir()
    installation.note(installation.read_stamp(), "run", "abc")
    installation.note(installation.read_stamp(), "package", "def")
    assert installation.read_stamp() == {"run": "abc", "package": "def"}


@pytest.mark.parametrize("text", ["", "[]", '{"run": ', None])
def test_a_stamp_that_cannot_be_read_counts_as_nothing_done(project: Path, text: str | None) -> None:
    if text is not None:
        installation.VENV.mkdir()
        installation.STAMP.write_text(text)
    assert installation.read_stamp() == {}


def test_a_lock_is_installed_once_and_again_when_it_changed(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed: list[str] = []
    monkeypatch.setattr(installation, "quietly", lambda name, commands: installed.append(name))
    installation.VENV.mkdir()
    for text, times in [("one", 1), ("one", 1), ("another", 2)]:
        (project / "requirements" / "run.txt").write_text(text)
        installation.install_locked(installation.read_stamp(), "run")
        assert installed == ["install the versions of requirements/run.txt"] * times


def test_a_venv_of_somebody_else_is_left_alone(project: Path) -> None:
    installation.VENV.mkdir()
    (installation.VENV / "precious").touch()
    with pytest.raises(DevError, match=r"^\.venv exists and was not made by \./dev$") as caught:
        installation.ensure_venv()
    assert caught.value.exit_code == 2
    assert (installation.VENV / "precious").exists()


def test_a_half_made_venv_is_made_again(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    installation.VENV.mkdir()
    installation.note({}, "root", str(installation.ROOT))
    (installation.VENV / "half").touch()
    commands: list[list[str]] = []
    monkeypatch.setattr(installation, "quietly", lambda name, what, env: commands.extend(what))
    stamp = installation.ensure_venv()
    assert commands == [[sys.executable, "-m", "venv", str(installation.VENV)]]
    assert not (installation.VENV / "half").exists()
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    assert stamp == installation.read_stamp() == {"root": str(installation.ROOT), "python": version}


def test_a_venv_is_whole_only_at_its_place_and_with_its_python(project: Path) -> None:
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    assert not installation.venv_is_whole()
    (installation.VENV / "bin").mkdir(parents=True)
    (installation.VENV / "bin" / "python").symlink_to(sys.executable)
    stamp = {"root": str(installation.ROOT)}
    installation.note(stamp, "python", version)
    assert installation.venv_is_whole()
    installation.note(stamp, "python", "3.10")
    assert not installation.venv_is_whole()
    installation.note(stamp, "python", version)
    installation.note(stamp, "root", "/somewhere/else")
    assert not installation.venv_is_whole()
