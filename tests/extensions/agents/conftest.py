"""Places in which an agent works."""

from __future__ import annotations

from pathlib import Path

import pytest

from steelyard.extensions.agents.workplace import Workplace


@pytest.fixture
def workplace(tmp_path: Path) -> Workplace:
    (tmp_path / "root").mkdir()
    return Workplace(tmp_path / "root", ["sleep", "cargo"])
