"""What is said and done where something is missing that pip cannot install."""

from __future__ import annotations

import pytest
from door import system
from door.stages import DevError


def lacking() -> list[object]:
    return [
        system.Need("a C++ compiler", "g++", lambda: False),
        system.Need("make", "make", lambda: True),
        system.Need("GoogleTest", "libgtest-dev", lambda: False),
    ]


@pytest.mark.parametrize(
    ("lists", "hint"),
    [
        (["x_Packages"], "sudo apt-get install -y g++ libgtest-dev"),
        ([], "sudo apt-get update && sudo apt-get install -y g++ libgtest-dev"),
    ],
)
def test_without_root_the_one_command_is_named(
    monkeypatch: pytest.MonkeyPatch, lists: list[str], hint: str
) -> None:
    monkeypatch.setattr(system.Path, "glob", lambda path, pattern: iter(lists))
    monkeypatch.setattr(system.os, "geteuid", lambda: 1000)
    monkeypatch.setattr(system.shutil, "which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(system.Path, "exists", lambda path: str(path) == "/etc/debian_version")
    with pytest.raises(DevError, match=r"^this machine lacks a C\+\+ compiler, GoogleTest$") as caught:
        system.ensure_system(lacking())
    assert caught.value.hint == hint
    assert caught.value.exit_code == 4


def test_elsewhere_than_on_debian_the_packages_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(system.Path, "exists", lambda path: False)
    with pytest.raises(DevError) as caught:
        system.ensure_system(lacking())
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

    monkeypatch.setattr(system, "apt_get", apt_get)
    monkeypatch.setattr(system.os, "geteuid", lambda: 0)
    monkeypatch.setattr(system.shutil, "which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(system.Path, "exists", lambda path: str(path) == "/etc/debian_version")
    monkeypatch.setattr(system.Path, "glob", lambda path, pattern: iter(lists))
    system.ensure_system([system.Need("a C++ compiler", "g++", lambda: present)])
    assert calls == expected


def test_library_is_there_where_the_compiler_finds_its_file_and_not_its_header_alone() -> None:
    assert system.has_header("vector")
    assert system.has_library("stdc++")
    assert not system.has_library("of-nobody")
