"""Creation of a record: what it begins with, and what must not be in its place."""

from __future__ import annotations

import glob
import hashlib
import os
import shlex
import shutil
import sqlite3
import time
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from steelyard.core.errors import RecordError
from steelyard.core.sample import Treatment
from steelyard.core.units import Metric
from steelyard.files.system import MOVES_OPEN_FILES
from steelyard.spec.experiment import Experiment
from steelyard.store.chain import Chain
from steelyard.store.facts import FILE
from steelyard.store.lock import WriterLock, busy, holder
from steelyard.store.rows import canonical, metric_rows, treatment_rows, write_as_given
from steelyard.store.schema import VERSION

SPEC: Final = "spec.toml"
"""In a record's directory: the text of its spec, for people."""


def fill(
    connection: sqlite3.Connection,
    experiment: Experiment,
    treatments: Sequence[Treatment],
    metrics: Sequence[Metric],
    program: Mapping[str, Any],
    observed: Collection[str],
) -> None:
    """Write everything that is known before the first run."""
    connection.execute("BEGIN")
    describe(connection, experiment, program)
    connection.executemany("INSERT INTO treatment VALUES (?, ?, ?)", treatment_rows(treatments))
    connection.executemany(
        "INSERT INTO metric VALUES (?, ?, ?, ?, ?, ?, ?)", metric_rows(experiment, metrics, observed)
    )
    Chain(connection).add_record()
    connection.execute("COMMIT")


def describe(connection: sqlite3.Connection, experiment: Experiment, program: Mapping[str, Any]) -> None:
    """Write the one row that says of what experiment the record is, under a new number."""
    connection.execute(
        "INSERT INTO record VALUES (?, 'steelyard/record', ?, ?, ?, ?, ?)",
        (
            os.urandom(8).hex(),
            VERSION,
            time.time_ns(),
            write_as_given(experiment),
            hashlib.sha256(canonical(experiment).encode()).hexdigest(),
            write_as_given(program),
        ),
    )


def refuse_existing(directory: Path) -> None:
    """Raise where the directory is not free for a new record.

    `RecordError` where something other than an empty directory is, `RecordBusyError` where that is a record
    that is being run.
    """
    if directory.is_dir() and not any(directory.iterdir()):
        return
    if (directory / FILE).exists():
        if (lock_holder := holder(directory / "lock")) is not None:
            # Nobody is told to remove what is being measured.
            raise busy(directory, lock_holder)
        raise RecordError(
            f"{directory} exists already",
            hint=f"continue it, name another directory, or remove it: rm -r {shlex.quote(str(directory))}",
        )
    if directory.exists():
        # Whatever it is, it is not ours: nobody is told to remove it.
        raise RecordError(
            f"{directory} exists already and is not a record", hint="name a directory that does not exist yet"
        )


def unfinished_name(directory: Path) -> Path:
    """Return a new name beside ``directory``, for a record that nobody is to see before it is whole."""
    return directory.with_name(f".{directory.name}.{os.urandom(4).hex()}.unfinished")


def remove_unfinished(directory: Path) -> None:
    """Remove what a process left that died while it made this record."""
    for path in directory.parent.glob(f".{glob.escape(directory.name)}.*.unfinished"):
        # Who is still at it has the lock. In the moment before, two processes make the same record, and one
        # of them has to fail anyway.
        if holder(path / "lock") is None:
            shutil.rmtree(path, ignore_errors=True)


def name_record(unfinished: Path, directory: Path, lock: WriterLock) -> WriterLock:
    """Give a complete record its name, and return its lock.

    It is another lock on Windows, which renames no directory with an open file in it, and none onto another.
    """
    if not MOVES_OPEN_FILES:
        lock.release()
        if directory.exists():
            directory.rmdir()
    unfinished.rename(directory)
    return lock if MOVES_OPEN_FILES else WriterLock(directory / "lock")


def sync_to_disk(path: Path) -> None:
    """Put the contents of a file, or the names in a directory, on the disk."""
    if path.is_dir() and not MOVES_OPEN_FILES:  # Windows opens no directory
        return
    descriptor = os.open(path, os.O_RDWR if path.is_file() else os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
