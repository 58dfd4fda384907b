"""A new record from what can still be read of a damaged one."""

from __future__ import annotations

import shutil
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, Final, Literal

import msgspec
from msgspec.structs import replace

from steelyard.errors import RecordError, UsageError
from steelyard.store.creation import SPEC, describe, refuse_existing
from steelyard.store.database import create_database, explained
from steelyard.store.facts import FILE
from steelyard.store.first_page import put_back, readable
from steelyard.store.restoring import restore
from steelyard.store.salvage import SHAPES, leaves

_KEYS: Final = {
    "record": "rowid", "run": "id", "journal": "run", "treatment": "id", "context": "id", "block": "id",
    "trial": "id", "metric": "id", "labels": "id", "value": "trial", "look": "block",
    "extension": "id", "batch": "first_trial", "warning": "id",
}  # fmt: skip
"""Tables, parents first, and the number by which parts of each can be asked for."""

_CHUNK: Final = 1024
"""Rows that are asked for at once; where they cannot be read, halves of them, down to one."""

_MOST_SPLITS: Final = 1 << 13
"""Of a table, after which parts that cannot be read are left out whole. Where the first page of a tree is
lost, every part is such a one, and a large file has room for millions of rows; leaves need no tree.
"""

_WITH_EXTENSIONS: Final = 2
"""The first version of the format that has a table for them."""

_STATE: Final = 4
"""Column of a block."""

_LEAST_ROW_BYTES: Final = 8
"""No row is smaller, which bounds the numbers in a table whose end cannot be read."""

_HIGHEST: Final = 1 << 24
"""A number above it and that bound is damage: blocks that were cut short leave gaps, but smaller ones."""

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

# A number that is damaged belongs into a block that is still there, or has no neighbours.
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


