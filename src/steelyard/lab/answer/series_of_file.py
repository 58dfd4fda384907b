"""Series from a file of another tool, by the readers of extensions."""

from __future__ import annotations

from pathlib import Path
from typing import Final, NamedTuple, Protocol

from steelyard.core.errors import UsageError
from steelyard.core.extension import list_series_readers, load
from steelyard.core.series import CsvColumns, Series


class RunChoice(NamedTuple):
    """What tells the runs of a directory apart, by the names of their facts.

    Attributes
    ----------
    parameters : tuple of str
        Over which values are modelled.
    by : tuple of str
        That make functions of their own.
    pool : tuple of str
        That may differ within a function.
    """

    parameters: tuple[str, ...] = ()
    by: tuple[str, ...] = ()
    pool: tuple[str, ...] = ()


ANY: Final = RunChoice()


class SeriesReader(Protocol):
    """Reads files that hold series and are no record."""

    def holds(self, directory: Path) -> bool:
        """Whether a directory holds files of series."""

    def read(
        self, path: Path, columns: CsvColumns | None, choice: RunChoice, *, inclusive: bool
    ) -> tuple[Series, ...]:
        """Read a file, or a directory that holds files of series.

        Raises
        ------
        UsageError
            It cannot be read, or is in no format that is known.
        MachineError
            The library that reads it is not installed.
        """


def holds_series(directory: Path) -> bool:
    """Whether a directory holds files of series, and is no record."""
    return any(reader.holds(directory) for reader in _load_readers())


def series_of_file(
    path: Path, columns: CsvColumns | None = None, choice: RunChoice = ANY, *, inclusive: bool = False
) -> tuple[Series, ...]:
    """Read all series of a file; of a directory by the reader that holds it, of a file by the first.

    Raises
    ------
    UsageError
        No extension reads it; or as ``SeriesReader``.
    MachineError
        The library that reads it is not installed.
    """
    readers = _load_readers()
    reader = next((entry for entry in readers if entry.holds(path)), readers[0] if readers else None)
    if reader is None:
        raise UsageError(
            f"{path}: no installed extension reads files of other tools",
            hint="name a record, NAME.lab, or install an extension that reads such files",
        )
    return reader.read(path, columns, choice, inclusive=inclusive)


def _load_readers() -> list[SeriesReader]:
    return [load(place) for place in list_series_readers().values()]
