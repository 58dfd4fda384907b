"""``Summaries``: one SQLite file with what a history keeps of thousands of records.

One row a record and metric, whose digests are JSON: a history of one metric reads what it needs and nothing
else.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Self

import msgspec

from steelyard.core.errors import UPGRADE, RecordError
from steelyard.core.units import Metric, Scalar
from steelyard.results.digest import Digest
from steelyard.store.database import quote

APPLICATION_ID: Final = int.from_bytes(b"Sths", "big")
"""In the header of the file, by which it is known."""
VERSION: Final = 1

_TABLES: Final = """
CREATE TABLE spec (
    id          INTEGER PRIMARY KEY,
    spec        TEXT    NOT NULL UNIQUE        -- what is run and measured (JSON, sorted keys)
) STRICT;
CREATE TABLE host (
    id          INTEGER PRIMARY KEY,
    facts       TEXT    NOT NULL UNIQUE        -- facts by which machines differ (JSON, sorted keys)
) STRICT;
CREATE TABLE record (
    id          TEXT    PRIMARY KEY,           -- of the record itself
    name        TEXT    NOT NULL,              -- its path when it was collected
    created_ns  INTEGER NOT NULL,              -- Unix time
    experiment  TEXT    NOT NULL,              -- its name
    primary_metric TEXT NOT NULL,
    spec        INTEGER NOT NULL REFERENCES spec,
    host        INTEGER NOT NULL REFERENCES host
) STRICT, WITHOUT ROWID;
CREATE TABLE metric (
    name        TEXT    PRIMARY KEY,
    about       TEXT    NOT NULL               -- unit, kind, which way is better (JSON)
) STRICT, WITHOUT ROWID;
CREATE TABLE digest (
    metric      TEXT    NOT NULL REFERENCES metric,
    record      TEXT    NOT NULL REFERENCES record,
    digests     TEXT    NOT NULL,              -- one for each treatment and labels (JSON)
    PRIMARY KEY (metric, record)
) STRICT, WITHOUT ROWID;
"""
_PART: Final = """
CREATE TABLE IF NOT EXISTS part (
    record      TEXT    NOT NULL REFERENCES record,
    part        TEXT    NOT NULL,              -- id of a record that it was made of
    PRIMARY KEY (record, part)
) STRICT, WITHOUT ROWID
"""
"""Files that were made before 0.4 get it with the first record that is added."""
_LACKING: Final = """
CREATE TABLE IF NOT EXISTS lacking (
    record      TEXT    NOT NULL REFERENCES record,
    why         TEXT    NOT NULL,              -- what it does not have, such as runs that failed
    PRIMARY KEY (record, why)
) STRICT, WITHOUT ROWID
"""
"""Files that were made before 0.12 get it with the first record that is added."""


class Labelled(msgspec.Struct, frozen=True, array_like=True):
    """A digest, and of what."""

    treatment: str
    labels: Mapping[str, Scalar]
    digest: Digest


class Condensed(msgspec.Struct, frozen=True):
    """A record, condensed.

    Attributes
    ----------
    id, name, created_ns, experiment, primary_metric
        Of the record; ``name`` is its path.
    spec : str
        What is run and measured, without what may differ within a history (JSON, sorted keys).
    host : str
        The facts by which machines differ (JSON, sorted keys).
    digests : Mapping[str, tuple of Labelled]
        By metric.
    parts : tuple of str
        Ids of the records that it was made of; empty of one that was measured.
    lacking : tuple of str
        What a report does not have: runs that failed, values that are unusable. Ends of sentences.
    """

    id: str
    name: str
    created_ns: int
    experiment: str
    primary_metric: str
    spec: str
    host: str
    digests: Mapping[str, tuple[Labelled, ...]]
    parts: tuple[str, ...] = ()
    lacking: tuple[str, ...] = ()


def is_summaries(path: Path) -> bool:
    """Whether a file holds summaries of records, by its header."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        header = file.read(100)
    return len(header) == 100 and int.from_bytes(header[68:72], "big") == APPLICATION_ID


