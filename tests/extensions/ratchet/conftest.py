"""Scratch repositories whose work tree is a program that uses memory."""

from __future__ import annotations

from pathlib import Path

import pytest
from scratch_repository import Programs


@pytest.fixture
def programs(tmp_path: Path) -> Programs:
    return Programs(tmp_path / "repository")
