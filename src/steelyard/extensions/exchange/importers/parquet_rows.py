"""Parquet: a row a run, read by arro3 or pyarrow, whichever is installed."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from steelyard.core.errors import MachineError, UsageError
from steelyard.extensions.exchange.importers.columns import Chosen, read_cells
from steelyard.extensions.exchange.importers.contents import FileContents

PARQUET: Final = "parquet"
_MAGIC: Final = b"PAR1"
MOST_ROWS: Final = 1_000_000
_AGAIN: Final = "write the file again; nothing was imported"


def is_parquet(path: Path) -> bool:
    """Whether a file begins as Parquet does; of a pipe nothing is read."""
    if not path.is_file():
        return False
    try:
        with path.open("rb") as file:
            return file.read(len(_MAGIC)) == _MAGIC
    except OSError:
        return False


def _refuse_damaged(path: Path) -> None:
    """Refuse a file without the end that Parquet has: arro3 panics where it reads one."""
    with path.open("rb") as file:
        file.seek(-len(_MAGIC), os.SEEK_END)
        if file.read() != _MAGIC:
            raise UsageError(f"{path}: the file was cut off", hint=_AGAIN)


def read(path: Path, chosen: Chosen) -> FileContents:
    """Read all rows, as of a table.

    Raises
    ------
    UsageError
        The file is damaged or none of Parquet, or as ``read_cells``.
    MachineError
        Neither arro3 nor pyarrow is installed.
    """
    if not is_parquet(path):
        raise UsageError(f"{path}: no Parquet file", hint="leave --format out, or name the Parquet file")
    _refuse_damaged(path)
    try:
        names, columns = _read_columns(path)
    except (MachineError, UsageError, KeyboardInterrupt):
        raise
    except BaseException as error:  # noqa: BLE001 - a panic of arro3 is no Exception
        raise UsageError(f"{path}: {error}", hint=_AGAIN) from None
    rows = [
        (number, [_format_cell(cell) for cell in cells])
        for number, cells in enumerate(zip(*columns, strict=True), start=1)
    ]
    return read_cells(names, rows, str(path), PARQUET, chosen)


def _read_columns(path: Path) -> tuple[list[str], list[list[Any]]]:
    names, batches = _open_batches(path)
    columns: list[list[Any]] = [[] for _ in names]
    rows = 0
    for batch in batches:
        rows += batch.num_rows
        if rows > MOST_ROWS:
            raise UsageError(
                f"{path}: more than {MOST_ROWS:,} rows, the most that a record holds",
                hint="import fewer of them",
            )
        for number, column in enumerate(columns):
            column.extend(batch.column(number).to_pylist())
    return names, columns


def _open_batches(path: Path) -> tuple[list[str], Iterable[Any]]:
    """Return the names of the columns, and the rows in batches: a small file may unpack to any number."""
    try:
        import arro3.io
    except ImportError:
        pass
    else:
        reader = arro3.io.read_parquet(str(path))
        return list(reader.schema.names), reader
    try:
        import pyarrow.parquet
    except ImportError as error:
        raise MachineError(
            "Parquet needs arro3-io, which is not installed", hint="pip install arro3-io"
        ) from error
    file = pyarrow.parquet.ParquetFile(path)
    return list(file.schema_arrow.names), file.iter_batches()


def _format_cell(cell: Any) -> str:
    if cell is None:
        return ""
    if isinstance(cell, str):
        return cell.strip()
    return json.dumps(cell) if isinstance(cell, bool | int | float | list | dict) else str(cell)
