"""Makes ``made_up`` importable for the tests beside it, and a disk that can be filled."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


@dataclass(frozen=True)
class SmallDisk:
    """A file system of its own that can be filled up, and be turned read-only."""

    path: Path

    def fill(self, *, leave_bytes: int = 0) -> None:
        with (self.path / "filler").open("wb") as filler:
            free = os.statvfs(self.path)
            filler.write(b"x" * max(0, free.f_bavail * free.f_frsize - leave_bytes))

    def free(self) -> None:
        (self.path / "filler").unlink()

    def read_only(self) -> None:
        subprocess.run(["mount", "-o", "remount,ro", str(self.path)], check=True)


@pytest.fixture
def small_disk(tmp_path):
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
