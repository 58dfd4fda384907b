"""``scripts/tidy.py``: which sources it looks at, and that it says which it does not."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "tidy.py"


@pytest.fixture
def tidy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModuleType:
    """The script as a module, in a project of two sources and no build trees; nothing is complained of."""
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    spec = importlib.util.spec_from_file_location("scripts_tidy", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    house = module.HOUSES["workloads"]
    house = house._replace(sources=tmp_path / "workloads", builds=tmp_path / "build")
    monkeypatch.setitem(module.HOUSES, "workloads", house)
    monkeypatch.setattr(module, "complaints", lambda house, path, tree: "")
    for name in ("one.cpp", "two.cpp"):
        (tmp_path / "workloads").mkdir(exist_ok=True)
        (tmp_path / "workloads" / name).touch()
    return module


def compiled(tidy: ModuleType, tree: str, *names: str) -> None:
    directory = tidy.HOUSES["workloads"].builds / tree
    directory.mkdir(parents=True)
    entries = [{"file": str(tidy.HOUSES["workloads"].sources / name)} for name in names]
    (directory / "compile_commands.json").write_text(json.dumps(entries))


def test_looking_at_nothing_while_there_are_sources_is_lacking_and_said(
    tidy: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    assert tidy.main([]) == 4
    assert "not looked at: 2 of 2 sources of workloads/: ./dev mpi " in capsys.readouterr().out


def test_sources_that_no_tree_compiles_are_counted(
    tidy: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    compiled(tidy, "tests", "one.cpp")
    assert tidy.main([]) == 0
    out = capsys.readouterr().out
    assert "not looked at: 1 of 2 sources" in out
    assert "1 files, 0 with complaints" in out


def test_nothing_is_said_where_some_tree_compiles_each_source(
    tidy: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    compiled(tidy, "plain", "one.cpp")
    compiled(tidy, "mpich", "one.cpp", "two.cpp")
    assert tidy.main([]) == 0
    assert capsys.readouterr().out == "2 files, 0 with complaints\n"


def test_complaints_are_shown_and_fail(
    tidy: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    compiled(tidy, "plain", "one.cpp", "two.cpp")
    monkeypatch.setattr(
        tidy, "complaints", lambda house, path, tree: f"{path.name}: bad" * (path.stem == "two")
    )
    assert tidy.main([]) == 1
    assert capsys.readouterr().out == "two.cpp: bad2 files, 1 with complaints\n"


def test_with_changed_only_changed_sources_and_their_includers_are_looked_at(
    tidy: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tidy.HOUSES["workloads"].sources / "two.cpp").write_text('#include "agm/order.hpp"\n')
    compiled(tidy, "tests", "one.cpp", "two.cpp")
    looked_at: list[str] = []
    monkeypatch.setattr(tidy, "complaints", lambda house, path, tree: looked_at.append(path.name) or "")
    for changed, names in (("one.cpp", ["one.cpp"]), ("agm/order.hpp", ["two.cpp"]), ("README.md", [])):
        looked_at.clear()
        monkeypatch.setattr(
            tidy, "changed_files", lambda name=changed: {tidy.HOUSES["workloads"].sources / name}
        )
        assert tidy.main(["--changed"]) == 0
        assert looked_at == names
        assert f"{len(names)} files, 0 with complaints" in capsys.readouterr().out


def test_changed_files_are_those_that_git_lists_new_ones_among_them(
    tidy: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(tidy, "ROOT", tmp_path)
    assert tidy.changed_files() == set()
    git = ["git", "-C", str(tmp_path), "-c", "user.name=t", "-c", "user.email=t@t"]
    (tmp_path / "old.cpp").write_text("one")
    for words in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "one"]):
        subprocess.run([*git, *words], check=True)
    assert tidy.changed_files() == set()
    (tmp_path / "old.cpp").write_text("two")
    (tmp_path / "new.cpp").touch()
    assert tidy.changed_files() == {tmp_path / "old.cpp", tmp_path / "new.cpp"}


def test_sources_of_native_are_looked_at_by_the_tree_of_their_tests(
    tidy: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    house = tidy.HOUSES["native"]._replace(sources=tmp_path / "native", builds=tmp_path / "build")
    monkeypatch.setitem(tidy.HOUSES, "native", house)
    for name in ("runner/one.cpp", "kernels/module.cpp"):
        (house.sources / name).parent.mkdir(parents=True, exist_ok=True)
        (house.sources / name).touch()
    assert tidy.main(["native"]) == 4
    assert "not looked at: 1 of 1 sources of native/: ./dev test" in capsys.readouterr().out
    (house.builds / "release").mkdir(parents=True)
    entries = [{"file": str(house.sources / "runner/one.cpp")}]
    (house.builds / "release" / "compile_commands.json").write_text(json.dumps(entries))
    assert tidy.main(["native"]) == 0
    assert capsys.readouterr().out == "1 files, 0 with complaints\n"
