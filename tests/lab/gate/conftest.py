"""Scratch repositories whose commits are suites of benchmarks."""

from __future__ import annotations

import pytest
from scratch_repository import Suites


@pytest.fixture
def suites(tmp_path):
    return Suites(tmp_path / "repository")
