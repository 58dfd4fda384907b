"""Scratch repositories whose commits are programs that use memory."""

from __future__ import annotations

import pytest
from scratch_repository import Programs


@pytest.fixture
def programs(tmp_path):
    return Programs(tmp_path / "repository")
