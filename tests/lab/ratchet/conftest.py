"""Scratch repositories whose work tree is a program that uses memory."""

from __future__ import annotations

import pytest
from scratch_repository import Programs


@pytest.fixture
def programs(tmp_path):
    return Programs(tmp_path / "repository")
