"""Places in which an agent works."""

from __future__ import annotations

import pytest

from steelyard.agents.workplace import Workplace


@pytest.fixture
def workplace(tmp_path):
    (tmp_path / "root").mkdir()
    return Workplace(tmp_path / "root", ["sleep", "cargo"])
