"""The first page of a damaged file, put back: it says how the file is made and where the list of tables is.

All tables of a record are made at once, in a file of their own, so that this page is the same in every record
but for counters that SQLite does without. Format: https://www.sqlite.org/fileformat2.html, section 1.3.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final

from steelyard.store.database import create_database

_PAGE_BYTES: Final = slice(16, 18)
_CHANGES: Final = slice(24, 28)
_PAGES: Final = slice(28, 32)
_FREE: Final = slice(32, 40)
"""The first page out of use, and how many there are."""
_PAGES_AS_OF: Final = slice(92, 96)
"""The number of changes at which the number of pages was written; of another one, SQLite asks the file."""


def readable(file: Path) -> bool:
    """Whether SQLite finds the list of tables."""
    with closing(sqlite3.connect(file)) as connection:
        try:
            # Without it, SQLite refuses a file that is shorter than its header says.
            connection.execute("PRAGMA writable_schema = ON")
            return bool(connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0])
        except (sqlite3.DatabaseError, UnicodeDecodeError):
            return False


def put_back(file: Path, scratch: Path) -> None:
    """Write the first page of a new record over that of ``file``; ``scratch`` is a name for the new one."""
    try:
        create_database(scratch, durable=False).close()
        new = scratch.read_bytes()
    finally:
        scratch.unlink(missing_ok=True)
    page = bytearray(new[: int.from_bytes(new[_PAGE_BYTES], "big")])
    pages = file.stat().st_size // len(page)
    page[_CHANGES] = page[_PAGES_AS_OF] = (1).to_bytes(4, "big")
    page[_PAGES] = pages.to_bytes(4, "big")
    page[_FREE] = bytes(8)
    with file.open("r+b") as opened:
        opened.write(page)
