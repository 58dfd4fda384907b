"""Directories of ours in somebody's tree, which git does not list."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Final

from steelyard.files.plain import make_directory, open_plain

_IGNORE: Final = ".gitignore"


def make_unlisted(directory: Path) -> None:
    """Make a directory, and one above it whose ``.gitignore`` keeps both out of git.

    A tree may come from a stranger: no link in it is followed, and a ``.gitignore`` that exists stays.

    Raises
    ------
    NotPlainError
        One of the two directories is a link.
    OSError
        They cannot be written.
    """
    top = directory.parent
    make_directory(directory, within=top.parent)
    keep_unlisted(top, within=top.parent)


def keep_unlisted(directory: Path, *, within: Path | None = None) -> None:
    """Keep what lies in a directory out of git, which lists it where it is in a work tree.

    Raises
    ------
    NotPlainError, OSError
        As ``open_plain``.
    """
    with suppress(FileExistsError):
        descriptor = open_plain(directory / _IGNORE, os.O_WRONLY | os.O_CREAT | os.O_EXCL, within=within)
        with os.fdopen(descriptor, "wb") as out:
            out.write(b"*\n")
