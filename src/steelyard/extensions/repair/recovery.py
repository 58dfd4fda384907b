"""A new record from what can still be read of a damaged one."""

from __future__ import annotations

import hashlib
import os
import shutil
import sqlite3
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import closing, suppress
from itertools import product
from pathlib import Path
from typing import Any, Final, Literal

import msgspec
from msgspec.structs import replace

from steelyard.core.errors import RecordError, UsageError
from steelyard.extensions.repair.restoring import restore
from steelyard.files.plain import refuse_replaced
from steelyard.store.chain import Chain, verify_chain
from steelyard.store.creation import SPEC, describe, refuse_existing
from steelyard.store.database import (
    LARGE_PAGE_BYTES,
    SMALL_PAGE_BYTES,
    create_database,
    explained,
    rewrite_pages,
)
from steelyard.store.digests import NAME as DIGESTS
from steelyard.store.digests import damaged_pages, read_page_bytes, write_digests
from steelyard.store.facts import FILE
from steelyard.store.facts import SUMMARY as SEAL
from steelyard.store.rows import canonical
from steelyard.store.schema import TABLES, TABLES_WITHOUT_CHAIN

_KEYS: Final = {
    "record": "rowid", "run": "id", "journal": "name", "treatment": "id", "context": "id", "block": "id",
    "trial": "id", "metric": "id", "labels": "id", "value": "trial", "look": "block",
    "extension": "id", "batch": "first_trial", "warning": "id", "link": "id",
}  # fmt: skip
"""Tables, and what their rows lie in the order of."""

_DEEP: Final = ("block", "trial", "value")
"""Tables large enough for pages that only lead to others. No row of another table fits into one of them."""

_NOT_RESTORED: Final = ("run", "journal", "labels", "look", "batch", "warning")
"""Tables that follow from nothing else. A page of theirs on which something changed is read all the same: all
values have labels, and a changed letter in one shows."""

_RESTORED: Final = ("treatment", "metric", "context")
"""Tables that follow from the spec, from which they are taken first."""

_ALWAYS: Final = _KEYS.keys() - {"extension", "link"}
"""Tables of every version of the format."""

_LARGEST: Final = 2**63 - 1
"""Integer that SQLite can hold."""

_UNREADABLE: Final = (sqlite3.DatabaseError, UnicodeDecodeError)
"""Errors of reading damage: SQLite may quote it in its message, which then is not UTF-8."""

_WITH_EXTENSIONS: Final = 2
"""The first version of the format that has a table for them."""

_WITHOUT_CHAIN: Final = 2
"""The last version of the format in which a record has no digests of what it says."""

_PAGES: Final = slice(28, 32)
"""In the header of the file, how many pages it has; where that is 0, SQLite asks the file."""

_LOST_TRIALS: Final = """
SELECT coalesce(sum(trials), 0) - (SELECT count(*) FROM trial WHERE block IN
    (SELECT id FROM block WHERE state IN ('complete', 'discarded')))
FROM block WHERE state IN ('complete', 'discarded')
"""

_AFTER_THE_END: Final = """
SELECT count(*) FROM trial WHERE run NOT IN (SELECT id FROM run)
    OR run > (SELECT min(id) FROM run WHERE state IN ('complete', 'precision_not_reached'))
"""

# What is lost of it may be found in the text beside the tables.
_BROKEN_SPEC: Final = "DELETE FROM record WHERE NOT json_valid(experiment)"

# Their numbers are damaged, and would pass for the end of the plan.
_STRAY_TRIALS: Final = """
DELETE FROM trial WHERE NOT EXISTS
    (SELECT 1 FROM block WHERE id = trial.block AND trial.id - first_trial BETWEEN 0 AND trials - 1)
"""

# A number that is damaged belongs in a block that is still there, or has no neighbours.
_WITHOUT_BLOCK: Final = """
SELECT count(*), count(DISTINCT block) FROM trial
WHERE block NOT IN (SELECT id FROM block)
  AND NOT EXISTS (SELECT 1 FROM block WHERE trial.id BETWEEN first_trial AND first_trial + trials - 1)
  AND EXISTS (SELECT 1 FROM trial AS other WHERE other.id IN (trial.id - 1, trial.id + 1))
"""

# A trial that is ok has a value of every metric that the spec declares.
_SPOIL_BLOCKS: Final = """
UPDATE block SET state = 'incomplete' WHERE state = 'complete' AND trials >
    (SELECT count(*) FROM trial WHERE trial.id >= first_trial AND trial.id < first_trial + trials
     AND NOT EXISTS (SELECT 1 FROM metric WHERE kind IN ('user', 'derived')
                     AND NOT EXISTS (SELECT 1 FROM value WHERE trial = trial.id AND metric = metric.id)))
"""


