"""``Table``: named, typed columns and a stream of rows; what every format is written from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

import msgspec

from steelyard.core.units import Scalar

Type = Literal["integer", "real", "boolean", "text", "json"]

Cell = Scalar | None
"""``None`` is "not observed" or "does not apply", never zero and never an empty text."""


class TableColumn(msgspec.Struct, frozen=True):
    """A column of a table.

    Attributes
    ----------
    name : str
        Unique in its table.
    type : {"integer", "real", "boolean", "text", "json"}
        Of all its cells that are not ``None``; ``json`` is text that holds one JSON document. A factor of
        mixed levels is ``text``, and its cells keep their types: a format with one type a column converts.
    unit : str
        SI, empty for none.
    """

    name: str
    type: Type
    unit: str = ""


class Table(msgspec.Struct, frozen=True):
    """Columns in their order, and rows that can be read once."""

    columns: tuple[TableColumn, ...]
    rows: Iterator[tuple[Cell, ...]]


def type_of(levels: Iterable[Scalar]) -> Type:
    """Return the narrowest type that holds all levels without changing one."""
    kinds = {type(level) for level in levels}
    if kinds == {bool}:
        return "boolean"
    if kinds == {int}:
        return "integer"
    if kinds and kinds <= {int, float}:
        return "real"
    return "text"
