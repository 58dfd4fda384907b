"""The reference of the spec: keys, types and defaults from the typed tables, errors from the reader."""

from __future__ import annotations

import re
import typing
from collections.abc import Iterator, Mapping
from types import UnionType
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta

from documentation.markdown import GeneratedBlockError, code_blocks
from documentation.tables import table
from steelyard.core.analysis import Analysis
from steelyard.core.counters import EVENTS
from steelyard.core.errors import SpecError
from steelyard.core.units import BUILTIN, Scalar, format_duration
from steelyard.interventions import INTERVENTIONS
from steelyard.spec import loads
from steelyard.spec.check.program import COUNTERS
from steelyard.spec.claims.claim import list_kinds, struct_of
from steelyard.spec.tables.build import Build
from steelyard.spec.tables.contexts import ContextsTable, Range, Setting
from steelyard.spec.tables.design import Design, Stop
from steelyard.spec.tables.factors import LevelCommands, Zip
from steelyard.spec.tables.launch import LaunchMethod
from steelyard.spec.tables.metrics import UserMetric
from steelyard.spec.tables.program import Program, Verify
from steelyard.spec.tables.spec import SpecTable
from steelyard.spec.tables.values import Command, Commands, Duration, keys_of
from steelyard.spec.text.toml import toml_value

TABLES: Final[dict[str, type[msgspec.Struct]]] = {
    "top": SpecTable,
    "program": Program,
    "program.verify": Verify,
    "build": Build,
    "factors.NAME": Zip,
    "levels": LevelCommands,
    "contexts": ContextsTable,
    "contexts.NAME": Range,
    "design": Design,
    "design.stop": Stop,
    "metrics.NAME": UserMetric,
    "analysis": Analysis,
    **{
        f"launch.{struct.__struct_config__.tag}": struct
        for struct in typing.get_args(LaunchMethod)
        if keys_of(struct)
    },
    **{f"claims.{key}": struct_of(key) for key in list_kinds()},
}
"""What the documentation calls a table of the spec."""

_NAMED: Final[tuple[tuple[Any, str], ...]] = (
    (Command, "list of words"),
    (Commands, "list of words, or list of such lists"),
    (Duration, "time"),
    (Setting, '`"random"`, level, list of levels, or range'),
    (Scalar, "scalar"),
    (dict[str, tuple[Scalar, ...] | Zip], "table of factors"),
    (list[dict[str, Any]], "list of tables"),
    (tuple[LevelCommands, ...], "list of tables"),
)
_PLAIN: Final[dict[Any, str]] = {str: "text", int: "whole number", float: "number", bool: "`true` or `false`"}


def keys(name: str) -> str:
    """The table of the keys of a table.

    Raises
    ------
    GeneratedBlockError
        The spec has no such table.
    """
    if name not in TABLES:
        raise GeneratedBlockError(f"there is no table {name!r} in a spec; tables: {', '.join(TABLES)}")
    struct = TABLES[name]
    rows = []
    settable = keys_of(struct)
    for field in msgspec.structs.fields(struct):
        if field.encode_name not in settable or _is_in_table_of_names(struct, field.encode_name):
            continue
        hint = field.type
        kind = re.sub(r"(whole )?numbers?", rf"\g<0> {_bounds(hint)}", _words(hint), count=1).replace(
            " ,", ","
        )
        name = field.encode_name
        rows.append((f"`{name}`", kind, _default(field, hint), _description(struct, name, hint)))
    return table(("key", "type", "default", "meaning"), rows)


def _is_in_table_of_names(struct: type, name: str) -> bool:
    """Whether a key is an intervention, whose levels the table of the reserved names says."""
    return struct is ContextsTable and name in INTERVENTIONS and not INTERVENTIONS[name].is_place


def interventions() -> str:
    """The table of the reserved names."""
    rows = (
        (f"`{intervention.name}`", intervention.about, intervention.levels_text)
        for intervention in INTERVENTIONS.values()
        if not intervention.is_place
    )
    return table(("name", "what it changes", "levels"), rows)


def counters() -> str:
    """The table of the events that a spec may ask for."""
    types = {0: "hardware", 1: "software"}
    kinds = {"tree": "tree, waited for or not", "energy": "energy of a domain"}
    named: dict[str, list[str]] = {}
    for name in COUNTERS:
        event = EVENTS[name]
        named.setdefault(kinds.get(event.source, types[event.type]), []).append(f"`{name}`")
    rows = [(kind, ", ".join(names)) for kind, names in named.items()]
    return table(("kind", "names"), [*rows, ("device", "`DEVICE/EVENT/`, as `perf list` names them")])


