"""Digests of a record's pages, written when a writer leaves it and checked when it is opened.

SQLite notices damage to its structure and takes a flipped bit in a number for another number. While nobody
writes, the file of a record does not change; the BLAKE2b of each of its pages lies beside it. A page is some
30 trials, and what damage costs when a record is recovered. A record without digests (of an older version, or
whose writer was killed) is read as it is; and so is one that another program has written to since, which
SQLite's counter of changes shows.

The document is ``steelyard/digests``. History: version 1, the first.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec

from steelyard.core.errors import RecordError
from steelyard.files.plain import read_plain, remove_plain, write_plain

NAME: Final = "record.digests"
"""Beside the file of a record."""

FORMAT: Final = "steelyard/digests"
VERSION: Final = 1

_DIGEST_BYTES: Final = 8
"""Of a page: damage passes for data once in 2^64 times."""
_COUNTER: Final = slice(24, 28)
"""In the header of an SQLite file, how often it was changed."""
_PAGE_BYTES: Final = slice(16, 18)
_FIRST_TRUNK: Final = slice(32, 36)
"""In the header, the first page of the list of free ones."""
_HEADER_BYTES: Final = 100


class Digests(msgspec.Struct, frozen=True):
    """Digests of a file.

    Attributes
    ----------
    changes : int
        SQLite's counter of changes when they were written.
    page_bytes : int
    pages : str
        Of each page in turn, 16 hexadecimal digits.
    sha256 : str
        Of the text of ``pages``.
    """

    format: str
    version: int
    changes: int
    page_bytes: int
    pages: str
    sha256: str


def write_digests(file: Path) -> None:
    """Write the digests of a record that nobody writes to any more; nothing where there is no space."""
    changes, page_bytes = _compute_header(file)
    pages = "".join(_list_pages(file, page_bytes))
    sha256 = hashlib.sha256(pages.encode()).hexdigest()
    digests = Digests(FORMAT, VERSION, changes, page_bytes, pages, sha256)
    with suppress(OSError):
        write_plain(file.with_name(NAME), msgspec.json.encode(digests) + b"\n")


def remove_digests(file: Path) -> None:
    """Remove them before the record changes."""
    remove_plain(file.with_name(NAME))


def damaged_pages(file: Path) -> list[int]:
    """Numbers, from 1, of the pages that are not as they were written; none without digests.

    Raises
    ------
    RecordError
        The digests themselves are damaged.
    """
    place = file.with_name(NAME)
    for _ in range(2):
        text = read_plain(place, may_have_names=True)
        if text is None:
            return []
        digests = _decode(text, place)
        if digests is None or _compute_header(file) != (digests.changes, digests.page_bytes):
            return []
        pages, width = list(_list_pages(file, digests.page_bytes)), 2 * _DIGEST_BYTES
        texts = [digests.pages[at : at + width] for at in range(0, len(digests.pages), width)]
        damaged = [
            number
            for number in range(1, max(len(pages), len(texts)) + 1)
            if pages[number - 1 : number] != texts[number - 1 : number]
        ]
        if damaged:
            free = _list_free_pages(file, digests.page_bytes)
            damaged = [number for number in damaged if number not in free]
        # A writer may have come meanwhile, who removes the digests before he changes a page.
        if not damaged or read_plain(place, may_have_names=True) == text:
            return damaged
    return []


def has_own_digests(file: Path) -> bool:
    """Whether the digests beside a file are of it: nobody but Steelyard has changed it since.

    Pages that are not as written are found by ``damaged_pages``, not here.
    """
    try:
        text = read_plain(file.with_name(NAME), may_have_names=True)
        digests = None if text is None else _decode(text, file.with_name(NAME))
        return digests is not None and _compute_header(file) == (digests.changes, digests.page_bytes)
    except (OSError, RecordError):
        return False


def read_page_bytes(file: Path) -> int | None:
    """Size of the pages of a record whose own first page is lost; ``None`` where its digests do not tell."""
    place = file.with_name(NAME)
    try:
        digests = _decode(read_plain(place, may_have_names=True) or b"", place)
    except (OSError, RecordError):
        return None
    return None if digests is None else digests.page_bytes


def _decode(text: bytes, place: Path) -> Digests | None:
    """Return the digests; ``None`` of a newer version."""
    try:
        digests = msgspec.json.decode(text, type=Digests)
    except msgspec.DecodeError:
        digests = None
    if digests is not None and digests.format == FORMAT and digests.version > VERSION:
        return None
    if (
        digests is None
        or digests.format != FORMAT
        or hashlib.sha256(digests.pages.encode()).hexdigest() != digests.sha256
    ):
        raise RecordError(
            f"{place} is damaged, so the record cannot be checked",
            hint=f"restore it from a copy, or read the record as it is: rm {place}",
        )
    return digests


def _compute_header(file: Path) -> tuple[int, int]:
    """How often the file was changed, and the size of its pages."""
    with file.open("rb") as opened:
        header = opened.read(_HEADER_BYTES)
    page_bytes = int.from_bytes(header[_PAGE_BYTES], "big")
    # A page of 65,536 bytes is written as 1.
    return int.from_bytes(header[_COUNTER], "big"), 65536 if page_bytes == 1 else page_bytes


def _list_pages(file: Path, page_bytes: int) -> Iterator[str]:
    with file.open("rb") as opened:
        while page := opened.read(page_bytes):
            yield hashlib.blake2b(page, digest_size=_DIGEST_BYTES).hexdigest()


def _list_free_pages(file: Path, page_bytes: int) -> set[int]:
    """List the pages that hold nothing, whose content SQLite does not restore with a transaction."""
    free: set[int] = set()
    trunks: set[int] = set()
    with file.open("rb") as opened:
        trunk = int.from_bytes(opened.read(_HEADER_BYTES)[_FIRST_TRUNK], "big")
        while trunk and trunk not in trunks:
            trunks.add(trunk)
            opened.seek((trunk - 1) * page_bytes)
            words = [int.from_bytes(opened.read(4), "big") for _ in range(2)]
            count = min(words[1], page_bytes // 4 - 2)
            free |= {int.from_bytes(opened.read(4), "big") for _ in range(count)}
            trunk = words[0]
    return free