_SPOIL_BLOCK_OF: Final = """
UPDATE block SET state = 'incomplete'
WHERE state = 'complete' AND ? BETWEEN first_trial AND first_trial + trials - 1
"""


class Recovered(msgspec.Struct, frozen=True):
    """Outcome of a recovery.

    Attributes
    ----------
    trials, lost_trials : int
        In the new record; finished but not in it.
    spoilt_blocks : int
        Blocks that were complete, and lost trials or values, or are lost themselves.
    spec : {"record", "file"}
        Where the spec was still there: in the tables, or only in the text beside them, which does not say
        what program was measured.
    """

    trials: int
    lost_trials: int
    spoilt_blocks: int
    spec: Literal["record", "file"] = "record"


def recover(damaged: Path, new: Path) -> Recovered:
    """Copy every row that can be read into a new record; ``damaged`` stays as it is.

    Rows whose parents are lost go, and blocks that lost trials or values become incomplete: what is left may
    be analysed, and continued.

    Raises
    ------
    RecordError
        ``new`` exists or is ``damaged``, or not even the spec can be read, neither in the tables nor in the
        text beside them.
    """
    source = damaged / FILE
    if new.resolve() == damaged.resolve():
        raise RecordError(
            f"{new} is the damaged record itself, which stays as it is",
            hint="name a directory that does not exist yet",
        )
    refuse_existing(new)
    with explained(source):
        if not source.is_file():
            text = f"has no {FILE}" if damaged.exists() else "does not exist"
            raise RecordError(f"{damaged} {text}", hint="name the directory of a record: NAME.lab")
    try:
        with explained(new / FILE):
            shutil.copytree(damaged, new, ignore=_skip, copy_function=_copy_file, dirs_exist_ok=True)
            return _rebuild(new, damaged)
    except BaseException:
        shutil.rmtree(new, ignore_errors=True)
        raise


_skip_names: Final = shutil.ignore_patterns("lock", DIGESTS, SEAL)


def _skip(directory: str, names: list[str]) -> set[str]:
    """Names that are not copied; links are refused, as they lead to files that are not of the record."""
    skipped = _skip_names(directory, names)
    for name in names:
        path = Path(directory, name)
        if name not in skipped and not (path.is_dir() and not path.is_symlink()):
            refuse_replaced(path, may_have_names=True)
    return skipped


def _copy_file(source: str, target: str) -> str:
    """Copy a file that no link leads to, should it have been replaced since it was looked at."""
    return str(shutil.copy2(source, target, follow_symlinks=False))


def _rebuild(directory: Path, damaged: Path) -> Recovered:
    # A copy, and its log with it, so that SQLite may finish or take back what was being written.
    old = directory / "damaged.sqlite"
    for path in list(directory.glob(f"{FILE}*")):
        path.rename(path.with_name(path.name.replace(FILE, old.name)))
    lost = _find_changed_pages(damaged / FILE)
    # As it was found, with what changed; numbers of trials are never taken from there.
    doubtful = shutil.copyfile(old, directory / "doubtful.sqlite")
    if lost_first := 1 in lost or not _get_tables(old):
        _replace_first_page(old, directory / "new.sqlite", read_page_bytes(damaged / FILE))
    _clear_pages(old, [page for page in lost if page > 1])
    _cut_to_pages(old)
    present = _get_tables(old)
    with (
        closing(_open(old)) as source,
        closing(_open(doubtful)) as doubted,
        closing(create_database(directory / FILE)) as target,
    ):
        target.execute("BEGIN")
        tables = [table for table in _KEYS if table in present or not present]
        broken = [table for table in tables if not _copy(source, target, table)]
        for table in _yield_roots(source, [table for table in broken if table in _DEEP]):
            # A page out of use may still hold a block as it was before it ran; trials are never rewritten.
            _copy(source, target, table, "state <> 'planned'" if table == "block" else "TRUE")
        if lost:
            _copy_whole_spec(doubted, target)
            for table in _NOT_RESTORED:
                _copy(doubted, target, table)
        target.execute(_BROKEN_SPEC)
        ((specs,),) = target.execute("SELECT count(*) FROM record").fetchall()
        if not specs:
            _take_spec(target, directory, damaged)
        restore(target)
        if lost:
            for table in _RESTORED:
                _copy(doubted, target, table)
        hidden = lost_first and "extension" not in present
        _refuse_unknown_extensions(target, damaged, hidden=hidden, broken="extension" in broken)
        partial = _get_trials_with_lost_values(doubted, target) if lost else set()
        recovered = replace(_settle(target, partial), spec="record" if specs else "file")
        _keep_chain_or_remove(target, is_whole=recovered.lost_trials == 0 and not broken)
        target.execute("COMMIT")
    for path in (*directory.glob(f"{old.name}*"), *directory.glob(f"{doubtful.name}*")):
        path.unlink()
    write_digests(directory / FILE)
    return recovered


