"""Makes ``killing`` importable for the tests beside it, and what they share."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


class SmallDisk:
    """A file system of its own that can be filled up, and be turned read-only."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def fill(self, *, leave_bytes: int = 0) -> None:
        """Until only so much is free."""
        with (self.path / "filler").open("wb") as filler:
            free = os.statvfs(self.path)
            filler.write(b"x" * max(0, free.f_bavail * free.f_frsize - leave_bytes))

    def free(self) -> None:
        """Give back what ``fill`` took."""
        (self.path / "filler").unlink()

    def mount(self, options: str) -> None:
        """Mount it anew with other options."""
        subprocess.run(["mount", "-o", f"remount,{options}", str(self.path)], check=True)


@pytest.fixture
def small_disk(tmp_path):
    """2 MB of memory as a disk."""
    path = tmp_path / "disk"
    path.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(path)],
        capture_output=True,
        text=True,
        check=False,
    )
    if mounted.returncode != 0:
        pytest.skip(f"a small disk cannot be mounted here: {mounted.stderr.strip()}")
    yield SmallDisk(path)
    subprocess.run(["umount", "-l", str(path)], check=True)
