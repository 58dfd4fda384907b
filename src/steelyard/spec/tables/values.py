"""Types of values in several tables.

Each is one type as a person writes it, which TOML is converted to, and another once the spec is checked,
which is all that type checkers and other rooms see.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, Final

import msgspec
from msgspec import Meta

from steelyard.core.units import Scalar

if TYPE_CHECKING:
    Command = tuple[str, ...]
    Commands = tuple[tuple[str, ...], ...]
    Duration = float
    Environment = Mapping[str, str]
    Size = int
else:
    Command = str | tuple[str, ...]
    """One command: a list of words; text only with ``shell = true``."""
    Commands = tuple[str | tuple[str, ...], ...]
    """One command as a list of words, or a list of such lists."""
    Duration = str | float
    """``"60 s"``, ``"10 min"``, or a number of seconds; seconds once it is checked."""
    Environment = Mapping[str, Scalar]
    """Variables and their values; texts once it is checked."""
    Size = str | int
    """``"512 MB"``, ``"2 GiB"``, or a number of bytes; bytes once it is checked."""

WORKED_OUT: Final = {"worked_out": True}
"""Marks a field that no spec can set, in ``Meta.extra``."""


@cache
def keys_of(table: type[msgspec.Struct]) -> dict[str, Any]:
    """Keys of a table that a spec can set, each with its type."""
    return {
        field.encode_name: field.type
        for field in msgspec.structs.fields(table)
        if not _is_worked_out(field.type)
    }


def _is_worked_out(hint: Any) -> bool:
    marks = getattr(hint, "__metadata__", ())
    return any(isinstance(mark, Meta) and mark.extra == WORKED_OUT for mark in marks)
