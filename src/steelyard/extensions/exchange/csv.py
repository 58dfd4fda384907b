"""CSV and TSV: RFC 4180 quoting, UTF-8, one header line, lines that end in a newline as files here do.

A missing value is an empty field, an empty text is ``""``, booleans are ``true`` and ``false``, and a number
has the digits that give the same number back.

Text goes out as it is. A spreadsheet that takes a level such as ``=1+1`` for a formula would do so in any
file with this level in it; import such columns as text.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final, TextIO

from steelyard.extensions.exchange.table import Table

# Blanks at the ends are within quotes because some readers strip them.
_QUOTED = re.compile(r'[",\t\r\n]|^\s|\s$|^$')


def _quote(value: str) -> str:
    return '"' + value.replace('"', '""') + '"' if _QUOTED.search(value) else value


_FIELD: Final[dict[type, Callable[[Any], str]]] = {
    str: _quote,
    int: str,
    float: repr,
    bool: lambda value: "true" if value else "false",
    type(None): lambda _: "",
}


def write_csv(table: Table, to: TextIO, separator: str = ",") -> None:
    """Write the table to a text file that was opened with ``newline=""`` and ``encoding="utf-8"``."""
    to.write(separator.join(_quote(column.name) for column in table.columns) + "\n")
    to.writelines(separator.join([_FIELD[type(cell)](cell) for cell in row]) + "\n" for row in table.rows)
