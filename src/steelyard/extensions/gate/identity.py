"""Sides that cannot differ: one program byte for byte, and no other file of the trees that it could read."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Final

SOURCES: Final = frozenset(
    {".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".hxx", ".rs", ".go", ".s", ".S"}
)
"""Suffixes of files that a program was built from; those below ``testdata`` are read by it."""
NAMES: Final = frozenset({"go.mod", "go.sum", "Cargo.toml", "Cargo.lock", "CMakeLists.txt", "Makefile"})
"""Files that say how it is built."""
APART: Final = frozenset({".git", ".steelyard"})
DATA: Final = "testdata"
ELF: Final = b"\x7fELF"
_CHUNK: Final = 2**20


def is_compiled(program: Path) -> bool:
    """Whether a program is machine code; a script may read or compile any file when it runs."""
    with program.open("rb") as file:
        return file.read(len(ELF)) == ELF


def have_same_data(base: Path, head: Path, beside: Collection[Path]) -> bool:
    """Whether both trees have the same files but for sources.

    Parameters
    ----------
    beside : collection of Path
        Directories that are no part of the trees, should they lie in them.
    """
    files = [sorted(_list_data(root.resolve(), beside)) for root in (base, head)]
    return files[0] == files[1] and all(
        _is_same(base.resolve() / name, head.resolve() / name) for name in files[0]
    )


def _list_data(root: Path, beside: Collection[Path]) -> Iterator[Path]:
    for place, directories, names in os.walk(root):
        directories[:] = [
            name for name in directories if name not in APART and Path(place, name) not in beside
        ]
        below = Path(place).relative_to(root)
        links = [name for name in directories if Path(place, name).is_symlink()]
        for name in (*names, *links):
            if name in APART:
                continue
            is_source = Path(name).suffix in SOURCES or name in NAMES
            if DATA in below.parts or not is_source:
                yield below / name


def _is_same(base: Path, head: Path) -> bool:
    """Whether two files have the same bytes, or two links the same place; what cannot be read differs."""
    if base.is_symlink() or head.is_symlink():
        return base.is_symlink() and head.is_symlink() and base.readlink() == head.readlink()
    try:
        if not (base.is_file() and head.is_file()) or base.stat().st_size != head.stat().st_size:
            return False
        with base.open("rb") as old, head.open("rb") as new:
            while chunk := old.read(_CHUNK):
                if chunk != new.read(_CHUNK):
                    return False
    except OSError:
        return False
    return True