def _keep_chain_or_remove(target: sqlite3.Connection, *, is_whole: bool) -> None:
    """Keep the digests where all rows that they prove were read; else make it a record that has none.

    What was lost was not edited, and what is left cannot be proven. A row that is there and is not as it was
    stored stays edited: a copy proves no more than its original.
    """
    notes = target.execute(
        "SELECT id FROM warning WHERE kind = 'recovered' AND CAST(id AS TEXT) NOT IN"
        " (SELECT key FROM link WHERE kind = 'warning')"
    ).fetchall()
    if target.execute("SELECT 1 FROM link LIMIT 1").fetchone() is not None:
        Chain(target).add_rows("warning", [id_ for (id_,) in notes])
        if is_whole or verify_chain(target).state == "measured":
            return
    target.execute("DROP TABLE link")
    target.execute("UPDATE record SET version = min(version, ?)", (_WITHOUT_CHAIN,))
    target.execute(f"PRAGMA user_version = {_WITHOUT_CHAIN}")


def _copy_whole_spec(doubted: sqlite3.Connection, target: sqlite3.Connection) -> None:
    """Take the spec from a page on which something changed, unless that is the spec itself."""
    ((specs,),) = target.execute("SELECT count(*) FROM record").fetchall()
    if specs:
        return
    for row in _list_rows(doubted, "SELECT * FROM record"):
        with suppress(msgspec.DecodeError, AttributeError, UnicodeEncodeError):
            if row is not None:
                *_, experiment, sha256, _ = row
                text = canonical(msgspec.json.decode(experiment))
                if hashlib.sha256(text.encode()).hexdigest() == sha256:
                    _insert_rows(target, "record", row)


def _get_trials_with_lost_values(doubted: sqlite3.Connection, target: sqlite3.Connection) -> set[int]:
    """Trials of which a page that changed has values, and their neighbours.

    Of a key that changed itself, the rows beside it tell the place.
    """
    trials: set[int] = set()
    exists = "SELECT 1 FROM value WHERE trial = ? AND metric = ? AND labels = ? AND i = ?"
    for direction in ("ASC", "DESC"):
        sql = f"SELECT trial, metric, labels, i FROM value ORDER BY trial {direction}"  # noqa: S608 -- ours
        for row in _list_rows(doubted, sql):
            if row is None:
                break
            # Another type is damage, of which the rows beside it tell.
            if all(isinstance(item, int) for item in row) and target.execute(exists, row).fetchone() is None:
                trials |= {row[0], max(row[0], 1) - 1, min(row[0], _LARGEST - 1) + 1}
        else:
            break
    return trials


def _find_changed_pages(file: Path) -> list[int]:
    """Pages that are not as they were written, as far as digests say so."""
    if any(path.stat().st_size for path in file.parent.glob(f"{FILE}-*")):
        return []
    try:
        return damaged_pages(file)
    except RecordError:
        return []


def _clear_pages(file: Path, pages: Sequence[int]) -> None:
    """Overwrite pages with zeros: a number on them may be another than was written, and pass for it."""
    if not pages:
        return
    with file.open("r+b") as opened:
        page_bytes = int.from_bytes(opened.read(18)[16:], "big")
        page_bytes = 65536 if page_bytes == 1 else page_bytes
        size = file.stat().st_size
        for page in pages:
            if page * page_bytes <= size:
                opened.seek((page - 1) * page_bytes)
                opened.write(bytes(page_bytes))