class Summaries:
    """The file, open; a context manager that closes.

    Raises
    ------
    RecordError
        It cannot be read or written, is damaged, or of a newer version.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        with _explained(path):
            new = not path.exists()
            if not new and not is_summaries(path):
                raise RecordError(
                    f"{path} does not hold summaries of records",
                    hint="name a file that does not exist yet, or one that --collect made",
                )
            self._connection = sqlite3.connect(path, isolation_level=None)
            if new:
                header = f"PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {VERSION};"
                self._connection.executescript(f"BEGIN; {_TABLES} {header} COMMIT;")
            ((version,),) = self._connection.execute("PRAGMA user_version")
        if version > VERSION:
            self._connection.close()
            raise RecordError(
                f"{path} has format {version}, and this Steelyard reads formats up to {VERSION}",
                hint=UPGRADE,
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def list_digests(self) -> set[str]:
        """Ids of the records that it has."""
        with self._explained():
            return {row[0] for row in self._connection.execute("SELECT id FROM record")}

    def add(self, records: Iterable[Condensed], metrics: Iterable[Metric]) -> None:
        """Add records in one transaction; one that is there already is replaced."""
        with self._explained(), self._connection:
            run = self._connection.execute
            run("BEGIN")
            run(_PART)
            run(_LACKING)
            for metric in metrics:
                run(
                    "INSERT OR REPLACE INTO metric VALUES (?, ?)",
                    (metric.name, msgspec.json.encode(metric).decode()),
                )
            for record in records:
                ids = [self._get_id("spec", "spec", record.spec), self._get_id("host", "facts", record.host)]
                run("DELETE FROM digest WHERE record = ?", (record.id,))
                run("DELETE FROM part WHERE record = ?", (record.id,))
                run("DELETE FROM lacking WHERE record = ?", (record.id,))
                run(
                    "INSERT OR REPLACE INTO record VALUES (?, ?, ?, ?, ?, ?, ?)",
                    (
                        record.id,
                        record.name,
                        record.created_ns,
                        record.experiment,
                        record.primary_metric,
                        *ids,
                    ),
                )
                for part in record.parts:
                    run("INSERT INTO part VALUES (?, ?)", (record.id, part))
                for why in dict.fromkeys(record.lacking):
                    run("INSERT INTO lacking VALUES (?, ?)", (record.id, why))
                for name, digests in record.digests.items():
                    run(
                        "INSERT INTO digest VALUES (?, ?, ?)",
                        (name, record.id, msgspec.json.encode(digests).decode()),
                    )

    def _get_id(self, table: str, column: str, text: str) -> int:
        run = self._connection.execute
        run(f"INSERT OR IGNORE INTO {table} ({column}) VALUES (?)", (text,))  # noqa: S608 -- our own names
        ((id_,),) = run(f"SELECT id FROM {table} WHERE {column} = ?", (text,))  # noqa: S608
        return int(id_)

    def metrics(self) -> dict[str, Metric]:
        """Every metric of any record, by name."""
        with self._explained():
            rows = self._connection.execute("SELECT name, about FROM metric").fetchall()
            return {name: msgspec.json.decode(about, type=Metric) for name, about in rows}

    def read(self, metrics: Iterable[str], beside: Iterable[str] = ()) -> list[Condensed]:
        """Read all records with their digests of these metrics.

        The primary one of each is read where none is named, and those ``beside``.
        """
        with self._explained():
            run = self._connection.execute
            specs, hosts = dict(run("SELECT id, spec FROM spec")), dict(run("SELECT id, facts FROM host"))
            records = run("SELECT * FROM record").fetchall()
            named = list(metrics) or sorted({row[4] for row in records})
            names = dict.fromkeys((*named, *beside))
            decoder = msgspec.json.Decoder(tuple[Labelled, ...])
            by_record: dict[str, dict[str, tuple[Labelled, ...]]] = {row[0]: {} for row in records}
            for name in names:
                for id_, digests in run("SELECT record, digests FROM digest WHERE metric = ?", (name,)):
                    by_record[id_][name] = decoder.decode(digests)
            parts = self._read_texts("part", "part", by_record)
            lacking = self._read_texts("lacking", "why", by_record)
            return [
                Condensed(
                    id_,
                    name,
                    at,
                    experiment,
                    primary,
                    specs[spec],
                    hosts[host],
                    by_record[id_],
                    tuple(parts[id_]),
                    tuple(lacking[id_]),
                )
                for id_, name, at, experiment, primary, spec, host in records
            ]

    def _read_texts(self, table: str, column: str, records: Iterable[str]) -> dict[str, list[str]]:
        """Texts of each record in a table; none where the file is older than the table."""
        run = self._connection.execute
        texts: dict[str, list[str]] = {id_: [] for id_ in records}
        if run("SELECT 1 FROM sqlite_master WHERE name = ?", (table,)).fetchall():
            sql = f"SELECT record, {column} FROM {table} ORDER BY record, {column}"  # noqa: S608 -- our own names
            for id_, text in run(sql):
                texts[id_].append(text)
        return texts

    @contextmanager
    def _explained(self) -> Iterator[None]:
        with _explained(self._path):
            yield


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.ProgrammingError:
        raise  # Ours, never the file's.
    except (sqlite3.Error, OSError) as error:
        raise RecordError(
            f"{path}: {error}",
            hint=f"check permissions and free space: ls -l {quote(path)}",
        ) from error
    except (msgspec.DecodeError, LookupError, RecursionError) as error:
        reason = "JSON in it is nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise RecordError(
            f"{path} is damaged: {reason}",
            hint=f"move it away and collect again: steelyard history RECORD… --collect {quote(path)}",
        ) from error
