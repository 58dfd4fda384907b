"""Rows from JSON of any shape: a path leads to the values, and what is passed on the way are their columns.

``results/*/times/*`` takes every element or member where it has a ``*``. The key of a member becomes a column
named after what it is a member of, the position of an element likewise, and so do texts and numbers beside
the path (``config.threads`` of an object in an object). Elements of the last list are repetitions, numbered
by ``iteration``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from steelyard.core.errors import UsageError

JSON: Final = "json"
JSON_LINES: Final = "jsonl"

_STAR: Final = "*"
_DEEPEST: Final = 3
"""Objects in objects whose members are columns."""
_MOST_SHOWN: Final = 8
ITERATION: Final = "iteration"
"""Column that numbers the repetitions of a list."""

_MISSING: Final = object()
"""Value of an element of a list in which the path leads nowhere: a run that has none."""

_Key = tuple[Any, ...]

Table = tuple[list[str], list[tuple[int, list[str]]]]
"""Titles of the columns, and rows with their numbers."""


def read_rows(document: Any, paths: Sequence[str], place: str) -> tuple[Table, tuple[str, ...]]:
    """Return the table of a document, and the column of each path.

    Parameters
    ----------
    document : Any
        Decoded; of JSON lines, the list of them.
    paths : sequence of str
        To the metrics; all lead through the same objects.

    Raises
    ------
    UsageError
        A path leads to no value, or paths of several metrics lead through different objects.
    """
    merged: dict[_Key, dict[str, str]] = {}
    names = tuple(_name_column(path) for path in paths)
    for path, name in zip(paths, names, strict=True):
        steps = _split_steps(document, path)
        leaves = dict(_walk(document, steps, (), {}))
        _refuse_cells(leaves, path, place)
        if all(value is _MISSING for _, value in leaves.values()):
            numbers = list(dict.fromkeys(_list_paths(document, "")))
            examples = ", ".join(numbers[:_MOST_SHOWN]) + (", …" if len(numbers) > _MOST_SHOWN else "")
            raise UsageError(
                f"{place}: nothing is at {path!r}", hint=f"numbers are at: {examples or 'no place'}"
            )
        if merged and merged.keys() != leaves.keys():
            raise UsageError(
                f"{place}: {paths[0]} has {len(merged)} values and {path} has {len(leaves)},"
                " not of the same runs",
                hint="import one of them, or both into records of their own",
            )
        for key, (labels, value) in leaves.items():
            merged.setdefault(key, {}).update({**labels, name: _format_text(value)})
    header = list(dict.fromkeys(column for row in merged.values() for column in row))
    rows = [
        (number, [row.get(column, "") for column in header]) for number, row in enumerate(merged.values(), 1)
    ]
    return (header, rows), names


def _split_steps(document: Any, path: str) -> list[str]:
    """Return the steps of a path; a list of objects need not be named."""
    steps = [step for step in path.split("/") if step]
    if isinstance(document, list) and steps[:1] != [_STAR]:
        return [_STAR, *steps]
    return steps


def _name_column(path: str) -> str:
    names = [step for step in path.split("/") if step and step != _STAR]
    return names[-1] if names else "value"


def _walk(
    node: Any, steps: Sequence[str], key: _Key, labels: Mapping[str, str], parent: str = ""
) -> Iterator[tuple[_Key, tuple[Mapping[str, str], Any]]]:
    """Yield where each value is, but for the name of its metric, with the columns beside it."""
    if not steps:
        if isinstance(node, list):
            yield from _walk(node, [_STAR], key, labels, parent)
        else:
            yield key, (labels, node)
        return
    step, rest = steps[0], steps[1:]
    if isinstance(node, dict):
        labels = {**labels, **dict(_list_beside(node, step if step != _STAR else None))}
        if step != _STAR:
            if step in node and set(rest) <= {_STAR} and isinstance(node[step], list) and len(rest) < 2:
                yield from _walk_repetitions(node, step, key, labels)
            elif step in node:
                # The last name is that of a metric, and several metrics stand beside each other.
                is_metric = set(rest) <= {_STAR}
                yield from _walk(node[step], rest, key if is_metric else (*key, step), labels, step)
            return
        for name, member in node.items():
            yield from _walk(member, rest, (*key, name), {**labels, parent or "key": name}, name)
    elif isinstance(node, list) and step == _STAR:
        yield from _walk_elements(node, rest, key, labels, parent)


def _walk_elements(
    elements: Sequence[Any], steps: Sequence[str], key: _Key, labels: Mapping[str, str], parent: str
) -> Iterator[tuple[_Key, tuple[Mapping[str, str], Any]]]:
    """Yield the values of each element of a list; an object without any is a run that has none."""
    for place, element in enumerate(elements):
        # Positions tell the lists of several elements apart: --job takes each for one value.
        place_of = {parent: str(place)} if parent and steps and parent not in labels else {}
        leaves = list(_walk(element, steps, (*key, place), {**labels, **place_of}, parent))
        if not leaves and isinstance(element, dict):
            beside = _list_beside(element, steps[0] if steps[0] != _STAR else None)
            leaves = [((*key, place), ({**labels, **place_of, **dict(beside)}, _MISSING))]
        yield from leaves


def _walk_repetitions(
    node: Mapping[str, Any], step: str, key: _Key, labels: Mapping[str, str]
) -> Iterator[tuple[_Key, tuple[Mapping[str, str], Any]]]:
    """Yield the repetitions of a metric; lists beside it that are as long have a cell for each."""
    values = node[step]
    columns = {
        name: member
        for name, member in node.items()
        if name != step and isinstance(member, list) and len(member) == len(values)
    }
    for place, value in enumerate(values):
        cells = {name: _format_text(column[place]) for name, column in columns.items()}
        yield (*key, place), ({**labels, **cells, ITERATION: str(place)}, value)


def _refuse_cells(leaves: Mapping[_Key, tuple[Mapping[str, str], Any]], path: str, place: str) -> None:
    """Refuse a path that ends before the values."""
    for _, value in leaves.values():
        if isinstance(value, dict | list):
            kind = "an object" if isinstance(value, dict) else "a list"
            raise UsageError(f"{place}: {path} leads to {kind}", hint=f"go on: {path}/*")


def _list_beside(node: Mapping[str, Any], step: str | None, prefix: str = "") -> Iterator[tuple[str, str]]:
    """Yield the texts and numbers of an object, and of objects in it, but for what the path goes on to."""
    for name, member in node.items():
        if name == step and not prefix:
            continue
        if isinstance(member, dict):
            if step is not None and prefix.count(".") < _DEEPEST:
                yield from _list_beside(member, step, f"{prefix}{name}.")
        elif not isinstance(member, list):
            yield f"{prefix}{name}", _format_text(member)


def _list_paths(node: Any, path: str) -> Iterator[str]:
    """Yield the paths to numbers; elements of a list are alike."""
    if isinstance(node, dict):
        for name, member in node.items():
            yield from _list_paths(member, f"{path}/{name}" if path else name)
    elif isinstance(node, list):
        for element in node:
            yield from _list_paths(element, f"{path}/{_STAR}" if path else _STAR)
    elif isinstance(node, int | float) and not isinstance(node, bool):
        yield path


def _format_text(value: Any) -> str:
    if value is None or value is _MISSING:
        return ""
    return value if isinstance(value, str) else json.dumps(value)
