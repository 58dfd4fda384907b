"""The parts of ``./dev`` lie in scripts/, outside of the package."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "scripts"))

from door import installation, stages


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small project, in which the door believes itself."""
    for path in (
        "requirements/run.txt",
        "native/runner/main.cpp",
        "src/steelyard/core/units.py",
        "pyproject.toml",
    ):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(path)
    for module in (stages, installation):
        monkeypatch.setattr(module, "ROOT", tmp_path)
        monkeypatch.setattr(module, "VENV", tmp_path / ".venv")
    monkeypatch.setattr(installation, "STAMP", tmp_path / ".venv" / "steelyard-setup.json")
    return tmp_path
