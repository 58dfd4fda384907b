"""The files that a build left, and whether they are still as it left them."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import msgspec

from steelyard.run.launch.provenance import file_sha256


class BuildOutput(msgspec.Struct, frozen=True):
    """A file that a build left. Its name need not be UTF-8; ``sha256`` of a link is where it leads to."""

    name: bytes
    size_bytes: int
    modified_ns: int
    sha256: str


def output_files(directory: Path) -> Iterator[BuildOutput]:
    """All files and links below a directory, in a fixed order. Raises ``OSError``."""
    for folder, directories, names in os.walk(directory):
        directories.sort()
        # Links to directories stand among the directories.
        for name in sorted([*names, *directories]):
            path = Path(folder, name)
            state = path.lstat()
            if stat.S_ISREG(state.st_mode) or stat.S_ISLNK(state.st_mode):
                relative = os.fsencode(path.relative_to(directory))
                yield BuildOutput(
                    relative, state.st_size, state.st_mtime_ns, _compute_content_sha256(path, state)
                )


def is_as_built(directory: Path, file: BuildOutput) -> bool:
    """Whether a file has the contents that it was built with; read only if its time or size differ."""
    path = directory / os.fsdecode(file.name)
    try:
        state = path.lstat()
        if (state.st_size, state.st_mtime_ns) == (file.size_bytes, file.modified_ns):
            return True
        return _compute_content_sha256(path, state) == file.sha256
    except OSError:
        return False


def _compute_content_sha256(path: Path, state: os.stat_result) -> str:
    return f"link to {path.readlink().as_posix()!a}" if stat.S_ISLNK(state.st_mode) else file_sha256(path)
