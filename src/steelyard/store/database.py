"""Opening, closing and failing of the SQLite file, in words that a person can act on."""

from __future__ import annotations

import errno
import os
import shlex
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from steelyard.core.errors import UPGRADE, MachineError, RecordBusyError, RecordError
from steelyard.files.plain import refuse_replaced
from steelyard.store.digests import damaged_pages, remove_digests, write_digests
from steelyard.store.schema import APPLICATION_ID, TABLES, VERSION

BUSY_TIMEOUT_S: Final = 10.0
"""Time to wait for a transaction of another process; ours last milliseconds."""

_MAGIC = b"SQLite format 3\0"
_SQLITE_NEEDED = (3, 37, 0)
_ALMOST_FULL_BYTES = 1 << 16
_PAGES_NAMED = 5

SMALL_PAGE_BYTES: Final = 512
"""Of a record of few trials, in which most of the 17 tables and indexes fill one page each."""
LARGE_PAGE_BYTES: Final = 4096
"""Of a record of many trials, which are read in two thirds of the time that small pages take."""
MANY_TRIALS: Final = 10_000
"""Trials from which a record that is known to get them has large pages from its beginning."""
_LARGE_BYTES: Final = 1 << 20
"""Size of a file from which small pages are replaced when its writer leaves; it takes 20 ms."""


def create_database(
    path: Path, *, durable: bool = True, page_bytes: int = SMALL_PAGE_BYTES, tables: str = TABLES
) -> sqlite3.Connection:
    """Make a new record at ``path``, empty tables only.

    Parameters
    ----------
    durable : bool
        Whether each transaction waits for the disk, and can be taken back there. Not where nobody sees the
        file before it is filled and synchronised: a rollback journal is made and deleted for each, 2 ms.
    page_bytes : int
        Size of its pages, which stays while it is open.
    tables : str
        Those of the version of the format that is wanted.

    Raises
    ------
    MachineError
        This Python's SQLite knows no strict tables.
    """
    if sqlite3.sqlite_version_info < _SQLITE_NEEDED:
        needed = ".".join(map(str, _SQLITE_NEEDED))
        raise MachineError(
            f"this Python has SQLite {sqlite3.sqlite_version}, and records need {needed}",
            hint="use a newer Python, for example: uv python install 3.13",
        )
    connection = _connect(path, "rwc")
    connection.execute(f"PRAGMA page_size = {page_bytes}")
    if not durable:
        connection.executescript("PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF;")
    header = f"PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {VERSION};"
    connection.executescript(f"BEGIN; {tables} {header} COMMIT;")
    return connection


def open_writer(path: Path) -> sqlite3.Connection:
    """Return a connection for the holder of the lock.

    Raises
    ------
    RecordError
        See `inspect`; or it cannot be written, or is not as it was written.
    """
    inspect(path)
    refuse_replaced_files(path, for_writing=True)
    refuse_changed_pages(path)
    if not os.access(path, os.W_OK):
        raise RecordError(
            f"{path} cannot be written",
            hint=f"make it writable, or work on a copy: cp -r {quote(path.parent)} COPY",
        )
    remove_digests(path)
    connection = _connect(path, "rw")
    try:
        prepare_writing(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def prepare_writing(connection: sqlite3.Connection) -> None:
    """Let readers read while we write: a write-ahead log, where the file system can.

    Measured in docs/decisions/records/005-record.md: a transaction costs a tenth of what a rollback journal
    costs.
    """
    connection.execute("PRAGMA foreign_keys = ON")
    # Network file systems have no shared memory; there the file keeps its mode, and readers wait for writers.
    connection.execute("PRAGMA journal_mode = WAL")
    # What is moved from the runner's journal is still in that journal, which is synchronised as it grows and
    # deleted only when the tables are on the disk: a transaction lost with the power is moved again.
    set_durable(connection, durable=False)


def set_durable(connection: sqlite3.Connection, *, durable: bool) -> None:
    """Whether the next transactions wait for the disk. What exists nowhere else (a block's order) must."""
    connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")


def open_reader(path: Path) -> sqlite3.Connection:
    """Return a connection that changes no byte of the record, on read-only media too.

    Raises
    ------
    RecordError
        See `inspect`; or it is not as it was written.
    """
    inspect(path)
    refuse_replaced_files(path, for_writing=False)
    refuse_changed_pages(path)
    if not os.access(path.parent, os.W_OK) and not is_in_the_middle(path):
        # Nobody can write here: nobody to be protected from, and nowhere to put locks or shared memory.
        return _connect(path, "ro", immutable=True)
    try:
        return _connect_and_read(path, "ro")
    except sqlite3.OperationalError as error:
        if _compute_primary(error) not in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY):
            raise
        if not os.access(path.parent, os.W_OK):
            raise RecordError(
                f"{path} was left in the middle of a write, and cannot be recovered where nothing can be"
                " written",
                hint=f"read a copy: cp -r {quote(path.parent)} COPY",
            ) from error
    # A writer was killed while it changed how the file is written. Only a connection that may write takes its
    # half of a change back; afterwards every reader can read.
    _connect_and_read(path, "rw").close()
    return _connect_and_read(path, "ro")


