"""Facts of a record that are known as soon as it is open."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

import msgspec

from steelyard.core.errors import UPGRADE, RecordError, UsageError
from steelyard.core.record_id import is_record_id
from steelyard.core.sample import Treatment
from steelyard.core.units import Metric
from steelyard.files.writing import RECORD_FILE
from steelyard.spec import stored
from steelyard.spec.experiment import Experiment, Reduce
from steelyard.store.database import explained, make_damage_error
from steelyard.store.differences import differences
from steelyard.store.sampling import REDUCTIONS

FILE: Final = RECORD_FILE
"""In the directory of the record."""
SUMMARY: Final = "record.summary"
"""Beside it: what an extension keeps of a record that has ended; removed before the record changes."""


class Facts:
    """A connection to a record, what never changes in it, and how errors are explained.

    Attributes
    ----------
    directory : Path
    id : str
        16 hexadecimal digits, drawn at random when the record was made.
    created_ns : int
        Unix time.
    experiment : Experiment
        As it was run.
    program : Mapping
        The measured program, as described when the record was made.
    treatments, metrics : tuple
        All of them; built-in metrics included, as far as they were observed.
    """

    def __init__(self, directory: Path, connection: sqlite3.Connection) -> None:
        self.directory = directory
        self._connection = connection
        with self._explained():
            row = connection.execute("SELECT id, created_ns, experiment, program FROM record").fetchone()
            if row is None:
                raise RecordError(
                    f"{directory} has no experiment in it",
                    hint="restore it from a copy, or remove it and run again",
                )
            self.id: str = row[0]
            if not is_record_id(self.id):
                raise RecordError(
                    f"{directory / FILE} was changed by another program: its id is {self.id!r}, and an id is"
                    " 16 hexadecimal digits",
                    hint="restore it from a copy, or run its spec again",
                )
            self.created_ns: int = row[1]
            self._experiment_json: str = row[2]
            self.program: Mapping[str, Any] = msgspec.json.decode(row[3])
            self.treatments = tuple(
                Treatment(id_, label, msgspec.json.decode(levels))
                for id_, label, levels in connection.execute(
                    "SELECT id, label, levels FROM treatment ORDER BY id"
                )
            )
            rows = connection.execute(
                "SELECT name, unit, kind, better, about, id, reduce FROM metric ORDER BY id"
            )
            self._metrics = {row[0]: (Metric(*row[:5]), row[5], row[6]) for row in rows}

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Report an error within as damage of the file where it is that; a bug stays what it is."""
        file = self.directory / FILE
        try:
            with explained(file):
                yield
        except msgspec.DecodeError as error:
            raise make_damage_error(file, str(error)) from error
        except RecursionError as error:
            raise make_damage_error(file, "JSON in it is nested too deeply") from error
        except (TypeError, ValueError, LookupError, OverflowError, MemoryError) as error:
            # SQLite takes much damage for data: a number where text should be, a row without its parent.
            with explained(file):
                texts = self._list_damage()
            if not texts:
                raise
            raise make_damage_error(file, texts[0]) from error

    def _list_damage(self) -> list[str]:
        lines = [str(row[0]) for row in self._connection.execute("PRAGMA quick_check")]
        if lines == ["ok"]:
            lines = [
                f"row {row} of {table} names a row of {parent} that is not there"
                for table, row, parent, _ in self._connection.execute("PRAGMA foreign_key_check")
            ]
        return lines

    def _query_rows(self, sql: str, *parameters: object) -> sqlite3.Cursor:
        return self._connection.execute(sql, parameters)

    @property
    def experiment(self) -> Experiment:
        """The spec as it was run."""
        try:
            return stored.decode(self._experiment_json)
        except msgspec.ValidationError as error:
            raise RecordError(
                f"{self.directory} holds a spec that this Steelyard does not understand: {error}",
                hint=f"use the version that made it, or {UPGRADE}",
            ) from error
        except msgspec.DecodeError as error:
            raise make_damage_error(self.directory / FILE, f"its spec is not valid JSON ({error})") from error
        except RecursionError as error:
            raise make_damage_error(self.directory / FILE, "its spec is nested too deeply") from error

    def list_changes(self, experiment: Experiment) -> list[str]:
        """Differences between the spec as it was run and ``experiment``: ``key.path: old → new``."""
        old = msgspec.json.decode(self._experiment_json)
        with suppress(RecordError):
            # Once through the type, so that a key which this version added has its default on both sides.
            old = msgspec.json.decode(msgspec.json.encode(self.experiment))
        return differences(old, msgspec.json.decode(msgspec.json.encode(experiment)))

    @property
    def imported(self) -> bool:
        """Whether the values are those of other tools' files."""
        return any("imported_from" in item for item in self.program.values())

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """All metrics, built-in ones first."""
        return tuple(metric for metric, _, _ in self._metrics.values())

    def list_reductions(self) -> list[tuple[Metric, Reduce]]:
        """Each metric, and how the iterations of a trial become one observation of it."""
        return [(metric, reduce) for metric, _, reduce in self._metrics.values()]

    def reduce(self, metric: str, iterations: Sequence[float]) -> float:
        """One observation from the iterations of a launch, as the spec declares for this metric."""
        return REDUCTIONS[self._find_metric(metric)[2]](iterations)

    def _find_metric(self, name: str) -> tuple[Metric, int, Reduce]:
        try:
            return self._metrics[name]
        except KeyError:
            from steelyard.spec.hints.metric_names import suggest_metric

            raise UsageError(
                f"{self.directory} has no metric {name!r}", hint=suggest_metric(name, self._metrics)
            ) from None
