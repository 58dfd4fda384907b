"""``Record``: how a record is made, opened and closed."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from steelyard.core.errors import SteelyardError
from steelyard.core.sample import Treatment
from steelyard.core.units import BUILTIN, Metric
from steelyard.files.plain import remove_plain
from steelyard.spec.experiment import Experiment
from steelyard.store.creation import (
    SPEC,
    fill,
    name_record,
    refuse_existing,
    remove_unfinished,
    sync_to_disk,
    unfinished_name,
)
from steelyard.store.database import (
    LARGE_PAGE_BYTES,
    MANY_TRIALS,
    SMALL_PAGE_BYTES,
    close_writer,
    create_database,
    explained,
    inspect,
    is_in_the_middle,
    open_reader,
    open_writer,
)
from steelyard.store.digests import has_own_digests
from steelyard.store.facts import FILE, SUMMARY
from steelyard.store.lock import WriterLock
from steelyard.store.writing import Writing


class Record(Writing):
    """A directory ``NAME.lab`` that holds one experiment and every observation made for it.

    One process writes at a time; any number read meanwhile and never wait. A context manager that closes.
    """

    _is_untouched: bool = True
    """Whether only Steelyard had written to it when it was opened for writing."""

    @classmethod
    def create(
        cls,
        directory: Path,
        experiment: Experiment,
        *,
        treatments: Sequence[Treatment],
        metrics: Sequence[Metric] = (),
        spec_text: str = "",
        program: Mapping[str, Any] | None = None,
        observed: Collection[str] = BUILTIN,
        trials: int = 0,
    ) -> Self:
        """Make a new record, open for writing. It appears complete or not at all.

        Parameters
        ----------
        metrics : sequence of Metric
            Those that are not built in; how each is reduced is taken from ``experiment``.
        spec_text : str
            Kept as ``spec.toml``; nothing is kept where it is empty.
        program : mapping
            The measured program: paths, hashes, versions. JSON types.
        observed : collection of str
            Built-in metrics that its trials have: of values that were measured elsewhere, not all.
        trials : int
            How many it will have at least, as far as is known; by this its pages are chosen.

        Raises
        ------
        RecordError
            It exists already, or cannot be written.
        """
        directory = Path(directory)
        refuse_existing(directory)
        file = directory / FILE
        with explained(file):
            remove_unfinished(directory)
            directory.parent.mkdir(parents=True, exist_ok=True)
            new = unfinished_name(directory)
            new.mkdir()
        lock: WriterLock | None = None
        page_bytes = LARGE_PAGE_BYTES if trials >= MANY_TRIALS else SMALL_PAGE_BYTES
        try:
            with explained(file):
                lock = WriterLock(new / "lock")
                (new / "journal").mkdir()
                if spec_text:
                    (new / SPEC).write_text(spec_text, encoding="utf-8")
                connection = create_database(new / FILE, durable=False, page_bytes=page_bytes)
                try:
                    fill(connection, experiment, treatments, metrics, program or {}, observed)
                finally:
                    connection.close()
                sync_to_disk(new / FILE)
                sync_to_disk(new)
                # Somebody may have been faster; only an empty directory is replaced.
                refuse_existing(directory)
                try:
                    lock = name_record(new, directory, lock)
                except OSError:
                    refuse_existing(directory)
                    raise
                sync_to_disk(directory.parent)
                return cls._open(directory, open_writer(file), lock)
        except BaseException:
            if lock is not None:
                lock.release()
            shutil.rmtree(new, ignore_errors=True)
            raise

    @classmethod
    def open(cls, directory: Path, *, write: bool = False) -> Self:
        """Open an existing record.

        Raises
        ------
        RecordError
            The directory is missing, not a record, damaged or of a newer version, or ``write`` is impossible.
        RecordBusyError
            ``write``, and another process is at it.
        """
        directory = Path(directory)
        file = directory / FILE
        with explained(file):
            if not write:
                return cls._open(directory, open_reader(file), None)
            # Before the lock, which would make a file in a directory that is not ours.
            inspect(file)
            lock = WriterLock(directory / "lock")
            try:
                remove_plain(file.with_name(SUMMARY))
                untouched = not is_in_the_middle(file) and has_own_digests(file)
                return cls._open(directory, open_writer(file), lock, untouched=untouched)
            except BaseException:
                lock.release()
                raise

    @classmethod
    def _open(
        cls,
        directory: Path,
        connection: sqlite3.Connection,
        lock: WriterLock | None,
        *,
        untouched: bool = True,
    ) -> Self:
        try:
            record = cls(directory, connection, lock)
            record._is_untouched = untouched
            return record
        except BaseException:
            connection.close()
            raise

    def _is_believable(self) -> bool:
        """Whether nothing shows that another program changed what it says."""
        with suppress(SteelyardError):
            return not self.prove().refuted
        return False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self.close()
        except SteelyardError:
            # What is on its way already says more than that tidying failed too; nothing is lost without it.
            if error is None:
                raise

    def close(self) -> None:
        """Leave one plain file, readable from read-only media, and let others write."""
        lock, self._lock = self._lock, None
        try:
            with self._explained():
                if lock is None:
                    self._connection.close()
                else:
                    # Digests say that only Steelyard wrote; an edit before must not get them by a run after.
                    digests = self._is_untouched or self._is_believable()
                    close_writer(self._connection, self.directory / FILE, digests=digests)
        finally:
            if lock is not None:
                lock.release()
