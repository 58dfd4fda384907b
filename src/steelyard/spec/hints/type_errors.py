"""Errors about values of the wrong type: one sentence from msgspec's refusal of a whole spec.

msgspec names no keys of tables with free keys (``$.factors[...]``), so the value is looked for again, type by
type, in the error's path only.
"""

from __future__ import annotations

import re
import shlex
import typing
from collections.abc import Iterator, Mapping
from typing import Any, Final, Literal

import msgspec
from msgspec import Meta

from steelyard.core.errors import SpecError
from steelyard.core.units import Scalar
from steelyard.spec.hints.did_you_mean import (
    Levels,
    is_scalar,
    suggest_key,
    suggest_level,
    suggest_levels,
    suggest_number,
    suggest_option,
)
from steelyard.spec.hints.misplaced_keys import alias_of, members, table_of
from steelyard.spec.hints.tagged import KIND, foreign_key, kind_error, kinds_of, structs_of
from steelyard.spec.tables.values import keys_of
from steelyard.spec.text.origin import Origin, Path, nearest
from steelyard.spec.text.toml import format_value, toml_value

_KINDS: Final = {
    "str": "text in quotes",
    "int": "an integer",
    "float": "a number",
    "bool": "true or false",
    "array": "a list",
    "object": "a table",
}
_TABLES: Final = (dict, Mapping)
_LISTS: Final = (list, tuple)
_BOUNDS: Final = {">=": "at least", "<=": "at most", ">": "above", "<": "below"}
_EXPECTED = re.compile(r"Expected `([^`]+)`(?: of length)?(?: (>=|<=|>|<) (\S+)| (\d+))?")
_FIELD = re.compile(r"Object (contains unknown|missing required) field `(.*)`", re.DOTALL)


def type_error(
    expected: Any, value: object, origin: Origin, path: Path = (), *, levels: Levels | None = None
) -> SpecError:
    """Return the first of ``type_errors``."""
    return next(type_errors(expected, value, origin, path, levels=levels))


def type_errors(
    expected: Any, value: object, origin: Origin, path: Path = (), *, levels: Levels | None = None
) -> Iterator[SpecError]:
    """Every error in ``value``, which msgspec will not convert to ``expected``.

    With the ``levels`` of the spec, hints say which of them were meant.
    """
    levels = levels or {}
    wrong = {
        key: (child_type, child)
        for key, child_type, child in _list_children(expected, value)
        if _get_refusal(child_type, child)
    }
    for key, (child_type, child) in wrong.items():
        yield from type_errors(child_type, child, origin, (*path, key), levels=levels)
    if wrong and not isinstance(value, dict):
        return
    rest: Any = value
    if isinstance(value, dict):
        rest = {key: item for key, item in value.items() if key not in wrong}
    while message := _get_refusal(expected, rest):
        field = _FIELD.match(message)
        if field and field[1] == "missing required" and field[2] in wrong:
            return
        yield _make_own_error(expected, value, origin, path, message, levels)
        if not field or field[1] != "contains unknown":
            return
        rest = {key: item for key, item in rest.items() if key != field[2]}


def _make_own_error(
    expected: Any, value: object, origin: Origin, path: Path, message: str, levels: Levels
) -> SpecError:
    """Return the error for what is wrong with a value itself, and not with anything in it."""
    field, kinds = _FIELD.match(message), kinds_of(expected)
    if kinds and isinstance(value, dict) and value.get(KIND) not in list(kinds):
        return kind_error(value, kinds, origin, path)
    if field:
        return _make_key_error(expected, value, origin, path, field, levels)
    options = _read_options(expected)
    if message.startswith("Invalid enum value") and options:
        text = _join_either([*_list_other_kinds(expected), *(f'"{option}"' for option in options)])
        hint = suggest_option(path, str(value), options) or f"write {text}"
        return origin.error(path, f"must be {text}, got {format_value(value)}", hint)
    return _make_kind_error(expected, value, origin, path, message, levels)


def _make_key_error(
    expected: Any, value: Any, origin: Origin, path: Path, field: re.Match[str], levels: Levels
) -> SpecError:
    """Return the error for a key that a table does not have, or lacks."""
    key = field[2]
    if field[1] == "missing required":
        examples = [toml_value(example) for example in _list_examples(expected, value, key)]
        cure = ", or ".join(f"{key} = {example}" for example in examples or ["…"])
        return origin.error(path, f"the key {key} is missing", f"write {cure}")
    if foreign := foreign_key(key, value, kinds_of(expected), origin, path):
        return foreign
    hint = suggest_key(key, value, _list_fields(expected, value), levels)
    if hint is not None:
        return origin.error((*path, key), "unknown key", hint)
    return unknown_key(key, _list_fields(expected, value), origin, path)


def _make_kind_error(
    expected: Any, value: object, origin: Origin, path: Path, message: str, levels: Levels
) -> SpecError:
    """Return the error for a value of another kind than is wanted, or beyond a bound."""
    text = _describe_expected(message)
    if isinstance(value, dict) and len(path) == 1 and _is_list_of_tables(expected):
        hint = f"write [[{path[0]}]], with two brackets on either side"
    elif path and text == _KINDS["object"] and (fitting := _get_key_for(expected, value)):
        table = toml_value({fitting: value})
        hint = f"write {path[-1]} = {table}" if path[1:] else f"write [{path[0]}], and {table[2:-2]} below it"
    elif path and text == _KINDS["object"] and _is_cell(expected, path):
        hint = suggest_levels(str(path[-1]), value, levels)
    else:
        hint = (
            suggest_level(expected, path, value, levels)
            or _get_cure(message, value)
            or (suggest_number(expected, str(path[-1]), value) if path else None)
            or f"write {text}"
        )
    return origin.error(path, f"must be {text}, got {format_value(value)}", hint)


