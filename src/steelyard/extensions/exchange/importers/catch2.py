"""Catch2's ``-r xml``: the mean of one process for each ``BENCHMARK``, in nanoseconds.

What the console reporter prints wraps names and cannot be read; its reader says which option writes XML.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from steelyard.core.errors import UsageError
from steelyard.core.units import Scalar
from steelyard.extensions.exchange.importers.contents import FileContents, ImportedSeries, read_number

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

TOOL: Final = "catch2"
_CONSOLE: Final = re.compile(r"^benchmark name +samples +iterations +\S", re.MULTILINE)
_AGAIN: Final = "write the file again: PROGRAM -r xml > FILE"


def is_output(text: str) -> bool:
    """Whether the text is a report of Catch2 with benchmarks, as XML or as its console prints it."""
    return "<BenchmarkResults" in text or _CONSOLE.search(text) is not None


def read(text: str, place: str) -> FileContents:
    """All benchmarks; test case and sections tell those of one name apart.

    Raises
    ------
    UsageError
        The text is what the console prints, or XML that is cut off or declares entities.
    """
    if "<BenchmarkResults" not in text:
        raise UsageError(f"{place}: what Catch2's console prints, which wraps names", hint=_AGAIN)
    series = []
    skipped = {}
    for path, entry in _list_benchmarks(_parse(text, place), ()):
        name = " > ".join((*path, entry.get("name", "")))
        mean = entry.find("mean")
        if mean is None:
            failed = entry.find("failed")
            skipped[name] = "" if failed is None else failed.get("message", "")
            continue
        value = read_number(mean.get("value", ""), f"{place}: {name}", hint=_AGAIN) * 1e-9
        levels: dict[str, Scalar] = {"benchmark": entry.get("name", "")}
        qualifiers: dict[str, Scalar] = {"test": path[0] if path else ""}
        if path[1:]:
            qualifiers["section"] = " > ".join(path[1:])
        series.append(ImportedSeries(levels, "time_s", "s", ((value,),), name=name, qualifiers=qualifiers))
    return FileContents(TOOL, tuple(series), skipped=skipped)


def _parse(text: str, place: str) -> Element:
    from xml.etree import ElementTree as ET

    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise UsageError(f"{place}: XML with entities of its own, which Catch2 does not write", hint=_AGAIN)
    start = max(text.find("<?xml"), 0)
    try:
        return ET.fromstring(text[start:].strip())  # noqa: S314 -- declarations are refused above
    except ET.ParseError as error:
        raise UsageError(f"{place}: not XML: {error}", hint=_AGAIN) from None


def _list_benchmarks(node: Element, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Element]]:
    """Yield benchmarks with the names of their test case and sections; Catch2 nests few of them."""
    pending = [(path, node)]
    while pending:
        above, parent = pending.pop()
        children = []
        for child in parent:
            if child.tag == "BenchmarkResults":
                yield above, child
            else:
                is_named = child.tag in ("TestCase", "Section")
                children.append(((*above, child.get("name", "").strip()) if is_named else above, child))
        pending += reversed(children)
