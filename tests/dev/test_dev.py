"""``./dev`` itself: what it remembers, what it says when something is missing, what it hands over."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType

import pytest

DEV = Path(__file__).parents[2] / "dev"


@pytest.fixture
def dev(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The script as a module that believes itself in a small project below ``tmp_path``."""
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    loader = SourceFileLoader("dev", str(DEV))
    spec = importlib.util.spec_from_loader("dev", loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    for path in (
        "requirements/run.txt",
        "native/runner/main.cpp",
        "src/steelyard/units.py",
        "pyproject.toml",
    ):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(path)
    monkeypatch.setattr(module, "ROOT", tmp_path)
    monkeypatch.setattr(module, "VENV", tmp_path / ".venv")
    monkeypatch.setattr(module, "STAMP", tmp_path / ".venv" / "steelyard-setup.json")
    return module


@pytest.mark.parametrize(
    ("path", "rebuilds"),
    [
        ("native/runner/main.cpp", True),
        ("native/runner/new.cpp", True),
        ("pyproject.toml", True),
        ("requirements/run.txt", True),
        ("src/steelyard/new.py", True),
        ("src/steelyard/units.py", False),
        ("README.md", False),
    ],
)
def test_only_a_change_that_reaches_an_installation_repeats_it(
    dev: ModuleType, tmp_path: Path, path: str, rebuilds: bool
) -> None:
    before = dev.package_fingerprint()
    (tmp_path / path).write_text("changed")
    assert (dev.package_fingerprint() != before) is rebuilds


def test_content_that_moves_from_one_file_to_the_next_is_a_change(dev: ModuleType, tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    one.write_text("ab")
    two.write_text("c")
    before = dev.fingerprint([one, two])
    one.write_text("a")
    two.write_text("bc")
    assert dev.fingerprint([two, one]) != before


def test_a_finished_step_is_noted_at_once_and_survives(dev: ModuleType, tmp_path: Path) -> None:
    (tmp_path / ".venv").mkdir()
    dev.note(dev.read_stamp(), "run", "abc")
    dev.note(dev.read_stamp(), "package", "def")
    assert dev.read_stamp() == {"run": "abc", "package": "def"}


@pytest.mark.parametrize("text", ["", "[]", '{"run": ', None])
def test_a_stamp_that_cannot_be_read_counts_as_nothing_done(dev: ModuleType, text: str | None) -> None:
    if text is not None:
        dev.VENV.mkdir()
        dev.STAMP.write_text(text)
    assert dev.read_stamp() == {}


def test_a_lock_is_installed_once_and_again_when_it_changed(
    dev: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed: list[str] = []
    monkeypatch.setattr(dev, "quietly", lambda name, commands: installed.append(name))
    dev.VENV.mkdir()
    for text, times in [("one", 1), ("one", 1), ("another", 2)]:
        (tmp_path / "requirements" / "run.txt").write_text(text)
        dev.install_locked(dev.read_stamp(), "run")
        assert installed == ["install the versions of requirements/run.txt"] * times


def test_a_venv_of_somebody_else_is_left_alone(dev: ModuleType) -> None:
    dev.VENV.mkdir()
    (dev.VENV / "precious").touch()
    with pytest.raises(dev.DevError, match=r"^\.venv exists and was not made by \./dev$") as caught:
        dev.ensure_venv()
    assert caught.value.exit_code == 2
    assert (dev.VENV / "precious").exists()


def test_a_half_made_venv_is_made_again(dev: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    dev.VENV.mkdir()
    dev.note({}, "root", str(dev.ROOT))
    (dev.VENV / "half").touch()
    commands: list[list[str]] = []
    monkeypatch.setattr(dev, "quietly", lambda name, what, env: commands.extend(what))
    stamp = dev.ensure_venv()
    assert commands == [[sys.executable, "-m", "venv", str(dev.VENV)]]
    assert not (dev.VENV / "half").exists()
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    assert stamp == dev.read_stamp() == {"root": str(dev.ROOT), "python": version}


def test_a_venv_is_whole_only_at_its_place_and_with_its_python(dev: ModuleType) -> None:
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    assert not dev.venv_is_whole()
    (dev.VENV / "bin").mkdir(parents=True)
    (dev.VENV / "bin" / "python").symlink_to(sys.executable)
    stamp = {"root": str(dev.ROOT)}
    dev.note(stamp, "python", version)
    assert dev.venv_is_whole()
    dev.note(stamp, "python", "3.10")
    assert not dev.venv_is_whole()
    dev.note(stamp, "python", version)
    dev.note(stamp, "root", "/somewhere/else")
    assert not dev.venv_is_whole()


def lacking(dev: ModuleType) -> list[object]:
    return [
        dev.Need("a C++ compiler", "g++", lambda: False),
        dev.Need("make", "make", lambda: True),
        dev.Need("GoogleTest", "libgtest-dev", lambda: False),
    ]


@pytest.mark.parametrize(
    ("lists", "hint"),
    [
        (["x_Packages"], "sudo apt-get install -y g++ libgtest-dev"),
        ([], "sudo apt-get update && sudo apt-get install -y g++ libgtest-dev"),
    ],
)
def test_without_root_the_one_command_is_named(
    dev: ModuleType, monkeypatch: pytest.MonkeyPatch, lists: list[str], hint: str
) -> None:
    monkeypatch.setattr(dev.Path, "glob", lambda path, pattern: iter(lists))
    monkeypatch.setattr(dev.os, "geteuid", lambda: 1000)
    monkeypatch.setattr(dev.shutil, "which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(dev.Path, "exists", lambda path: str(path) == "/etc/debian_version")
    with pytest.raises(dev.DevError, match=r"^this machine lacks a C\+\+ compiler, GoogleTest$") as caught:
        dev.ensure_system(lacking(dev))
    assert caught.value.hint == hint
    assert caught.value.exit_code == 4


def test_elsewhere_than_on_debian_the_packages_are_named(
    dev: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dev.Path, "exists", lambda path: False)
    with pytest.raises(dev.DevError) as caught:
        dev.ensure_system(lacking(dev))
    assert caught.value.hint == "install what Debian calls g++ libgtest-dev, then try again"


@pytest.mark.parametrize(
    ("lists", "installs", "expected"),
    [
        pytest.param(["x_Packages"], [True], ["install"], id="lists that serve"),
        pytest.param(["x_Packages"], [False, True], ["install", "update", "install"], id="stale lists"),
        pytest.param([], [True], ["update", "install"], id="no lists"),
    ],
)
def test_root_on_debian_installs_and_updates_the_lists_only_when_needed(
    dev: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    lists: list[str],
    installs: list[bool],
    expected: list[str],
) -> None:
    calls: list[str] = []
    results = iter(installs)
    present = False

    def apt_get(verb: str, packages: str = "") -> bool:
        nonlocal present
        calls.append(verb)
        assert packages == ("g++" if verb == "install" else "")
        present = next(results) if verb == "install" else present
        return present or verb == "update"

    monkeypatch.setattr(dev, "apt_get", apt_get)
    monkeypatch.setattr(dev.os, "geteuid", lambda: 0)
    monkeypatch.setattr(dev.shutil, "which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(dev.Path, "exists", lambda path: str(path) == "/etc/debian_version")
    monkeypatch.setattr(dev.Path, "glob", lambda path, pattern: iter(lists))
    dev.ensure_system([dev.Need("a C++ compiler", "g++", lambda: present)])
    assert calls == expected


def test_a_failing_stage_shows_its_output_and_a_passing_one_does_not(
    dev: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    assert dev.quietly("fine", [["sh", "-c", "echo quiet"]], fatal=False).passed
    assert "quiet" not in capsys.readouterr().err
    commands = [["sh", "-c", "echo loud; exit 3"], ["sh", "-c", "echo never"]]
    assert not dev.quietly("bad", commands, fatal=False).passed
    shown = capsys.readouterr().err
    assert "loud\n" in shown
    assert "exit code 3" in shown
    assert "never" not in shown


def test_a_stage_sees_no_other_steelyard(dev: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    others = ("PYTHONPATH", "PYTHONHOME", "STEELYARD_RUNNER")
    for name in others:
        monkeypatch.setenv(name, "/somewhere/else")
    environment = dev.environment()
    assert not set(others) & set(environment)
    assert environment["PATH"].split(os.pathsep)[0] == str(dev.VENV / "bin")


def test_native_tests_that_did_not_run_are_told(dev: ModuleType) -> None:
    output = """\
100% tests passed, 0 tests failed out of 3

The following tests did not run:
\t  2 - Counters.HardwareCycles (Skipped)
\t  3 - Guard.Forever (Disabled)
"""
    stage = dev.Stage("native tests, release", passed=True, output=output)
    assert dev.not_run(stage) == [
        "native tests, release: Counters.HardwareCycles (Skipped)",
        "native tests, release: Guard.Forever (Disabled)",
    ]


def test_a_failed_early_stage_fails_the_whole_and_is_handed_to_pytest(
    dev: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dev, "set_up", lambda needs, *locks: None)
    monkeypatch.setattr(dev, "lint_stages", lambda *, fix: [dev.Stage("mypy", passed=False, output="")])
    monkeypatch.setattr(dev, "native_stages", list)
    monkeypatch.setattr(dev, "build_workloads", lambda: None)
    seen: dict[str, object] = {}

    def run(command: list[str], **options: dict[str, str]) -> subprocess.CompletedProcess[str]:
        seen.update(json.loads(options["env"]["STEELYARD_DEV_SUMMARY"]), arguments=command[3:])
        return subprocess.CompletedProcess(command, 0)

    monkeypatch.setattr(dev.subprocess, "run", run)
    assert dev.test(["-k", "something"]) == 1
    assert seen == {"failed": ["mypy"], "not_run": [], "arguments": ["-k", "something"]}


@pytest.mark.parametrize(
    ("found", "hint"),
    [("/usr/bin/python3.13", "/usr/bin/python3.13 ./dev test -x"), (None, "install a newer python3")],
)
def test_a_python_that_is_too_old_is_named_with_the_one_to_use(
    dev: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    found: str | None,
    hint: str,
) -> None:
    monkeypatch.setattr(dev.sys, "version_info", (3, 9, 2))
    monkeypatch.setattr(dev.sys, "version", "3.9.2 (default)")
    monkeypatch.setattr(dev.sys, "executable", "/usr/bin/python3")
    monkeypatch.setattr(dev.shutil, "which", lambda name: found if name == "python3.13" else None)
    code = dev.main(["test", "-x"])
    # At once: pytest asks for the version too.
    monkeypatch.undo()
    assert code == 4
    said = capsys.readouterr().err
    assert (
        said
        == f"error: Steelyard needs Python 3.11 or later, and /usr/bin/python3 is 3.9.2\n\nhint: {hint}\n"
    )


def dev_process(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(DEV), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_help_names_every_command() -> None:
    ended = dev_process("--help")
    assert ended.returncode == 0
    assert [line.split()[0] for line in ended.stdout.splitlines()[2:]] == [
        "demo",
        "test",
        "lint",
        "docs",
        "bench",
        "wheel",
        "mpi",
        "lock",
    ]


def test_a_command_that_does_not_exist_is_an_error_with_a_cure() -> None:
    ended = dev_process("tset")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == "error: ./dev has no command 'tset'\n\nhint: ./dev --help\n"


def test_a_benchmark_that_does_not_exist_is_an_error() -> None:
    ended = dev_process("bench", "nothing")
    assert ended.returncode == 2
    assert ended.stderr.startswith("error: there is no benchmark 'nothing'\n\nhint: ")


def test_an_option_that_a_command_does_not_have_is_refused() -> None:
    ended = dev_process("lint", "--fux")
    assert (ended.returncode, ended.stderr) == (
        2,
        "error: ./dev lint: cannot use --fux\n\nhint: ./dev lint --fix\n",
    )