def refuse_replaced_files(path: Path, *, for_writing: bool) -> None:
    """Refuse a record whose files are not plain files, before SQLite opens them by path and follows links.

    Raises
    ------
    NotPlainError
    """
    beside = [path.with_name(f"{path.name}-{suffix}") for suffix in ("wal", "shm", "journal")]
    refuse_replaced(*([path] if for_writing else []), *beside)


def close_writer(connection: sqlite3.Connection, path: Path, *, digests: bool = True) -> None:
    """Leave one file that can be read from read-only media, and its ``digests`` if they are wanted.

    Where a reader is at it, the next writer does so.
    """
    connection.execute("PRAGMA busy_timeout = 200")
    try:
        # From now on, changes are noted in another file than before, which is opened by its name.
        refuse_replaced(path.with_name(f"{path.name}-journal"))
        # Moves everything into the file, and deletes the other one unshortened, which may take 20 ms.
        connection.execute("PRAGMA journal_mode = DELETE")
        _fit_pages(connection, path)
    except sqlite3.OperationalError as error:
        if _compute_primary(error) not in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            raise
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    finally:
        connection.close()
    if digests and not is_in_the_middle(path):
        write_digests(path)


def _fit_pages(connection: sqlite3.Connection, path: Path) -> None:
    """Give a file that has grown large the pages of a large one; as it is where the disk has no space."""
    ((page_bytes,),) = connection.execute("PRAGMA page_size").fetchall()
    if page_bytes < LARGE_PAGE_BYTES and _compute_size(path) >= _LARGE_BYTES:
        with suppress(sqlite3.OperationalError):
            set_durable(connection, durable=True)
            rewrite_pages(connection)


def rewrite_pages(connection: sqlite3.Connection) -> None:
    """Rewrite the file, which has no write-ahead log, with large pages; all of it or nothing."""
    connection.execute(f"PRAGMA page_size = {LARGE_PAGE_BYTES}")
    connection.execute("VACUUM")


def refuse_changed_pages(path: Path) -> None:
    """Raise `RecordError` where the record is not what its last writer left."""
    if is_in_the_middle(path) or not (pages := damaged_pages(path)):
        return
    numbers = ", ".join(map(str, pages[:_PAGES_NAMED])) + (", …" if len(pages) > _PAGES_NAMED else "")
    text = f"page {numbers} is" if len(pages) == 1 else f"{len(pages):,} pages ({numbers}) are"
    raise make_damage_error(path, f"{text} not as written (its digest differs)")


