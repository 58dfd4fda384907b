"""JSON Lines: one object a row, its keys in the order of the columns, ``null`` where there is no value.

Labels are objects of their own. Numbers have the digits that give the same number back, and types stay.
"""

from __future__ import annotations

from typing import BinaryIO

import msgspec

from steelyard.extensions.exchange.table import Table


def write_json_lines(table: Table, to: BinaryIO) -> None:
    """Write the table to a binary file."""
    encoder = msgspec.json.Encoder()
    names = [column.name for column in table.columns]
    nested = [place for place, column in enumerate(table.columns) if column.type == "json"]
    for row in table.rows:
        cells: list[object] = list(row)
        for place in nested:
            cells[place] = msgspec.Raw(str(cells[place]).encode())
        to.write(encoder.encode(dict(zip(names, cells, strict=True))) + b"\n")
