from __future__ import annotations

import pytest

from steelyard.core.errors import MachineError
from steelyard.run.native import HEAP, RANKS, RUNNER, native_file


@pytest.fixture
def beside(tmp_path, monkeypatch):
    """A directory with a runner and what lies beside it, as an installation leaves them."""
    for name in (RUNNER, HEAP, RANKS):
        (tmp_path / name).write_bytes(b"")
        (tmp_path / name).chmod(0o644 if name.endswith(".so") else 0o755)
    monkeypatch.setenv("STEELYARD_RUNNER", str(tmp_path / RUNNER))
    return tmp_path


@pytest.mark.parametrize("name", [RUNNER, HEAP, RANKS])
def test_each_part_is_found_beside_the_runner_and_a_library_need_not_be_executable(beside, name):
    assert native_file(name) == beside / name


def test_a_part_that_is_not_there_is_named(beside):
    (beside / HEAP).unlink()
    with pytest.raises(MachineError, match=r"steelyard-heap\.so is missing beside the runner"):
        native_file(HEAP)


def test_a_program_that_may_not_be_executed_is_not_there(beside):
    (beside / RUNNER).chmod(0o644)
    with pytest.raises(MachineError, match="steelyard-runner, which cannot be executed"):
        native_file(RUNNER)


def test_all_parts_are_installed_with_the_package(monkeypatch):
    monkeypatch.delenv("STEELYARD_RUNNER", raising=False)
    try:
        runner = native_file(RUNNER)
    except MachineError as error:
        pytest.skip(f"the package is used from its sources: {error}")
    assert [native_file(name).parent for name in (HEAP, RANKS)] == [runner.parent] * 2
