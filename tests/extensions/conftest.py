"""What tests of extensions share with those of the lab, of the store and of claims."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1] / "store"))
sys.path.insert(0, str(Path(__file__).parents[1] / "lab"))
sys.path.insert(0, str(Path(__file__).parents[1] / "claims"))
sys.path.insert(0, str(Path(__file__).parents[1] / "report"))

from judged_values import bench, noise, perfect_passes
from scratch_repository import Programs
from small_experiments import make_experiment, run_in

__all__ = ["bench", "make_experiment", "noise", "perfect_passes", "run_in"]


@pytest.fixture
def programs(tmp_path: Path) -> Programs:
    """Provide a scratch repository whose commits are programs that use memory."""
    return Programs(tmp_path / "repository")
