"""The type of a document, and so its JSON Schema, from the types of the fields that it shows."""

from __future__ import annotations

import types
from collections.abc import Iterable
from functools import reduce
from operator import or_
from typing import Annotated, Any, ClassVar, Literal, Union, get_args, get_origin, get_type_hints

import msgspec

from steelyard.core.extension import list_protocols, load
from steelyard.results.document import RULES, Format, Line, Part, Views, lines_of
from steelyard.results.protocol import ProtocolResult
from steelyard.results.undefined import Undefined

_Field = tuple[str, Any] | tuple[str, Any, Any]


def document_type(format_: Format) -> type[msgspec.Struct]:
    """Return a struct with the fields of the document, to decode one with."""
    shapes = _Shapes(format_.views)
    head: list[_Field] = [("format", Literal[format_.name]), ("version", Literal[format_.version])]
    fields: list[_Field] = [
        (key, _join_either([shapes.choose(item), msgspec.UnsetType]), msgspec.UNSET)
        for key, item in format_.extra.items()
    ]
    return _define_struct(
        format_.content,
        [*head, *shapes.fields(format_.content, lines_of(format_.content, format_.views)), *fields],
    )


def schema(format_: Format) -> dict[str, Any]:
    """Return the JSON Schema of the document."""
    return msgspec.json.schema(document_type(format_))


class _Shapes:
    """The types of what ``plain`` makes of values of a type."""

    def __init__(self, views: Views) -> None:
        self._views = views
        self._types: dict[type, type[msgspec.Struct]] = {}

    def choose(self, kind: Any) -> Any:
        """One type."""
        origin = get_origin(kind)
        if origin is Annotated:
            return self.choose(get_args(kind)[0])
        if origin in (Union, types.UnionType):
            return _join_either(map(self.choose, get_args(kind)))
        if origin is not None and origin is not Literal:
            return origin[tuple(arg if arg is ... else self.choose(arg) for arg in get_args(kind))]
        return self._convert(kind) if isinstance(kind, type) else kind

    def _convert(self, kind: type) -> Any:
        if kind is ProtocolResult:
            return _join_either(
                [self.choose(load(entry.struct)) for entry in list_protocols().values()] or [Any]
            )
        view = self._views.get(kind) or RULES.get(kind)
        if callable(view):
            return self.choose(get_type_hints(view)["return"])
        if view is None and not issubclass(kind, msgspec.Struct):
            return kind
        if kind not in self._types:
            self._types[kind] = _define_struct(kind, self.fields(kind, lines_of(kind, self._views)))
        return self._types[kind]

    def fields(self, kind: Any, lines: Iterable[Line]) -> list[_Field]:
        """Name and type of what each line shows of a struct."""
        return [field for line in lines for field in self._render_line_of(kind, line)]

    def _render_line_of(self, kind: Any, line: Line) -> list[_Field]:
        if isinstance(line, Part):
            return [(line.key, self._convert_part(_get_at(kind, line.base), line))]
        if line.startswith("*"):
            kind_of = _get_at(kind, line[1:])
            return self.fields(kind_of, lines_of(kind_of, self._views))
        key, _, path = line.partition("=")
        return [(key, self.choose(_get_at(kind, path or key)))]

    def _convert_part(self, kind: Any, part: Part) -> Any:
        (member_type,) = (member for member in _get_members(kind) if member is not type(None))
        shape = msgspec.defstruct(
            part.key.title().replace("_", ""), self.fields(member_type, part.lines), frozen=True
        )
        return shape if member_type is kind else _join_either([shape, type(None)])


def _define_struct(base: type, fields: Iterable[_Field]) -> type[msgspec.Struct]:
    return msgspec.defstruct(base.__name__, fields, frozen=True, namespace={"__doc__": base.__doc__})


def _get_at(kind: Any, path: str) -> Any:
    """Return the type of what stands at the end of a path, with ``None`` where one on the way can be."""
    for name in path.split(".") if path else ():
        kind = _join_either(_make_attribute(member, name) for member in _get_members(kind))
    return kind


def _make_attribute(kind: Any, name: str) -> Any:
    if kind in (type(None), Any):
        return kind
    if not isinstance(kind, type):  # a literal
        kind = str
    hints = get_type_hints(kind)
    if name in hints:
        return get_args(hints[name])[0] if get_origin(hints[name]) is ClassVar else hints[name]
    if name == "undefined":
        return kind if kind is Undefined else type(None)
    if kind is Undefined and not hasattr(kind, name):
        return type(None)
    attribute = getattr(kind, name)
    return get_type_hints(attribute.fget if isinstance(attribute, property) else attribute)["return"]


def _get_members(kind: Any) -> tuple[Any, ...]:
    return get_args(kind) if get_origin(kind) in (Union, types.UnionType) else (kind,)


def _join_either(kinds: Iterable[Any]) -> Any:
    return reduce(or_, dict.fromkeys(kinds))
