"""Rows straight from the leaves of a damaged file, for trees whose inner pages are lost.

SQLite finds a leaf by the pages above it only; what a lost one of these pointed to is whole and out of reach.
A leaf says itself what kind of tree it is of, and its rows say by their columns of which table. Format:
https://www.sqlite.org/fileformat2.html, sections 1.6 and 2.1.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import msgspec

Value = int | float | str | bytes | None

_TABLE_LEAF: Final = 0x0D
_INDEX_LEAF: Final = 0x0A
_INDEX_INNER: Final = 0x02
"""Of a table without rowid, inner pages hold rows too."""
_FILE_HEADER_BYTES: Final = 100


class Shape(msgspec.Struct, frozen=True):
    """By what rows of a table are known.

    Attributes
    ----------
    rowid : bool
        Whether the first column is the number of the row, which stands outside of it.
    columns : int
        No other table of a record with rows of that kind has as many.
    """

    rowid: bool
    columns: int


SHAPES: Final = {"block": Shape(True, 8), "trial": Shape(True, 23), "value": Shape(False, 5)}
"""The tables that are large. ``batch`` has as many columns as ``block``, but no row of it has the state of a
block, without which none is taken.
"""


def leaves(file: Path, shape: Shape) -> Iterator[tuple[Value, ...]]:
    """Every row of that shape in any page; what is damaged, or runs over into further pages, is left out."""
    with file.open("rb") as opened:
        header = opened.read(_FILE_HEADER_BYTES)
        if len(header) < _FILE_HEADER_BYTES:
            return
        size = int.from_bytes(header[16:18], "big")
        size = 65536 if size == 1 else size
        usable = size - header[20]
        opened.seek(0)
        first = _FILE_HEADER_BYTES
        while size >= 512 and len(page := opened.read(size)) == size:
            for row in _rows_of(page, first, usable, rowid=shape.rowid):
                if len(row) == shape.columns:
                    yield row
            first = 0


def _rows_of(page: bytes, first: int, usable: int, *, rowid: bool) -> Iterator[tuple[Value, ...]]:
    kind = page[first]
    if kind not in ((_TABLE_LEAF,) if rowid else (_INDEX_LEAF, _INDEX_INNER)):
        return
    (cells,) = struct.unpack_from(">H", page, first + 3)
    pointers = first + (12 if kind == _INDEX_INNER else 8)
    if pointers + 2 * cells > usable:
        return
    # What is longer continues elsewhere.
    most = usable - 35 if rowid else (usable - 12) * 64 // 255 - 23
    for (at,) in struct.iter_unpack(">H", page[pointers : pointers + 2 * cells]):
        try:
            row = _row(page, at + (4 if kind == _INDEX_INNER else 0), usable, most, rowid=rowid)
        except (IndexError, ValueError, OverflowError, struct.error):
            continue
        if row is not None:
            yield row


def _row(page: bytes, at: int, usable: int, most: int, *, rowid: bool) -> tuple[Value, ...] | None:
    length, at = _varint(page, at)
    number = None
    if rowid:
        number, at = _varint(page, at)
    if length > most or at + length > usable:
        return None
    head, place = _varint(page, at)
    body, end = at + head, at + length
    values: list[Value] = []
    while place < at + head:
        code, place = _varint(page, place)
        value, body = _value(page, body, code)
        values.append(value)
    if place != at + head or body != end:
        return None
    if rowid:
        if not values or values[0] is not None:
            return None
        values[0] = number
    return tuple(values)


def _varint(page: bytes, at: int) -> tuple[int, int]:
    """Big-endian, seven bits a byte, eight in the ninth."""
    value = 0
    for place in range(at, at + 8):
        value = value << 7 | page[place] & 0x7F
        if page[place] < 0x80:
            return value, place + 1
    return value << 8 | page[at + 8], at + 9


_INTEGERS: Final[Sequence[int]] = (0, 1, 2, 3, 4, 6, 8)
"""Bytes of the integers with the serial types 0 (NULL) to 6."""


def _value(page: bytes, at: int, code: int) -> tuple[Value, int]:
    if code == 0:
        return None, at
    if code <= 6:
        size = _INTEGERS[code]
        return int.from_bytes(page[at : at + size], "big", signed=True), at + size
    if code == 7:
        return struct.unpack_from(">d", page, at)[0], at + 8
    if code in (8, 9):
        return code - 8, at
    if code < 12:
        raise ValueError(f"serial type {code} is reserved")
    size = (code - 12) // 2
    raw = page[at : at + size]
    return (raw.decode() if code % 2 else raw), at + size
