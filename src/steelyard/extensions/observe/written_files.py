"""Files that a program writes in its working directory, found by looking before and after a run."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

MOST_ENTRIES: Final = 20_000
"""Entries that are looked at, some 0.1 s of work: a home directory or a source tree of a kernel has more."""

Stamp = tuple[int, int, int, int]
"""Inode, size, and the times of modification and of status change in nanoseconds."""


def list_files(directory: Path, apart_from: Path) -> Mapping[str, Stamp] | None:
    """Path, relative to the directory, to the stamp of every regular file below it.

    Links to directories and other file systems are not entered.

    Parameters
    ----------
    apart_from : Path
        A directory of our own, which is left out.

    Returns
    -------
    Mapping or None
        ``None`` where there are more than ``MOST_ENTRIES`` entries.
    """
    stamps: dict[str, Stamp] = {}
    device = directory.stat().st_dev
    excluded = os.path.realpath(apart_from)
    count = 0
    pending = [os.path.realpath(directory)]
    root = pending[0]
    while pending:
        for entry in _list_entries(pending.pop()):
            count += 1
            if count > MOST_ENTRIES:
                return None
            try:
                status = entry.stat(follow_symlinks=False)
            except OSError:  # gone meanwhile
                continue
            if stat.S_ISDIR(status.st_mode):
                if status.st_dev == device and entry.path != excluded:
                    pending.append(entry.path)
            elif stat.S_ISREG(status.st_mode):
                stamps[os.path.relpath(entry.path, root)] = (
                    status.st_ino,
                    status.st_size,
                    status.st_mtime_ns,
                    status.st_ctime_ns,
                )
    return stamps


def changed_files(before: Mapping[str, Stamp], after: Mapping[str, Stamp]) -> Sequence[str]:
    """Files that are new or have another stamp, in the order of their names."""
    return sorted(name for name, stamp in after.items() if before.get(name) != stamp)


def _list_entries(directory: str) -> Iterator[os.DirEntry[str]]:
    try:
        with os.scandir(directory) as entries:
            yield from entries
    except OSError:  # gone meanwhile, or closed to us
        return