def metrics() -> str:
    """The table of the metrics that every trial has."""
    rows = (
        (f"`{item.name}`", item.unit or "–", "–" if item.better == "neither" else item.better, item.about)
        for item in BUILTIN.values()
    )
    return table(("metric", "unit", "better", "what it is"), rows)


def error(above: str) -> str:
    """What is said of the last TOML block above, as ``steelyard run spec.toml`` prints it.

    Raises
    ------
    GeneratedBlockError
        There is no such block, or nothing is wrong with it.
    """
    specs = [code.text for code in code_blocks(above) if code.language == "toml"]
    if not specs:
        raise GeneratedBlockError("there is no TOML block above this one")
    try:
        loads(specs[-1], source="/", name="spec.toml")
    except SpecError as wrong:
        hint = f"\n\nhint: {wrong.hint}" if wrong.hint else ""
        return f"```text\nerror: {wrong.message}{hint}\n```"
    raise GeneratedBlockError("nothing is wrong with the spec above this block")


def _members(hint: Any) -> Iterator[Any]:
    """The alternatives of a type, without ``None`` and without what is only annotated."""
    if typing.get_origin(hint) is Annotated:
        yield from _members(typing.get_args(hint)[0])
    elif typing.get_origin(hint) in (typing.Union, UnionType):
        for member in typing.get_args(hint):
            yield from _members(member)
    elif hint is not type(None):
        yield hint


def _metas(hint: Any) -> Iterator[Meta]:
    if typing.get_origin(hint) is Annotated:
        inner, *metas = typing.get_args(hint)
        yield from (meta for meta in metas if isinstance(meta, Meta))
        yield from _metas(inner)
    elif typing.get_origin(hint) in (typing.Union, UnionType):
        for member in typing.get_args(hint):
            yield from _metas(member)


def _words(hint: Any) -> str:
    members = list(_members(hint))
    for kind, words in _NAMED:
        if set(members) == set(_members(kind)):
            return words
    return " or ".join(dict.fromkeys(_member(member) for member in members))


def _member(hint: Any) -> str:
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is Literal:
        return " or ".join(f"`{toml_value(argument)}`" for argument in arguments)
    if origin is tuple and arguments[-1] is not Ellipsis:
        return f"list of {len(arguments)} {_plural(_words(arguments[0]))}"
    if origin in (list, tuple):
        return f"list of {_plural(_words(arguments[0]))}"
    if origin in (dict, Mapping):
        return f"table of {_plural(_words(arguments[1]))}"
    if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
        return "table"
    return _PLAIN[hint]


def _plural(words: str) -> str:
    first, *rest = words.split(" of ", 1)
    return " of ".join([f"{first}s", *rest]) if " or " not in first else f"({words})"


def _bounds(hint: Any) -> str:
    for meta in _metas(hint):
        if meta.min_length is not None and meta.min_length == meta.max_length:
            return f"({meta.min_length} of them)"
        low = f"{meta.ge:,}" if meta.ge is not None else ""
        # A bound of 64 bits says nothing to a person.
        high = f"{meta.le:,}" if meta.le is not None and meta.le < 2**53 else ""
        if low and high:
            return f"from {low.replace('-', '−')} to {high}"
        if low:
            return f"from {low}"
        if meta.gt is not None:
            return f"above {meta.gt:g}" + (
                f", below {meta.lt:g}" if meta.lt is not None else f", at most {meta.le:g}" if meta.le else ""
            )
    return ""


def _default(field: msgspec.structs.FieldInfo, hint: Any) -> str:
    if field.required:
        return "required"
    default = field.default_factory() if field.default is msgspec.NODEFAULT else field.default
    if default is None or isinstance(default, msgspec.Struct) or default in ([], (), {}):
        return "–"
    if isinstance(default, float) and _words(hint) == "time":
        return format_duration(default)
    return f"`{toml_value(default)}`"


def _description(struct: type, name: str, hint: Any) -> str:
    description = next((meta.description for meta in _metas(hint) if meta.description), None)
    if description is None:
        raise GeneratedBlockError(f"{struct.__name__}.{name} has no description")
    return description
