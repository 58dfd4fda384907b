"""The package, copied: programs that meet another one than that which is installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import steelyard
import steelyard._kernels

PACKAGE = Path(steelyard.__file__).parent
START = """
import sys
# An editable install finds the whole package, whatever comes first in the path.
sys.meta_path = [finder for finder in sys.meta_path if "editable" not in type(finder).__module__]
sys.path.insert(0, {place!r})
"""
COMMAND_LINE = "from steelyard.cli import main; main()"


def copy_package(place: Path, ignore: Callable[[str, list[str]], set[str]]) -> Path:
    """Copy it into a directory, without what is ignored."""
    shutil.copytree(PACKAGE, place / "steelyard", ignore=ignore)
    shutil.copy(steelyard._kernels.__file__, place / "steelyard")
    return place


def run_copy(place: Path, program: str, *words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run Python text with the copy."""
    return subprocess.run(
        [sys.executable, "-c", START.format(place=str(place)) + program, *words],
        cwd=cwd,
        env={**os.environ, "HOME": str(cwd)},
        capture_output=True,
        text=True,
        check=False,
    )
