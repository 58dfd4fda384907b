"""Tables of several kinds, as ``[launch]``: which of them one is, and keys that belong to another."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from steelyard.core.errors import SpecError
from steelyard.spec.hints.misplaced_keys import members
from steelyard.spec.tables.values import keys_of
from steelyard.spec.text.origin import Origin, Path, nearest
from steelyard.spec.text.toml import format_value

KIND: Final = "kind"
"""The key that says which kind a table is of."""
Kinds = Mapping[str, type[msgspec.Struct]]
"""Each kind of a table, and its keys."""


def structs_of(expected: Any, value: object) -> list[type[msgspec.Struct]]:
    """Tables that the value can be: of several kinds its own, and all of them where it says none."""
    structs = [
        member
        for member in members(expected)
        if isinstance(member, type) and issubclass(member, msgspec.Struct)
    ]
    kind = value.get(KIND) if isinstance(value, dict) else None
    return [struct for struct in structs if struct.__struct_config__.tag == kind] or structs


def kinds_of(expected: Any) -> Kinds:
    """Each kind of a table, and its keys; empty where there is one alone."""
    tagged = {str(struct.__struct_config__.tag): struct for struct in structs_of(expected, None)}
    return tagged if len(tagged) > 1 else {}


def foreign_key(
    key: str,
    value: Mapping[str, object],
    kinds: Kinds,
    origin: Origin,
    path: Path,
) -> SpecError | None:
    """Return the error for a key of another kind; ``None`` where no kind has it."""
    fitting = [kind for kind, struct in kinds.items() if key in keys_of(struct)]
    if not fitting:
        return None
    text = f"has no meaning for kind = {format_value(value[KIND])}"
    return origin.error((*path, key), text, f"write kind = {_join(fitting)}, or leave {key} out")


def kind_error(value: Mapping[str, object], kinds: Kinds, origin: Origin, path: Path) -> SpecError:
    """Return the error for a table that says no kind, or one that is not there."""
    if KIND in value:
        text = f"must be {_join(kinds)}, got {format_value(value[KIND])}"
        close = nearest(str(value[KIND]), list(kinds))
        hint = f'did you mean "{close}"?' if close else f"write {_join(kinds)}"
        return origin.error((*path, KIND), text, hint)
    fitting = [kind for kind, struct in kinds.items() if value and set(value) <= set(keys_of(struct))]
    return origin.error(path, f"the key {KIND} is missing", f"write {KIND} = {_join(fitting or kinds)}")


def _join(kinds: Any) -> str:
    return " or ".join(f'"{kind}"' for kind in kinds)
