"""``Format``: the JSON document of an answer, from the fields of the answer itself.

A struct is an object of its fields, under their names and in their order. Four rules hold everywhere: an
``Interval`` is ``[low, high]``, a ``Metric`` its name, a ``Treatment`` its id, ``Undefined`` its reason in
words. Where a document flattens a struct or shows what it computes, the struct lists its ``__lines__``:

``"p"``
    the attribute ``p``;
``"se_log=speedup.se"``
    another attribute, under this key; a method is called; ``null`` where anything on the way is ``None``, or
    is ``Undefined`` and lacks it; ``"undefined=speedup.undefined"`` is the reason of one that is, else
    ``null``;
``"*summary"``
    all lines of ``summary`` in its place;
``Part("speedup", ...)``
    an object of such lines.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cache
from typing import Any, Final

import msgspec

from steelyard.core.sample import Treatment
from steelyard.core.units import Metric
from steelyard.results.interval import Interval
from steelyard.results.undefined import Undefined


class Part(msgspec.Struct, frozen=True):
    """An object among the lines of a document; ``null`` where the attribute ``base`` is ``None``."""

    key: str
    lines: tuple[Line, ...]
    base: str = ""


Line = str | Part
Lines = tuple[Line, ...]
View = Callable[..., Any] | Lines
"""Stand-in for a value: the result of a function with an annotation, or lines."""
Views = Mapping[type, View]


def part(key: str, *lines: Line, base: str = "") -> Part:
    """Return an object under ``key`` of these lines; its paths start at ``base``, by default at the whole."""
    return Part(key, lines, base)


def _compute_bounds(interval: Interval) -> tuple[float, float]:
    return interval.low, interval.high


def _name(metric: Metric) -> str:
    return metric.name


def _get_id(treatment: Treatment) -> int:
    return treatment.id


def _get_reason(undefined: Undefined) -> str:
    return undefined.words


RULES: Final[Views] = {Interval: _compute_bounds, Metric: _name, Treatment: _get_id, Undefined: _get_reason}
_PLAIN: Final = frozenset({type(None), bool, int, float, str})


class Format(msgspec.Struct, frozen=True):
    """A kind of document.

    Attributes
    ----------
    name : str
        As in its field ``format``: ``"steelyard/comparison"``.
    version : int
        Raised where a field goes or changes its meaning; more fields may come at any time.
    content : type
        The struct that it shows.
    views : Mapping[type, function or lines]
        For types that have no lines of their own, or others here.
    extra : Mapping[str, type]
        Fields beside those of the struct that a document may have.
    """

    name: str
    version: int
    content: type
    views: Views = {}
    extra: Mapping[str, Any] = {}

    def document(self, content: object, **fields: object) -> dict[str, Any]:
        """Return the document as plain values; ``fields`` are those declared so."""
        head = {"format": self.name, "version": self.version}
        return {**head, **plain(content, self.views), **plain(fields, self.views)}

    def text(self, content: object, **fields: object) -> str:
        """Return the document as it is printed."""
        return write_json(self.document(content, **fields))


def write_json(content: object) -> str:
    r"""Plain values as JSON, one field a line, ended by a line feed; NaN and infinities become null.

    A command line may hold bytes that are not UTF-8, which Python keeps as lone surrogates and JSON cannot;
    they are written as escapes (``\udcff``).
    """
    try:
        encoded = msgspec.json.encode(content)
    except UnicodeEncodeError:
        encoded = msgspec.json.encode(_escape(msgspec.to_builtins(content)))
    return msgspec.json.format(encoded, indent=2).decode() + "\n"


def _escape(content: object) -> object:
    if isinstance(content, str):
        return content.encode("utf-8", "backslashreplace").decode()
    if isinstance(content, dict):
        return {_escape(key): _escape(value) for key, value in content.items()}
    if isinstance(content, list | tuple):
        return [_escape(item) for item in content]
    return content


def plain(value: Any, views: Views = RULES) -> Any:
    """Return a value of an answer as numbers, text, lists and objects, by the rules of the module."""
    kind: Any = type(value)
    if kind in _PLAIN:
        return value
    view = views.get(kind) or RULES.get(kind)
    if callable(view):
        return plain(view(value), views)
    if view is not None or issubclass(kind, msgspec.Struct):
        return _get_object(value, _get_steps(view) if view else _get_own_steps(kind), views)
    if isinstance(value, Mapping):
        return {str(key): plain(item, views) for key, item in value.items() if item is not msgspec.UNSET}
    if isinstance(value, Sequence | AbstractSet) and not isinstance(value, str):
        return [plain(item, views) for item in value]
    return value


class _Step(msgspec.Struct, frozen=True):
    """A line, taken apart once: an attribute, an object of ``inner`` steps, or a struct to spread."""

    key: str
    path: tuple[str, ...]
    inner: tuple[_Step, ...] | None = None
    spread: bool = False


@cache
def _get_steps(lines: Lines) -> tuple[_Step, ...]:
    return tuple(map(_make_step, lines))


def _make_step(line: Line) -> _Step:
    if isinstance(line, Part):
        return _Step(line.key, _get_names(line.base), _get_steps(line.lines))
    if line.startswith("*"):
        return _Step("", _get_names(line[1:]), spread=True)
    key, _, path = line.partition("=")
    return _Step(key, _get_names(path or key))


def _get_names(path: str) -> tuple[str, ...]:
    return tuple(path.split(".")) if path else ()


def _get_object(value: Any, steps: Iterable[_Step], views: Views) -> dict[str, Any]:
    entries: dict[str, Any] = {}
    for step in steps:
        value_of = _describe_reached(value, step.path)
        if type(value_of) in _PLAIN and not step.spread:
            entries[step.key] = value_of
        elif step.spread:
            entries |= _get_object(value_of, _get_steps(lines_of(type(value_of), views)), views)
        elif step.inner is not None:
            entries[step.key] = _get_object(value_of, step.inner, views)
        elif value_of is not msgspec.UNSET:
            entries[step.key] = plain(value_of, views)
    return entries


def _describe_reached(value: Any, path: Iterable[str]) -> Any:
    for name in path:
        if name == "undefined":
            value = value if type(value) is Undefined else getattr(value, name, None)
        elif value is None or (type(value) is Undefined and not hasattr(value, name)):
            return None
        else:
            value = getattr(value, name)
            if type(value) is types.MethodType:
                value = value()
    return value


def lines_of(kind: Any, views: Views) -> Lines:
    """Return the lines of a struct: those of a view, else its own."""
    view = views.get(kind)
    return view if isinstance(view, tuple) else _list_own_lines(kind)


@cache
def _list_own_lines(kind: Any) -> Lines:
    declared: Lines | None = getattr(kind, "__lines__", None)
    if declared is not None:
        return declared
    named = zip(kind.__struct_encode_fields__, kind.__struct_fields__, strict=True)
    return tuple(key if key == name else f"{key}={name}" for key, name in named)


@cache
def _get_own_steps(kind: Any) -> tuple[_Step, ...]:
    return _get_steps(_list_own_lines(kind))