def unknown_key(key: str, names: typing.Iterable[str], origin: Origin, path: Path) -> SpecError:
    """Return the error for a key that a table does not have."""
    keys = list(names)
    if close := alias_of(key, keys) or nearest(key, keys, cutoff=0.8):
        hint = f"did you mean {close}?"
    elif tables := table_of(key, path):
        hint = f"{key} belongs below {tables}"
    elif close := nearest(key, keys):
        hint = f"did you mean {close}?"
    else:
        hint = f"keys known here: {', '.join(keys)}"
    return origin.error((*path, key), "unknown key", hint)


def _get_refusal(expected: Any, value: object) -> str | None:
    try:
        msgspec.convert(value, expected)
    except msgspec.ValidationError as error:
        return str(error)
    return None


def _list_children(expected: Any, value: object) -> Iterator[tuple[str | int, Any, object]]:
    """Key, type and value of everything one level below."""
    for member in members(expected):
        if isinstance(value, dict) and member in structs_of(expected, value):
            keys = keys_of(member)
            yield from ((key, keys[key], item) for key, item in value.items() if key in keys)
        elif isinstance(value, dict) and typing.get_origin(member) in _TABLES:
            yield from ((key, typing.get_args(member)[1], item) for key, item in value.items())
        elif isinstance(value, (list, tuple)) and typing.get_origin(member) in _LISTS:
            yield from ((i, typing.get_args(member)[0], item) for i, item in enumerate(value))


def _is_list_of_tables(expected: Any) -> bool:
    return any(
        issubclass(member_of, msgspec.Struct)
        if isinstance(member_of, type)
        else typing.get_origin(member_of) in _TABLES
        for member in members(expected)
        if typing.get_origin(member) in _LISTS
        for member_of in members(typing.get_args(member)[0])
    )


def _is_cell(expected: Any, path: Path) -> bool:
    """Whether it is a table of factors and a level of each; ``env`` only looks like one."""
    return path[-1] != "env" and any(
        typing.get_origin(member) in _TABLES and typing.get_args(member)[1] == Scalar
        for member in members(expected)
    )


def _list_examples(expected: Any, value: object, key: str) -> list[Any]:
    """Examples that the type of a key has."""
    structs = structs_of(expected, value) if isinstance(value, dict) else []
    hints = [keys_of(struct)[key] for struct in structs if key in keys_of(struct)]
    metas = [meta for hint in hints for meta in getattr(hint, "__metadata__", ()) if isinstance(meta, Meta)]
    return [example for meta in metas for example in meta.examples or ()]


def _list_fields(expected: Any, value: object) -> list[str]:
    structs = structs_of(expected, value) if isinstance(value, dict) else []
    tag = [KIND] if kinds_of(expected) else []
    return tag + [key for struct in structs for key in keys_of(struct)] if structs else []


def _get_key_for(expected: Any, value: object) -> str | None:
    """Return the first key of the wanted table that could have this value, and alone."""
    if not is_scalar(value):
        return None
    keys = (key for struct in structs_of(expected, None) for key in keys_of(struct))
    return next((key for key in keys if _get_refusal(expected, {key: value}) is None), None)


def _read_options(expected: Any) -> list[str]:
    return [
        str(arg) for m in members(expected) if typing.get_origin(m) is Literal for arg in typing.get_args(m)
    ]


def _list_other_kinds(expected: Any) -> list[str]:
    """Say in words what a value may be besides one of some texts."""
    return ["an integer" for member in members(expected) if member is int]


def _join_either(words: list[str]) -> str:
    return f"{', '.join(words[:-1])} or {words[-1]}" if len(words) > 1 else words[0]


def _describe_expected(message: str) -> str:
    match = _EXPECTED.match(message)
    if not match:
        # An integer beyond 64 bits, for one.
        return f"something else ({message[0].lower()}{message[1:]})"
    named = match[1].split(" | ")
    kinds = [words for kind, words in _KINDS.items() if kind in named]
    if "a number" in kinds and "an integer" in kinds:
        kinds.remove("an integer")
    words = _join_either(kinds)
    if match[4]:
        return f"a list of {match[4]}"
    if match[2] and "of length" in message:
        return f"a list of {_BOUNDS[match[2]]} {match[3]}"
    return f"{words} {_BOUNDS[match[2]]} {match[3].removesuffix('.0')}" if match[2] else words


def _get_cure(message: str, value: object) -> str | None:
    expected = _EXPECTED.match(message)
    kinds = [kind for kind in expected[1].split(" | ") if kind != "null"] if expected else []
    if "array" in kinds and is_scalar(value):
        return f"write a list: {_suggest_list(value)}"
    if "str" in kinds and isinstance(value, (bool, int, float)):
        return f'write it in quotes: "{format_value(value)}"'
    if isinstance(value, str) and kinds in (["int"], ["float"], ["bool"]) and _looks_like(value, kinds[0]):
        return "leave out the quotes"
    return None


def _looks_like(text: str, kind: str) -> bool:
    return (
        text in ("true", "false")
        if kind == "bool"
        else bool(re.fullmatch(r"[+-]?[0-9.]+(e[+-]?[0-9]+)?", text))
    )


def _suggest_list(value: str | float) -> str:
    """Return the list that was probably meant; text is split into words as a shell does."""
    try:
        return (
            toml_value(shlex.split(value.replace(", ", " ")))
            if isinstance(value, str)
            else toml_value([value])
        )
    except ValueError:
        return toml_value([value])