class Recovered(msgspec.Struct, frozen=True):
    """What a recovery found.

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
            what = f"has no {FILE}" if damaged.exists() else "does not exist"
            raise RecordError(f"{damaged} {what}", hint="name the directory of a record: NAME.lab")
        shutil.copytree(damaged, new, ignore=shutil.ignore_patterns("lock"), dirs_exist_ok=True)
    try:
        with explained(new / FILE):
            return _rebuild(new, damaged)
    except BaseException:
        shutil.rmtree(new, ignore_errors=True)
        raise


def _rebuild(directory: Path, damaged: Path) -> Recovered:
    # A copy, and its log with it, so that SQLite may finish or take back what was being written.
    old = directory / "damaged.sqlite"
    for path in list(directory.glob(f"{FILE}*")):
        path.rename(path.with_name(path.name.replace(FILE, old.name)))
    if mended := not readable(old):
        put_back(old, directory / "new.sqlite")
    _cut_to_pages(old)
    with closing(sqlite3.connect(old, isolation_level=None)) as source:
        # Without it, SQLite refuses a file that is shorter than its header says.
        source.execute("PRAGMA writable_schema = ON")
        with closing(create_database(directory / FILE)) as target:
            target.execute("BEGIN")
            present, unread = _tables(source), False
            for table, key in _KEYS.items():
                if present and table not in present:
                    continue
                walk = _Walk(source, table, key, bound=old.stat().st_size // _LEAST_ROW_BYTES)
                for row in walk.rows():
                    _insert(target, table, row)
                unread |= walk.broken and table == "extension"
                if walk.broken and table in SHAPES:
                    _salvage(source, target, old, table)
            target.execute(_BROKEN_SPEC)
            ((specs,),) = target.execute("SELECT count(*) FROM record").fetchall()
            if not specs:
                _take_spec(target, directory, damaged)
            restore(target)
            _refuse_lost_extensions(target, damaged, unread=unread)
            if mended:
                _refuse_hidden_extensions(target, damaged, present)
            recovered = replace(_settle(target), spec="record" if specs else "file")
            target.execute("COMMIT")
    for path in directory.glob(f"{old.name}*"):
        path.unlink()
    return recovered


def _cut_to_pages(file: Path) -> None:
    """Drop what is left of a last page that was cut: SQLite would fill it up with zeros, and a number whose
    end is missing would pass for another.
    """
    with file.open("r+b") as opened:
        # At bytes 16 and 17 of the header; a page of 65,536 bytes is written as 1.
        page_bytes = int.from_bytes(opened.read(18)[16:], "big")
        page_bytes = 65536 if page_bytes == 1 else page_bytes
        if page_bytes >= 512:
            opened.truncate(file.stat().st_size // page_bytes * page_bytes)


def _tables(source: sqlite3.Connection) -> set[str]:
    """The tables that are there; empty where that cannot be read."""
    try:
        return {row[0] for row in source.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    except (sqlite3.DatabaseError, UnicodeDecodeError):
        return set()


class _Walk(msgspec.Struct):
    """The rows of a table that its tree leads to; ``broken`` where it did not lead everywhere."""

    source: sqlite3.Connection
    table: str
    key: str
    bound: int
    broken: bool = False
    splits: int = 0

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """Every row of the table that can be read."""
        try:
            sql = f"SELECT max({self.key}) FROM {self.table}"  # noqa: S608 -- names from above
            ((last,),) = self.source.execute(sql).fetchall()
            last = last if isinstance(last, int) else 0
            if last > (highest := max(self.bound, _HIGHEST)):
                last, self.broken = highest, True
        except (sqlite3.DatabaseError, UnicodeDecodeError):
            last, self.broken = self.bound, True
        sql = f"SELECT * FROM {self.table} WHERE {self.key} BETWEEN ? AND ?"  # noqa: S608 -- names from above
        # The first part of the list is the next to be read.
        parts = [(low, min(low + _CHUNK - 1, last)) for low in range(0, last + 1, _CHUNK)][::-1]
        while parts:
            low, high = parts.pop()
            try:
                yield from self.source.execute(sql, (low, high)).fetchall()
            except (sqlite3.DatabaseError, UnicodeDecodeError):
                self.broken = True
                if low < high and self.splits < _MOST_SPLITS:
                    self.splits += 1
                    middle = (low + high) // 2
                    parts += [(middle + 1, high), (low, middle)]


def _salvage(source: sqlite3.Connection, target: sqlite3.Connection, file: Path, table: str) -> None:
    """Rows that no tree leads to any more."""
    with suppress(sqlite3.DatabaseError):
        # Pages may stand in the log only.
        source.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    for row in leaves(file, SHAPES[table]):
        # A page out of use may still hold a block as it was before it ran; trials are never rewritten.
        if table != "block" or row[_STATE] != "planned":
            _insert(target, table, row)


def _insert(target: sqlite3.Connection, table: str, row: tuple[Any, ...]) -> None:
    marks = ", ".join("?" * len(row))
    try:
        target.execute(f"INSERT OR IGNORE INTO {table} VALUES ({marks})", row)  # noqa: S608 -- names from above
    except sqlite3.IntegrityError:
        # Damage that SQLite took for data, of another type than the column's.
        return


def _refuse_hidden_extensions(target: sqlite3.Connection, damaged: Path, present: set[str]) -> None:
    """Of a record from before there were extensions, the first page of a new one does not lead to those that
    it got later; without them, it would be judged less strictly.
    """
    ((version,),) = target.execute("SELECT version FROM record").fetchall()
    if version >= _WITH_EXTENSIONS and "extension" not in present:
        raise _unknown_strictness(damaged)


def _refuse_lost_extensions(target: sqlite3.Connection, damaged: Path, *, unread: bool) -> None:
    """Only an extended record has a run after one that had reached its end."""
    ((after,),) = target.execute(_AFTER_THE_END).fetchall()
    if unread and after:
        raise _unknown_strictness(damaged)


def _unknown_strictness(damaged: Path) -> RecordError:
    return RecordError(
        f"{damaged} cannot be recovered: how often it was extended cannot be read, and with that how"
        " strictly it is judged",
        hint=f"restore {damaged} from a copy",
    )


def _take_spec(target: sqlite3.Connection, directory: Path, damaged: Path) -> None:
    """The experiment from the text that the record keeps for people; relative paths in it are taken to start
    where the ``damaged`` record lies.
    """
    from steelyard.design import treatments
    from steelyard.spec import loads

    found = dict(target.execute("SELECT id, label FROM treatment"))
    try:
        text = (directory / SPEC).read_text(encoding="utf-8")
        experiment = loads(text, source=damaged.absolute().parent, name=SPEC, allow_many=True)
    except OSError:
        raise _lost(damaged, f"and there is no {SPEC} beside it") from None
    except UnicodeDecodeError:
        raise _lost(damaged, f"and {SPEC} beside it is no text") from None
    except UsageError as error:
        raise _lost(damaged, f"and the text beside it is none: {error.message}") from None
    drawn = treatments(experiment)
    if not found:
        raise RecordError(
            f"{damaged} cannot be recovered: neither its spec nor its treatments can be read, so that nothing"
            f" shows that {SPEC} beside it is its own",
            hint=f"restore {damaged} from a copy",
        )
    if not found.items() <= {each.id: each.label for each in drawn}.items():
        raise _lost(damaged, f"and {SPEC} beside it has other treatments")
    describe(target, experiment, {})
    target.execute(
        "INSERT INTO warning (at_ns, kind, text) VALUES (?, 'recovered', ?)",
        (time.time_ns(), f"the spec of this record was lost, and read again from {SPEC}"),
    )


def _lost(damaged: Path, why: str) -> RecordError:
    return RecordError(
        f"{damaged} cannot be recovered: its spec cannot be read, {why}",
        hint=f"restore {damaged} from a copy, or only {damaged / SPEC} as it was run",
    )


def _settle(target: sqlite3.Connection) -> Recovered:
    """Make one consistent record of what was found."""
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
    spoilt = target.execute(_SPOIL_BLOCKS).rowcount + their_blocks
    if spoilt:
        # Else it would pass for ended, and nothing would replace the blocks.
        target.execute("UPDATE run SET state = 'died' WHERE state IN ('complete', 'precision_not_reached')")
    ((trials,),) = target.execute("SELECT count(*) FROM trial").fetchall()
    target.execute(
        "INSERT INTO warning (at_ns, kind, text) VALUES (?, 'recovered', ?)",
        (time.time_ns(), f"this record was recovered from a damaged one; {lost} finished trials were lost"),
    )
    return Recovered(trials, lost, spoilt)
