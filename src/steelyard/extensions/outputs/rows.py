"""Rows of a document, found by paths with wildcards, and their fields.

A path has steps between slashes: ``jobs`` is a key; ``*`` is every element of a list or value of a mapping;
``{op}`` is the same, and its key, or its number from 1, is a field of the row; ``{op=read|write}`` is those
keys alone; ``column[title=cputime]`` is the elements of a list with that value. The path of a field begins at
its row, with ``../`` at what the row is in, with a slash at the document; ``{op}`` is a key on the way.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec

_KEYS: Final = re.compile(r"\{(\w+)(?:=([^}]*))?\}")
_CHOICE: Final = re.compile(r"([^\[]*)\[(\w+)=([^\]]*)\]")


class Row(msgspec.Struct, frozen=True):
    """A place in a document.

    Attributes
    ----------
    node : object
        What is there: a mapping, a list, a text or a number.
    names : Mapping[str, str or int]
        Keys on the way that have a name in the path.
    above : tuple of object
        What the place is in, from the document on.
    """

    node: Any
    names: Mapping[str, Any] = {}
    above: tuple[Any, ...] = ()

    def get(self, field: str) -> Any:
        """Return the first value of a field, ``None`` for none."""
        return next(self.list_values(field), None)

    def list_values(self, field: str) -> Iterator[Any]:
        """Every value of a field; of a list, its elements."""
        if field.startswith("{"):
            yield from filter(None, [self.names.get(field[1:-1])])
            return
        nodes = (*self.above, self.node)
        path = field.removeprefix("/")
        node = nodes[0] if path != field else self.node
        while path.startswith("../"):
            nodes, path = nodes[:-1], path.removeprefix("../")
            node = nodes[-1]
        for row in list_places(Row(node), path):
            if isinstance(row.node, list):
                yield from row.node
            elif row.node is not None:
                yield row.node


def list_rows(document: object, path: str) -> Iterator[Row]:
    """Find the rows of a document, in their order."""
    yield from list_places(Row(document), path)


def list_places(row: Row, path: str) -> Iterator[Row]:
    """Find places below a row."""
    if not path:
        yield row
        return
    step, _, rest = path.partition("/")
    for key, node in _list_steps(row.node, step):
        named = _KEYS.fullmatch(step)
        names = {**row.names, named[1]: key} if named else row.names
        yield from list_places(Row(node, names, (*row.above, row.node)), rest)


def _list_steps(node: Any, step: str) -> Iterator[tuple[str | int, Any]]:
    """Yield the key and the node of every match of a step."""
    if choice := _CHOICE.fullmatch(step):
        elements = node.get(choice[1]) if isinstance(node, Mapping) else None
        for number, element in enumerate(elements if isinstance(elements, list) else (), start=1):
            if isinstance(element, Mapping) and str(element.get(choice[2])) == choice[3]:
                yield number, element
        return
    keys = _KEYS.fullmatch(step)
    if step != "*" and keys is None:
        if isinstance(node, Mapping) and step in node:
            yield step, node[step]
        return
    pairs = (
        node.items()
        if isinstance(node, Mapping)
        else enumerate(node, start=1)
        if isinstance(node, list)
        else ()
    )
    chosen = set(keys[2].split("|")) if keys and keys[2] else None
    yield from ((key, value) for key, value in pairs if chosen is None or key in chosen)
