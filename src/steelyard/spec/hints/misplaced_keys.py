"""Keys that a spec has, but not where they stand."""

from __future__ import annotations

import typing
from collections.abc import Iterator, Sequence
from types import UnionType
from typing import Annotated, Any, Final

import msgspec

from steelyard.spec.tables.values import keys_of

_OTHER_TOOLS: Final = {
    **dict.fromkeys(("warmup", "warmups"), ("discard",)),
    **dict.fromkeys(("runs", "repetitions"), ("blocks",)),
    # Other kinds of claims call these differently.
    **dict.fromkeys(("than", "to", "without", "baseline", "versus", "vs"), ("than", "to", "without")),
    "margin": ("within",),
    **dict.fromkeys(("at", "when", "strata"), ("where",)),
}
"""What other tools that measure, and other tables, call a key; the first that a table has is meant."""


def alias_of(key: str, names: Sequence[str]) -> str | None:
    """Key that means here what ``key`` means in other tools or tables, if the table has it."""
    return next((ours for ours in _OTHER_TOOLS.get(key, ()) if ours in names), None)


def table_of(key: str, path: tuple[str | int, ...]) -> str | None:
    """Header in TOML of the table that has ``key``, or of the two that have; ``None`` for none or more.

    Tables within that at ``path`` come first; for a claim, which is one of many, no table is suggested.
    """
    from steelyard.spec.tables.spec import SpecTable

    if any(isinstance(part, int) for part in path):
        return None
    homes = [place for place, table in _list_tables(SpecTable) if place and key in keys_of(table)]
    places = [home for home in homes if home[: len(path)] == path] if path else []
    headers = [f"[{'.'.join(place)}]" for place in places or homes]
    return " or ".join(headers) if len(headers) in {1, 2} else None


def _list_tables(table: Any, place: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every table with names of its own on the way to it, and where it stands."""
    yield place, table
    for name, hint in keys_of(table).items():
        for member in members(hint):
            if isinstance(member, type) and issubclass(member, msgspec.Struct):
                yield from _list_tables(member, (*place, name))


def members(hint: Any) -> Iterator[Any]:
    """Yield the alternatives of a type, without what is only annotated."""
    if typing.get_origin(hint) is Annotated:
        yield from members(typing.get_args(hint)[0])
    elif typing.get_origin(hint) in {typing.Union, UnionType}:
        for member in typing.get_args(hint):
            yield from members(member)
    else:
        yield hint
