"""The type of a document, and so its JSON Schema, from the types of the fields that it shows."""

from __future__ import annotations

import types
from collections.abc import Iterable
from functools import reduce
from operator import or_
from typing import Annotated, Any, ClassVar, Literal, Union, get_args, get_origin, get_type_hints

import msgspec

from steelyard.results.document import RULES, Format, Line, Part, Views, lines_of
from steelyard.results.undefined import Undefined

_Field = tuple[str, Any] | tuple[str, Any, Any]


def document_type(of: Format) -> type[msgspec.Struct]:
    """Return a struct with the fields of the document, to decode one with."""
    shapes = _Shapes(of.views)
    head: list[_Field] = [("format", Literal[of.name]), ("version", Literal[of.version])]
    more: list[_Field] = [
        (key, _either([shapes.of(item), msgspec.UnsetType]), msgspec.UNSET) for key, item in of.more.items()
    ]
    return _struct(of.content, [*head, *shapes.fields(of.content, lines_of(of.content, of.views)), *more])


def schema(of: Format) -> dict[str, Any]:
    """Return the JSON Schema of the document."""
    return msgspec.json.schema(document_type(of))


class _Shapes:
    """The types of what ``plain`` makes of values of a type."""

    def __init__(self, views: Views) -> None:
        self._views = views
        self._known: dict[type, type[msgspec.Struct]] = {}

    def of(self, kind: Any) -> Any:
        """One type."""
        origin = get_origin(kind)
        if origin is Annotated:
            return self.of(get_args(kind)[0])
        if origin in (Union, types.UnionType):
            return _either(map(self.of, get_args(kind)))
        if origin is not None and origin is not Literal:
            return origin[tuple(arg if arg is ... else self.of(arg) for arg in get_args(kind))]
        return self._plain(kind) if isinstance(kind, type) else kind

    def _plain(self, kind: type) -> Any:
        view = self._views.get(kind) or RULES.get(kind)
        if callable(view):
            return self.of(get_type_hints(view)["return"])
        if view is None and not issubclass(kind, msgspec.Struct):
            return kind
        if kind not in self._known:
            self._known[kind] = _struct(kind, self.fields(kind, lines_of(kind, self._views)))
        return self._known[kind]

    def fields(self, kind: Any, lines: Iterable[Line]) -> list[_Field]:
        """Name and type of what each line shows of a struct."""
        return [field for line in lines for field in self._line(kind, line)]

    def _line(self, kind: Any, line: Line) -> list[_Field]:
        if isinstance(line, Part):
            return [(line.key, self._part(_at(kind, line.of), line))]
        if line.startswith("*"):
            its = _at(kind, line[1:])
            return self.fields(its, lines_of(its, self._views))
        key, _, path = line.partition("=")
        return [(key, self.of(_at(kind, path or key)))]

    def _part(self, kind: Any, part: Part) -> Any:
        (its,) = (member for member in _get_members(kind) if member is not type(None))
        shape = msgspec.defstruct(
            part.key.title().replace("_", ""), self.fields(its, part.lines), frozen=True
        )
        return shape if its is kind else _either([shape, type(None)])


def _struct(of: type, fields: Iterable[_Field]) -> type[msgspec.Struct]:
    return msgspec.defstruct(of.__name__, fields, frozen=True, namespace={"__doc__": of.__doc__})


def _at(kind: Any, path: str) -> Any:
    """Return the type of what stands at the end of a path, with ``None`` where one on the way can be."""
    for name in path.split(".") if path else ():
        kind = _either(_make_attribute(member, name) for member in _get_members(kind))
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
    its = getattr(kind, name)
    return get_type_hints(its.fget if isinstance(its, property) else its)["return"]


def _get_members(kind: Any) -> tuple[Any, ...]:
    return get_args(kind) if get_origin(kind) in (Union, types.UnionType) else (kind,)


def _either(kinds: Iterable[Any]) -> Any:
    return reduce(or_, dict.fromkeys(kinds))
