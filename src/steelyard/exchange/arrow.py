"""Parquet and Arrow, by pyarrow: columns with their types, units in the metadata of each (``unit``)."""

from __future__ import annotations

from itertools import islice
from typing import Any, BinaryIO, Final

from steelyard.errors import MachineError
from steelyard.exchange.table import Cell, Column, Table

ROWS_AT_ONCE: Final = 16_384
"""A row group: 4 MB of the widest tables, so that memory does not grow with the record."""


def write_parquet(table: Table, to: BinaryIO, **options: Any) -> None:
    """Write the table to a binary file as Parquet; ``options`` as pyarrow's ``ParquetWriter`` has them.

    Raises
    ------
    MachineError
        pyarrow is not installed.
    """
    pa = _pyarrow("Parquet")
    import pyarrow.parquet as pq

    schema = _schema(pa, table)
    with pq.ParquetWriter(to, schema, **options) as writer:
        _write(pa, table, schema, writer)


def write_arrow(table: Table, to: BinaryIO) -> None:
    """Write the table to a binary file in Arrow's file format (Feather 2); errors as ``write_parquet``."""
    pa = _pyarrow("Arrow")
    schema = _schema(pa, table)
    with pa.ipc.new_file(to, schema) as writer:
        _write(pa, table, schema, writer)


def _pyarrow(form: str) -> Any:
    try:
        import pyarrow as pa
    except ImportError as error:
        raise MachineError(
            f"{form} needs pyarrow, which is not installed", hint="pip install pyarrow"
        ) from error
    return pa


def _types(pa: Any) -> dict[str, Any]:
    return {
        "integer": pa.int64(),
        "real": pa.float64(),
        "boolean": pa.bool_(),
        "text": pa.string(),
        "json": pa.string(),
    }


def _schema(pa: Any, table: Table) -> Any:
    types = _types(pa)
    return pa.schema(
        [
            pa.field(column.name, types[column.type], metadata={"unit": column.unit} if column.unit else None)
            for column in table.columns
        ]
    )


def _write(pa: Any, table: Table, schema: Any, writer: Any) -> None:
    types = _types(pa)
    while rows := list(islice(table.rows, ROWS_AT_ONCE)):
        arrays: list[Any] = [
            pa.array([_cell(cell, column) for cell in cells], types[column.type])
            for column, cells in zip(table.columns, zip(*rows, strict=True), strict=True)
        ]
        writer.write_batch(pa.record_batch(arrays, schema=schema))


def _cell(cell: Cell, column: Column) -> Cell:
    """The cell in the one type that its column has."""
    if cell is None or column.type != "text" or isinstance(cell, str):
        return cell
    return str(cell).lower() if isinstance(cell, bool) else str(cell)
