"""A directory tree reached through descriptors: its size, its age, its end; no link in it is followed."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

import msgspec

from steelyard.core.errors import MachineError

_OPENED: Final = os.O_RDONLY | os.O_CLOEXEC | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0)
_BLOCK_BYTES: Final = 512
"""Unit of ``st_blocks``."""


class TreeFacts(msgspec.Struct):
    """Size on the disk, and the time of the latest change (seconds since 1970)."""

    size_bytes: int = 0
    changed_s: float = 0.0

    def add(self, status: os.stat_result) -> None:
        """Count one file or directory."""
        self.size_bytes += status.st_blocks * _BLOCK_BYTES
        self.changed_s = max(self.changed_s, status.st_mtime)


@contextmanager
def open_directory(name: str, parent: int | None = None) -> Iterator[int]:
    """Open a directory, which must not be a link.

    Raises
    ------
    OSError
        It is a link, or no directory, or may not be read.
    """
    descriptor = os.open(name, _OPENED, dir_fd=parent)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def list_names(directory: int) -> list[str]:
    """Return the names in an open directory."""
    with os.scandir(directory) as entries:
        return sorted(entry.name for entry in entries)


def measure_tree(directory: int) -> TreeFacts:
    """Return size and age of an open directory with all in it; what may not be read counts nothing."""
    facts = TreeFacts()
    for _, _, names, descriptor in os.fwalk(".", dir_fd=directory):
        facts.add(os.fstat(descriptor))
        for name in names:
            facts.add(os.stat(name, dir_fd=descriptor, follow_symlinks=False))
    return facts


def remove_tree(name: str, parent: int, is_mark: Callable[[str], bool]) -> None:
    """Remove a directory and all that is in it.

    Files by which it is recognised go last, so that one whose removal was cut short is recognised again.

    Raises
    ------
    MachineError
        Another file system is mounted in it, or a link has taken its place.
    OSError
        A file cannot be removed.
    """
    with open_directory(name, parent) as directory:
        device = os.fstat(directory).st_dev
        if device != os.fstat(parent).st_dev:
            raise MachineError("another file system is mounted there", hint="unmount it")
        os.fchmod(directory, 0o700)  # Some builds leave directories that may not be written.
        for child in sorted(list_names(directory), key=is_mark):
            if stat.S_ISDIR(os.stat(child, dir_fd=directory, follow_symlinks=False).st_mode):
                remove_tree(child, directory, is_mark)
            else:
                os.unlink(child, dir_fd=directory)
    os.rmdir(name, dir_fd=parent)
