"""Shapes of results: documents of JSON or XML, events, tables, and lines that a program prints."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, Literal
from xml.etree import ElementTree as ET

import msgspec

from steelyard.core.errors import UsageError
from steelyard.files.reading import check_width, decode_document, too_deep

_AGAIN: Final = "write the file again, or copy all of it: nothing was imported"
_START: Final = re.compile(r'^[ \t]*(?=\{\s*["}]|\[\s*[{\]])', re.MULTILINE)
"""Where a document may begin: an object, or a list of them, and no other text in brackets."""


class Json(msgspec.Struct, frozen=True):
    """One document of JSON or several, one after the other, behind what a program printed before them.

    Attributes
    ----------
    prepare : callable, optional
        What makes a document of rows of one that is arranged otherwise.
    """

    prepare: Callable[[Any], Any] | None = None

    def parse(self, text: str, place: str) -> Iterator[Any]:
        """Yield each document; of a list, each element.

        Raises
        ------
        UsageError
            The text is not JSON, is cut off, or is nested too deeply.
        """
        decoder = json.JSONDecoder()
        match = _START.search(text)
        if match is None:
            raise UsageError(f"{place}: no JSON in the file", hint=_AGAIN)
        position = match.end()
        while position < len(text):
            try:
                document, position = decoder.raw_decode(text, position)
            except RecursionError:
                raise too_deep(place, _AGAIN) from None
            except ValueError as error:
                raise UsageError(f"{place}: not JSON: {error}", hint=_AGAIN) from None
            for element in document if isinstance(document, list) else [document]:
                yield self.prepare(element) if self.prepare else element
            after = _START.search(text, position)
            position = after.end() if after else len(text)


class Xml(msgspec.Struct, frozen=True):
    """A document of XML: attributes are fields, and elements of one name a list.

    Attributes
    ----------
    prepare : callable, optional
        As of ``Json``.
    """

    prepare: Callable[[Any], Any] | None = None

    def parse(self, text: str, place: str) -> Iterator[Any]:
        """Yield the root.

        Raises
        ------
        UsageError
            The text is not XML, or is cut off.
        """
        try:
            root = ET.fromstring(text)  # noqa: S314 -- expat refuses entities that grow, and loads nothing
        except ET.ParseError as error:
            raise UsageError(f"{place}: not XML: {error}", hint=_AGAIN) from None
        document = _make_mapping(root)
        yield self.prepare(document) if self.prepare else document


def _make_mapping(root: ET.Element) -> dict[str, Any]:
    """Return attributes and children of an element, of any depth."""
    mapping: dict[str, Any] = dict(root.attrib)
    waiting = [(root, mapping)]
    while waiting:
        element, fields = waiting.pop()
        for child in element:
            of_child: dict[str, Any] = dict(child.attrib)
            if child.text and child.text.strip():
                of_child[""] = child.text.strip()
            siblings = fields.setdefault(child.tag, [])
            if isinstance(siblings, list):
                siblings.append(of_child)
            waiting.append((child, of_child))
    return mapping


class Events(msgspec.Struct, frozen=True):
    """Events among the lines that a program prints: JSON behind a tag.

    Attributes
    ----------
    tag : str
    prepare : callable
        What makes a document of the events.
    """

    tag: str
    prepare: Callable[[list[Any]], Any]

    def parse(self, text: str, place: str) -> Iterator[Any]:
        """Yield one document.

        Raises
        ------
        UsageError
            What follows a tag is not JSON, as in a file that is cut off; names its line.
        """
        events = []
        for number, line in enumerate(text.splitlines(), start=1):
            _, tag, content = line.partition(self.tag)
            if tag:
                events.append(decode_document(content, f"{place}, line {number}", hint=_AGAIN))
        yield self.prepare(events)


class Table(msgspec.Struct, frozen=True):
    """Rows of cells below a header, with comments before ``#``.

    Attributes
    ----------
    separator : str
    prepare : callable, optional
        What makes a document of the comments and of the lines of cells.
    """

    separator: str = "\t"
    prepare: Callable[[list[str], list[list[str]]], Any] | None = None

    def parse(self, text: str, place: str) -> Iterator[Any]:
        """Yield one document: ``rows``, each with its cells by the titles of the columns.

        Raises
        ------
        UsageError
            A row has more or fewer cells than the header, or one that is too long; names its line.
        """
        comments: list[str] = []
        lines: list[list[str]] = []
        for number, line in enumerate(text.splitlines(), start=1):
            if line.startswith("#"):
                comments.append(line)
            elif line.strip():
                try:
                    cells = next(csv.reader([line], delimiter=self.separator))
                except csv.Error as error:
                    raise UsageError(f"{place}, line {number}: {error}", hint="repair that line") from None
                if lines:
                    check_width(lines[0], cells, f"{place}, line {number}")
                lines.append(cells)
        yield self.prepare(comments, lines) if self.prepare else make_rows(lines)


def make_rows(lines: list[list[str]]) -> dict[str, Any]:
    """Return a document of rows by the titles of their columns."""
    header = lines[0] if lines else []
    return {"rows": [dict(zip(header, cells, strict=True)) for cells in lines[1:]]}


Role = Literal["row", "detail", "all", "start", "next", "context"]


class Line(msgspec.Struct, frozen=True):
    """A line that is looked for.

    Attributes
    ----------
    pattern : str
        Searched in a line; its named groups are fields.
    role : {"row", "detail", "all", "start", "next", "context"}
        The line is a row; it adds fields to the row before it, to all rows since a start, or to the next row;
        it begins a part; it adds fields to all rows that follow. Fields of ``all`` without a row since the
        start are of the next row, and those of a row that does not come are one.
    """

    pattern: str
    role: Role = "detail"


class Lines(msgspec.Struct, frozen=True):
    """Lines that a program prints; each has the meaning of the first pattern that matches it."""

    lines: tuple[Line, ...]

    def parse(self, text: str, _place: str) -> Iterator[Any]:
        """Yield one document: ``rows``, each with its fields; a field that repeats is a list."""
        patterns = [(re.compile(line.pattern), line.role) for line in self.lines]
        rows: list[dict[str, Any]] = []
        context: dict[str, Any] = {}
        following: dict[str, Any] = {}
        first = 0
        for line in text.splitlines():
            match, role = next(((m, role) for p, role in patterns if (m := p.search(line))), (None, "detail"))
            if match is None:
                continue
            fields = {name: value for name, value in match.groupdict().items() if value is not None}
            if role in ("start", "context"):
                if role == "start":
                    rows += [{**context, **following}] if following else []
                    first, following = len(rows), {}
                context |= fields
            elif role == "row":
                rows.append({**context, **following, **fields})
                following = {}
            elif role == "next" or (role == "all" and len(rows) == first):
                _add_fields(following, fields)
            else:
                for row in rows[first:] if role == "all" else rows[-1:]:
                    _add_fields(row, fields)
        if following:
            rows.append({**context, **following})
        yield {**context, "rows": rows}


def _add_fields(row: dict[str, Any], fields: Mapping[str, Any]) -> None:
    for name, value in fields.items():
        if name not in row:
            row[name] = value
        elif isinstance(row[name], list):
            row[name].append(value)
        else:
            row[name] = [row[name], value]


Shape = Json | Xml | Events | Table | Lines
