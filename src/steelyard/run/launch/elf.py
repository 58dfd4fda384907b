"""Build id and loader of an ELF file.

System V ABI, gABI 4.1, chapters 4 and 5 (file header, program header, notes). Files are input that nobody
vouches for: every number read from one is bounded before it is used.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Final

import msgspec

_PT_INTERP: Final = 3
_PT_NOTE: Final = 4
_NT_GNU_BUILD_ID: Final = 3
_MOST_SEGMENTS: Final = 4096
_MOST_BYTES: Final = 1 << 16
"""Longest segment that is read; notes and paths are far shorter."""


class ElfFacts(msgspec.Struct, frozen=True):
    """Properties of an ELF file.

    Attributes
    ----------
    build_id : str or None
        Hexadecimal; ``None`` where the linker wrote none.
    loader : str or None
        The dynamic loader that the kernel starts first; ``None`` for a static program.
    """

    build_id: str | None = None
    loader: str | None = None


def read_elf(path: Path) -> ElfFacts | None:
    """Return the facts of an ELF file.

    ``None`` for any other file, and for one whose headers contradict themselves.

    Raises
    ------
    OSError
        The file cannot be read.
    """
    with path.open("rb") as file:
        if file.read(4) != b"\x7fELF":
            return None
        try:
            return _make_facts(file)
        except (struct.error, ValueError):
            return None


def _make_facts(file: BinaryIO) -> ElfFacts:
    wide, order = file.read(1) == b"\x02", "<" if file.read(1) == b"\x01" else ">"
    build_id = loader = None
    for kind, content in _list_segments(file, order, wide=wide):
        if kind == _PT_INTERP and loader is None:
            loader = content.rstrip(b"\0").decode(errors="replace")
        elif kind == _PT_NOTE and build_id is None:
            build_id = _build_id(content, order)
    return ElfFacts(build_id, loader)


def _list_segments(file: BinaryIO, order: str, *, wide: bool) -> Iterator[tuple[int, bytes]]:
    """Kind and contents of the segments that tell something."""
    table_at, size, count = _compute_program_headers(file, order, wide=wide)
    layout = struct.Struct(order + ("IIQQQQQQ" if wide else "IIIIIIII"))
    for index in range(min(count, _MOST_SEGMENTS)):
        fields = layout.unpack(_read_at(file, table_at + index * size, layout.size))
        # p_offset and p_filesz: fields 2 and 5 of a 64-bit header, 1 and 4 of a 32-bit one.
        offset, length = (fields[2], fields[5]) if wide else (fields[1], fields[4])
        if fields[0] in (_PT_INTERP, _PT_NOTE):
            yield fields[0], _read_at(file, offset, min(length, _MOST_BYTES))


def _compute_program_headers(file: BinaryIO, order: str, *, wide: bool) -> tuple[int, int, int]:
    """Offset, entry size and number of the program headers."""
    (table_at,) = struct.unpack(
        order + ("Q" if wide else "I"), _read_at(file, *((32, 8) if wide else (28, 4)))
    )
    size, count = struct.unpack(order + "HH", _read_at(file, 54 if wide else 42, 4))
    return table_at, size, count


def _read_at(file: BinaryIO, offset: int, length: int) -> bytes:
    if offset > os.fstat(file.fileno()).st_size:
        raise ValueError("a place behind the end of the file")
    file.seek(offset)
    return file.read(length)


def _build_id(notes: bytes, order: str) -> str | None:
    at = 0
    while at + 12 <= len(notes):
        name_bytes, value_bytes, kind = struct.unpack_from(order + "III", notes, at)
        name_at = at + 12
        value_at = name_at + _align(name_bytes)
        if kind == _NT_GNU_BUILD_ID and notes[name_at : name_at + name_bytes] == b"GNU\0":
            value = notes[value_at : value_at + value_bytes]
            return value.hex() if value and len(value) == value_bytes else None
        at = value_at + _align(value_bytes)
    return None


def _align(length: int) -> int:
    return (length + 3) & ~3