def inspect(path: Path) -> None:
    """Look at the header alone, without SQLite, which would repair what it finds.

    Raises
    ------
    RecordError
        No such record, not a record, of a newer version, or truncated.
    """
    directory = path.parent
    if not directory.exists():
        raise RecordError(f"{directory} does not exist", hint="run the experiment first: steelyard run SPEC")
    if not path.is_file():
        raise RecordError(
            f"{directory} is not a record: it has no {path.name}",
            hint="name the directory that `steelyard run` made; it ends in .lab",
        )
    with path.open("rb") as file:
        header = file.read(100)
    if not header.startswith(_MAGIC) or len(header) < 100:
        raise RecordError(
            f"{path} is not a record: it does not begin as an SQLite file does",
            hint=f"restore it from a copy, copy what can still be read if it was a record"
            f" (steelyard recover {quote(directory)} COPY.lab), or name another one",
        )
    application, version = int.from_bytes(header[68:72], "big"), int.from_bytes(header[60:64], "big")
    if application != APPLICATION_ID:
        raise RecordError(
            f"{path} is a database of another program (application id {application:#010x})",
            hint="name the directory that `steelyard run` made; it ends in .lab",
        )
    if version > VERSION:
        raise RecordError(
            f"{path} has format {version}, and this Steelyard reads formats up to {VERSION}",
            hint=UPGRADE,
        )
    missing = _compute_missing_bytes(path, header)
    if missing:
        raise make_damage_error(path, f"its last {missing:,} bytes are missing")


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turn what SQLite or the system says about the record at ``path`` into a `RecordError`."""
    try:
        yield
    except sqlite3.ProgrammingError:
        # Ours, never the file's.
        raise
    except sqlite3.Error as error:
        raise _make_explanation(path, error) from error
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise _make_full(path) from error
        raise RecordError(
            f"{path.parent}: {_read_reason(error)}",
            hint=f"check the permissions: ls -ld {quote(Path(error.filename or path).parent)}",
        ) from error
    except UnicodeDecodeError as error:
        # What SQLite says of a damaged schema quotes the damage, which may not be UTF-8.
        raise make_damage_error(path, "its tables cannot be read") from error
    except UnicodeEncodeError as error:
        raise RecordError(
            f"{path.parent}: {error.object!r} is not valid text", hint="write names and levels in UTF-8"
        ) from error


def _read_reason(error: OSError) -> str:
    """Return what the system says; of many files that could not be copied, about the first."""
    if isinstance(error, shutil.Error):
        _, _, reason = error.args[0][0]
        return str(reason)
    return error.strerror or str(error)


def _make_explanation(path: Path, error: sqlite3.Error) -> RecordError:
    code = _compute_primary(error)
    if code == sqlite3.SQLITE_FULL or (code == sqlite3.SQLITE_IOERR and _is_full(path)):
        return _make_full(path)
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_CANTOPEN):
        return RecordError(
            f"{path} cannot be opened or written: {error}",
            hint=f"make {path.parent} writable, or work on a copy: cp -r {quote(path.parent)} COPY",
        )
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return RecordBusyError(
            f"{path} has been kept locked by another program for {BUSY_TIMEOUT_S:.0f} s",
            hint=f"see who has it open: fuser {quote(path)}",
        )
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB) or not hasattr(error, "sqlite_errorcode"):
        return make_damage_error(path, str(error))
    if code == sqlite3.SQLITE_IOERR:
        return _make_disk_error(path, error)
    return RecordError(f"{path}: {error}", hint=f"check it: sqlite3 {quote(path)} 'PRAGMA integrity_check'")


def _make_disk_error(path: Path, error: sqlite3.Error) -> RecordError:
    limit_bytes = _find_size_limit()
    if limit_bytes is not None:
        return RecordError(
            f"{path}: {error}, where no file may be larger than {limit_bytes:,} bytes",
            hint="raise the limit of file sizes: ulimit -f unlimited",
        )
    return RecordError(
        f"{path}: the disk reports an error: {error}", hint="see what `dmesg` says of the disk"
    )


def _find_size_limit() -> int | None:
    """Bytes that a file may have; ``None`` where there is no limit, or the system has none."""
    try:
        import resource
    except ModuleNotFoundError:
        return None
    limit_bytes, _ = resource.getrlimit(resource.RLIMIT_FSIZE)
    return None if limit_bytes == resource.RLIM_INFINITY else limit_bytes


def _make_full(path: Path) -> RecordError:
    return RecordError(
        f"{path.parent}: the disk is full",
        hint="free space there, then give the same command again; what was measured is kept",
    )


def make_damage_error(path: Path, problem: str) -> RecordError:
    """Return the error for a record that is not what it should be."""
    return RecordError(
        f"{path} is damaged: {problem}",
        hint=f"copy what can still be read: steelyard recover {quote(path.parent)} COPY.lab",
    )


def _compute_missing_bytes(path: Path, header: bytes) -> int:
    """Bytes by which the file is shorter than its header says."""
    if is_in_the_middle(path):
        return 0
    page_bytes = int.from_bytes(header[16:18], "big")
    # A page of 65,536 bytes is written as 1.
    count = int.from_bytes(header[28:32], "big") * (65536 if page_bytes == 1 else page_bytes)
    return max(0, count - _compute_size(path))


def quote(path: Path) -> str:
    """Return the path as a word of a command that a person may copy."""
    return shlex.quote(str(path))


def is_in_the_middle(path: Path) -> bool:
    """Whether somebody is or was writing, which SQLite finishes or takes back when it opens the file."""
    return any(_compute_size(path.with_name(path.name + suffix)) for suffix in ("-wal", "-journal"))


def _compute_size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:  # Also where a writer has removed it since it was looked for.
        return 0


def _is_full(path: Path) -> bool:
    place = next(parent for parent in path.absolute().parents if parent.exists())
    return shutil.disk_usage(place).free < _ALMOST_FULL_BYTES


def _compute_primary(error: sqlite3.Error) -> int:
    # Errors of the module itself carry no code.
    return getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF


def _connect_and_read(path: Path, mode: str) -> sqlite3.Connection:
    connection = _connect(path, mode)
    try:
        connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    except BaseException:
        connection.close()
        raise
    return connection


def _connect(path: Path, mode: str, *, immutable: bool = False) -> sqlite3.Connection:
    uri = f"{path.absolute().as_uri()}?mode={mode}" + ("&immutable=1" if immutable else "")
    return sqlite3.connect(uri, uri=True, timeout=BUSY_TIMEOUT_S, isolation_level=None)
