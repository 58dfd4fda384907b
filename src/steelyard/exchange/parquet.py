"""Parquet, by pyarrow: columns with their types, units in the metadata of each (``unit``)."""

from __future__ import annotations

from itertools import islice
from typing import Any, BinaryIO, Final

from steelyard.errors import MachineError
from steelyard.exchange.table import Cell, Column, Table

ROWS_AT_ONCE: Final = 16_384
"""A row group: 4 MB of the widest tables, so that memory does not grow with the record."""


def write_parquet(table: Table, to: BinaryIO) -> None:
    """Write the table to a binary file.

    Raises
    ------
    MachineError
        pyarrow is not installed.
    """
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        raise MachineError(
            "Parquet needs pyarrow, which is not installed", hint="pip install 'steelyard[parquet]'"
        ) from error
    types = {
        "integer": pa.int64(),
        "real": pa.float64(),
        "boolean": pa.bool_(),
        "text": pa.string(),
        "json": pa.string(),
    }
    schema = pa.schema(
        [
            pa.field(column.name, types[column.type], metadata={"unit": column.unit} if column.unit else None)
            for column in table.columns
        ]
    )
    with pq.ParquetWriter(to, schema) as writer:
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