def _open(file: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(file, isolation_level=None)
    # Without it, SQLite refuses a file that is shorter than its header says.
    connection.execute("PRAGMA writable_schema = ON")
    # A text that is damaged costs its own row, and not those behind it.
    connection.text_factory = lambda raw: raw.decode(errors="surrogateescape")
    return connection


def _get_tables(file: Path) -> set[str]:
    """Return the tables that SQLite finds; none where the first page is lost, which leads to their list."""
    with closing(_open(file)) as source, suppress(*_UNREADABLE):
        return {name for (name,) in source.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    return set()


def _replace_first_page(file: Path, scratch: Path, stated_bytes: int | None) -> None:
    """Write the first page of a new record over that of ``file``.

    ``scratch`` is a name for the new record. The page is the same, but for counters, in all whose pages have
    one size and were made in one way, by one version of the format. Of these ways, the one is taken by which
    the list of tables can be read; where that is lost, the first with pages as digests state them.
    """
    ways = [(LARGE_PAGE_BYTES, False), (SMALL_PAGE_BYTES, False), (SMALL_PAGE_BYTES, True)]
    ways.sort(key=lambda way: (LARGE_PAGE_BYTES if way[1] else way[0]) != (stated_bytes or way[0]))
    pages = [
        _make_first_page(scratch, size, tables, grown=grown)
        for tables in (TABLES, TABLES_WITHOUT_CHAIN)
        for size, grown in ways
    ]
    with file.open("rb") as opened:
        begin = opened.read(LARGE_PAGE_BYTES)
    for page in (*pages, pages[0]):
        with file.open("r+b") as opened:
            opened.write(page + begin[len(page) :])
        if _get_tables(file) >= _ALWAYS:
            return


def _make_first_page(scratch: Path, page_bytes: int, tables: str, *, grown: bool) -> bytes:
    """Return the first page of a record; ``grown`` where its pages became large when its writer left."""
    try:
        with closing(create_database(scratch, durable=False, page_bytes=page_bytes, tables=tables)) as new:
            if grown:
                rewrite_pages(new)
            ((page_bytes,),) = new.execute("PRAGMA page_size").fetchall()
        page = bytearray(scratch.read_bytes()[:page_bytes])
    finally:
        scratch.unlink(missing_ok=True)
    page[_PAGES] = bytes(4)
    return bytes(page)


def _cut_to_pages(file: Path) -> None:
    """Drop what is left of a last page that was cut.

    SQLite would fill it up with zeros, and a number whose end is missing would pass for another.
    """
    with closing(_open(file)) as source, suppress(*_UNREADABLE):
        ((page_bytes,),) = source.execute("PRAGMA page_size").fetchall()
        os.truncate(file, file.stat().st_size // page_bytes * page_bytes)


def _copy(
    source: sqlite3.Connection, target: sqlite3.Connection, table: str, condition: str = "TRUE"
) -> bool:
    """Insert the rows that the table's tree leads to; return whether no damage stopped that.

    Rows are read from the beginning of the table, and from its end where that stops at damage.
    """
    for direction in ("ASC", "DESC"):
        sql = f"SELECT * FROM {table} WHERE {condition} ORDER BY {_KEYS[table]} {direction}"  # noqa: S608 -- ours
        damage = False
        for row in _list_rows(source, sql):
            damage = row is None
            if row is not None:
                _insert_rows(target, table, row)
        if not damage:
            return direction == "ASC"
    return False


def _list_rows(source: sqlite3.Connection, sql: str) -> Iterator[tuple[Any, ...] | None]:
    """Yield the rows up to damage, which is ``None``."""
    try:
        yield from source.execute(sql)
    except _UNREADABLE:
        yield None


def _yield_roots(source: sqlite3.Connection, tables: list[str]) -> Iterator[str]:
    """Make each page of the file in turn the root of each table.

    Rows are then found which no tree leads to any more; those of others do not fit its types and checks.
    """
    if not tables:
        return
    with suppress(*_UNREADABLE):
        # Of what is written to this copy, nothing need be taken back; a log is moved into it.
        source.execute("PRAGMA journal_mode = OFF")
        source.execute("PRAGMA synchronous = OFF")
        ((pages,),) = source.execute("PRAGMA page_count").fetchall()
        ((version,),) = source.execute("PRAGMA schema_version").fetchall()
        text = f"name NOT IN ({', '.join('?' * len(tables))})"
        source.execute(f"DELETE FROM sqlite_schema WHERE {text}", tables)  # noqa: S608 -- marks
        for table, page in product(tables, range(2, pages + 1)):
            source.execute("UPDATE sqlite_schema SET rootpage = ? WHERE name = ?", (page, table))
            version += 1
            source.execute(f"PRAGMA schema_version = {version}")  # by which SQLite sees that it changed
            yield table


def _insert_rows(target: sqlite3.Connection, table: str, row: tuple[Any, ...]) -> None:
    marks = ", ".join("?" * len(row))
    # Damage that SQLite took for data is of another type than its column, or no text.
    with suppress(sqlite3.IntegrityError, UnicodeEncodeError):
        target.execute(f"INSERT OR IGNORE INTO {table} VALUES ({marks})", row)  # noqa: S608 -- names from above


def _refuse_unknown_extensions(
    target: sqlite3.Connection, damaged: Path, *, hidden: bool, broken: bool
) -> None:
    """Refuse a record that may have been extended more often than can be read.

    It would be judged less strictly. ``hidden``: a record from before there were extensions got their table
    later, and the first page of a new one does not lead there. ``broken``: some of the table could not be
    read; only an extended record has a run after one that had reached its end.
    """
    ((version, after),) = target.execute(f"SELECT version, ({_AFTER_THE_END}) FROM record").fetchall()  # noqa: S608 -- ours
    if (hidden and version >= _WITH_EXTENSIONS) or (broken and after):
        raise RecordError(
            f"{damaged} cannot be recovered: how often it was extended cannot be read, and with that how"
            " strictly it is judged",
            hint=f"restore {damaged} from a copy",
        )


def _take_spec(target: sqlite3.Connection, directory: Path, damaged: Path) -> None:
    """Read the experiment from the text that the record keeps for people.

    Relative paths in it are taken to start where the ``damaged`` record lies.
    """
    from steelyard.design import treatments
    from steelyard.spec import loads

    numbers = dict(target.execute("SELECT id, label FROM treatment"))
    try:
        text = (directory / SPEC).read_text(encoding="utf-8")
        experiment = loads(text, source=damaged.absolute().parent, name=SPEC, allow_many=True)
    except OSError:
        raise _make_lost(damaged, f"and {SPEC} is missing beside it") from None
    except UnicodeDecodeError:
        raise _make_lost(damaged, f"and {SPEC} beside it is not text") from None
    except UsageError as error:
        raise _make_lost(damaged, f"and {SPEC} beside it is not a valid spec: {error.message}") from None
    drawn = treatments(experiment)
    if not numbers:
        raise RecordError(
            f"{damaged} cannot be recovered: neither its spec nor its treatments can be read, so that nothing"
            f" shows that {SPEC} beside it is its own",
            hint=f"restore {damaged} from a copy",
        )
    if not numbers.items() <= {treatment.id: treatment.label for treatment in drawn}.items():
        raise _make_lost(damaged, f"and {SPEC} beside it has other treatments")
    describe(target, experiment, {})
    target.execute(
        "INSERT INTO warning (at_ns, kind, text) VALUES (?, 'recovered', ?)",
        (time.time_ns(), f"the spec of this record was lost, and read again from {SPEC}"),
    )


def _make_lost(damaged: Path, why: str) -> RecordError:
    return RecordError(
        f"{damaged} cannot be recovered: its spec cannot be read, {why}",
        hint=f"restore {damaged} from a copy, or only {damaged / SPEC} as it was run",
    )


def _settle(target: sqlite3.Connection, partial: Collection[int]) -> Recovered:
    """Make one consistent record of what was found; ``partial`` trials have lost some of their values."""
    # Which run a trial belongs to matters less than the trial.
    target.execute(
        "INSERT OR IGNORE INTO run SELECT run, min(start_ns), NULL, '', '{}', 'died' FROM trial GROUP BY run"
    )
    ((without, their_blocks),) = target.execute(_WITHOUT_BLOCK).fetchall()
    target.execute(_STRAY_TRIALS)
    while orphans := target.execute("PRAGMA foreign_key_check").fetchall():
        for table, row, parent, _ in orphans:
            if row is None:
                target.execute(f"DELETE FROM {table} WHERE {parent} NOT IN (SELECT id FROM {parent})")  # noqa: S608 -- ours
            else:
                target.execute(f"DELETE FROM {table} WHERE rowid = ?", (row,))  # noqa: S608 -- ours
    ((lost,),) = target.execute(_LOST_TRIALS).fetchall()
    lost += without
    spoilt = (
        target.executemany(_SPOIL_BLOCK_OF, [(trial,) for trial in sorted(partial)]).rowcount
        if partial
        else 0
    )
    spoilt += target.execute(_SPOIL_BLOCKS).rowcount + their_blocks
    if spoilt:
        # Else it would pass for ended, and nothing would replace the blocks.
        target.execute("UPDATE run SET state = 'died' WHERE state IN ('complete', 'precision_not_reached')")
    ((trials,),) = target.execute("SELECT count(*) FROM trial").fetchall()
    target.execute(
        "INSERT INTO warning (at_ns, kind, text) VALUES (?, 'recovered', ?)",
        (time.time_ns(), f"this record was recovered from a damaged one; {lost} finished trials were lost"),
    )
    return Recovered(trials, lost, spoilt)
