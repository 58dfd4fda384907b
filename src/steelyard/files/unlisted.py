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
    with suppress(FileExistsError):
        descriptor = open_plain(top / _IGNORE, os.O_WRONLY | os.O_CREAT | os.O_EXCL, within=top.parent)
        with os.fdopen(descriptor, "wb") as out:
            out.write(b"*\n")
