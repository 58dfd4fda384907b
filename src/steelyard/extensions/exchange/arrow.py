"""Parquet and Arrow, by arro3: columns with their types, units in the metadata of each (``unit``)."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any, BinaryIO, Final, TypeVar

from steelyard.core.errors import MachineError
from steelyard.extensions.exchange.table import Cell, Table, TableColumn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_Result = TypeVar("_Result")

ROWS_AT_ONCE: Final = 16_384
"""A row group: 4 MB of the widest tables, so that memory does not grow with the record."""


def write_parquet(table: Table, to: BinaryIO, **options: Any) -> None:
    """Write the table to a binary file as Parquet; ``options`` as arro3's ``write_parquet`` has them.

    Raises
    ------
    MachineError
        arro3 is not installed.
    """
    core, write = _load_arro3("Parquet")
    transfer = _Transfer(table, to)
    reader = transfer.open_reader(core)
    chosen = {"compression": "snappy", "max_row_group_size": ROWS_AT_ONCE, **options}
    write.write_parquet(reader, transfer, **chosen)
    transfer.end()


def write_arrow(table: Table, to: BinaryIO) -> None:
    """Write the table to a binary file in Arrow's file format (Feather 2); errors as ``write_parquet``."""
    core, write = _load_arro3("Arrow")
    transfer = _Transfer(table, to)
    write.write_ipc(transfer.open_reader(core), transfer, compression=None)
    transfer.end()


def _load_arro3(form: str) -> tuple[Any, Any]:
    try:
        import arro3.core
        import arro3.io
    except ImportError as error:
        raise MachineError(
            f"{form} needs arro3-io, which is not installed", hint="pip install arro3-io"
        ) from error
    return arro3.core, arro3.io


class _Transfer:
    """Rows on their way through arro3, which panics where its file fails and forgets what ended the rows.

    So it sees neither: after an error there are no more rows, what it writes is dropped, and ``end`` raises.
    """

    def __init__(self, table: Table, to: BinaryIO) -> None:
        self._table = table
        self._to = to
        self._error: BaseException | None = None

    def open_reader(self, core: Any) -> Any:
        """Return the rows as arro3 takes them, in batches that are made as it asks for them."""
        types = {
            "integer": core.DataType.int64(),
            "real": core.DataType.float64(),
            "boolean": core.DataType.bool(),
            "text": core.DataType.string(),
            "json": core.DataType.string(),
        }
        columns = self._table.columns
        schema = core.Schema([_make_field(core, column, types[column.type]) for column in columns])

        def make_batches() -> Iterator[Any]:
            while rows := self._attempt(lambda: list(islice(self._table.rows, ROWS_AT_ONCE))):
                arrays = [
                    core.Array([_make_cell(cell, column) for cell in cells], types[column.type])
                    for column, cells in zip(columns, zip(*rows, strict=True), strict=True)
                ]
                yield core.RecordBatch.from_arrays(arrays, schema=schema)

        return core.RecordBatchReader.from_batches(schema, make_batches())

    def write(self, content: bytes) -> int:
        """Write to the file, or drop what comes after an error."""
        self._attempt(lambda: self._to.write(content))
        return len(content)

    def seek(self, offset: int, whence: int = 0) -> int:
        """Refuse: arro3 wants files to have it, and writes both formats from front to end."""
        raise NotImplementedError(f"seek {offset} from {whence}")

    def flush(self) -> None:
        """Flush the file."""
        self._attempt(self._to.flush)

    def end(self) -> None:
        """Raise the first error, if there was one."""
        if self._error is not None:
            raise self._error

    def _attempt(self, action: Callable[[], _Result]) -> _Result | None:
        if self._error is None:
            try:
                return action()
            except BaseException as error:  # noqa: BLE001 - raised again by end
                self._error = error
        return None


def _make_field(core: Any, column: TableColumn, kind: Any) -> Any:
    return core.Field(column.name, kind, metadata={"unit": column.unit} if column.unit else None)


def _make_cell(cell: Cell, column: TableColumn) -> Cell:
    """Return the cell in the one type that its column has."""
    if cell is None or column.type != "text" or isinstance(cell, str):
        return cell
    return str(cell).lower() if isinstance(cell, bool) else str(cell)
