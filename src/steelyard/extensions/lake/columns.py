"""Trials of a lake as columns, by DuckDB."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from steelyard.core.errors import MachineError, RecordError
from steelyard.extensions.lake.facts import LakeFacts, describe_damage, hash_bytes
from steelyard.extensions.lake.location import EXTRA, Location

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Column = npt.NDArray[np.int64 | np.float64]

STATES: Final = ("planned", "complete", "incomplete", "discarded")
"""States of blocks; a column of them has places in this order."""

_GLOBS: Final = frozenset("*?[]{}\\")
"""Characters of a path that DuckDB takes for a pattern."""

WHERE: Final[Mapping[str, str]] = {
    "run": "run",
    "block": "block",
    "pass": '"pass"',
    "context": "coalesce(context, 0)",
    "treatment": "treatment",
    "trial": "trial",
    "start_ns": "start_ns",
    "is ok": "CAST(status = 'ok' AS BIGINT)",
    "timed out": "CAST(status = 'timed_out' AS BIGINT)",
    "block_state": "list_position(['planned', 'complete', 'incomplete', 'discarded'], block_state) - 1",
}
"""Columns of whole numbers that all questions need, in SQL; no metric has a column of such a name."""


class ParquetTrials:
    """Tables of trials, one a record, all of one spec; a context manager that closes.

    Parameters
    ----------
    every : sequence of LakeFacts
        The records, in whose order rows come.

    Raises
    ------
    RecordError
        A file is missing, or not as it was written.
    MachineError
        DuckDB is not installed.
    """

    def __init__(self, location: Location, every: Sequence[LakeFacts]) -> None:
        try:
            import duckdb
        except ImportError:
            raise MachineError(
                f"reading {location.label} needs DuckDB, which is not installed", hint=EXTRA
            ) from None
        self._location, self._every, self._error = location, every, duckdb.Error
        self._stack = ExitStack()
        self._columns: dict[str, Column] = {}
        try:
            self._files = self._find_files()
            # What is read is untrusted: no extension is fetched for it, and nothing else is opened.
            self._connection = duckdb.connect(
                ":memory:",
                config={"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"},
            )
            self._stack.callback(self._connection.close)
        except BaseException:
            self._stack.close()
            raise

    def close(self) -> None:
        """Close the database, and remove what was copied from elsewhere."""
        self._stack.close()

    @property
    def counts(self) -> list[int]:
        """Trials of each record."""
        return [facts.trials.rows for facts in self._every]

    def _find_files(self) -> list[str]:
        """Paths of the tables, each compared with its digest; of those elsewhere, copies."""
        from concurrent.futures import ThreadPoolExecutor

        directory = self._location.directory
        if directory is not None and _GLOBS.isdisjoint(str(directory.absolute())):
            with ThreadPoolExecutor(2) as pool:  # hashing and reading let other threads run
                list(pool.map(self._read, self._every))
            return [str((directory / f"{facts.stem}.parquet").absolute()) for facts in self._every]
        copies = Path(tempfile.mkdtemp(prefix="steelyard-"))
        self._stack.callback(shutil.rmtree, copies, ignore_errors=True)
        paths = []
        for number, facts in enumerate(self._every):
            paths.append(copies / f"{number}.parquet")
            paths[-1].write_bytes(self._read(facts))
        return [str(path) for path in paths]

    def _read(self, facts: LakeFacts) -> bytes:
        name = f"{facts.stem}.parquet"
        content = self._location.read(name)
        if hash_bytes(content) != facts.trials.digest:
            raise describe_damage(
                f"{self._location.label}/{name}", "it is not as it was written (its digest differs)"
            )
        return content

    def read(self, names: Sequence[str]) -> dict[str, Column]:
        """Read columns by name.

        They are those that every table has (``WHERE``), or metrics, in which what was not observed is NaN.

        Raises
        ------
        RecordError
            A table lacks one, or cannot be read.
        """
        missing = [name for name in dict.fromkeys(names) if name not in self._columns]
        if missing:
            self._columns |= self._select(missing)
        return {name: self._columns[name] for name in names}

    def _select(self, names: Sequence[str]) -> dict[str, Column]:
        import numpy as np

        chosen = ", ".join(
            f"{WHERE[name]} AS c{place}"
            if name in WHERE
            else f"coalesce(CAST({_quote(name)} AS DOUBLE), CAST('nan' AS DOUBLE)) AS c{place}"
            for place, name in enumerate(names)
        )
        with self._explained():
            fetched = self._query(chosen).fetchnumpy()
        columns: dict[str, Column] = {}
        for place, name in enumerate(names):
            column = fetched[f"c{place}"]
            if np.ma.isMaskedArray(column) and np.ma.getmaskarray(column).any():
                raise describe_damage(self._location.label, f"a trial has no {name}")
            plain = np.ma.getdata(column)
            columns[name] = plain.astype(np.int64 if name in WHERE else np.float64, copy=False)
            if columns[name].size != sum(self.counts):
                raise describe_damage(
                    self._location.label, "tables of trials have other numbers of rows than stated"
                )
        return columns

    def fetch_rows(self, columns: str, condition: str) -> list[tuple[Any, ...]]:
        """Rows of few trials, each with the place of its record and its number.

        The SQL is ours; rows are in the order of records and trials.
        """
        with self._explained():
            rows: list[tuple[Any, ...]] = []
            for place, file in enumerate(self._files):
                rows += [
                    (place, *row)
                    for row in self._connection.execute(
                        f"SELECT {columns} FROM read_parquet(?) WHERE {condition} ORDER BY trial",  # noqa: S608
                        [file],
                    ).fetchall()
                ]
        return rows

    def _query(self, columns: str) -> Any:
        # In the order of the files, which DuckDB keeps.
        return self._connection.execute(
            f"SELECT {columns} FROM read_parquet(?, union_by_name = true)",  # noqa: S608 -- ours
            [self._files],
        )

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except self._error as error:
            first = str(error).splitlines()[0]
            for file, facts in zip(self._files, self._every, strict=True):
                first = first.replace(file, f"{facts.stem}.parquet")
            raise RecordError(
                f"{self._location.label} has tables that cannot be read: {first}",
                hint="export their records again: steelyard export RECORD.lab --to PLACE",
            ) from None


def _quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
