"""Catch2's ``-r xml``: the mean of one process for each ``BENCHMARK``, in nanoseconds.

A program that prints to standard output prints between the elements, so that the report is read by its
elements and not as a document. What the console reporter prints wraps names, and the JSON reporter has no
benchmarks: the reader says which option writes XML.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import unescape
from typing import Any, Final

import msgspec

from steelyard.core.errors import UsageError
from steelyard.core.units import Scalar
from steelyard.extensions.exchange.importers.contents import (
    FailedRuns,
    FileContents,
    ImportedSeries,
    read_number,
)

TOOL: Final = "catch2"
_CONSOLE: Final = re.compile(r"^benchmark name +samples +iterations +\S", re.MULTILINE)
_AGAIN: Final = "write the file again: PROGRAM -r xml > FILE"
_ENDS: Final = ("</Catch2TestRun>", "</Catch>")
"""Of version 3, and of version 2."""
_ELEMENT: Final = re.compile(
    r"<(?P<end>/?)(?P<name>TestCase|Section|BenchmarkResults|mean|failed|OverallResult)\b"
    r"(?P<attributes>(?:\s+[\w:-]+=\"[^\"<]*\")*)\s*/?>"
)
_ATTRIBUTE: Final = re.compile(r"([\w:-]+)=\"([^\"<]*)\"")
_OF_A_FAILED_CASE: Final = "its test case failed"


class _Benchmark(msgspec.Struct):
    """A benchmark with the names of its test case and sections; one that failed has no mean."""

    path: tuple[str, ...]
    name: str
    mean: str | None = None
    failed: str | None = None

    @property
    def title(self) -> str:
        return " > ".join((*self.path, self.name))


def is_output(text: str) -> bool:
    """Whether the text is a report of Catch2 with benchmarks, as XML or as its console prints it."""
    return "<BenchmarkResults" in text or _CONSOLE.search(text) is not None


def is_json_reporter(document: Any) -> bool:
    """Whether a document is what ``-r json`` of Catch2 writes."""
    metadata = document.get("metadata") if isinstance(document, dict) else None
    return isinstance(metadata, dict) and "catch2-version" in metadata


def make_json_refusal(place: str) -> UsageError:
    """Word the refusal of a report of Catch2's JSON reporter."""
    return UsageError(f"{place}: Catch2's JSON reporter, which leaves benchmarks out", hint=_AGAIN)


def read(text: str, place: str) -> FileContents:
    """All benchmarks; test case and sections tell those of one name apart.

    A benchmark that threw has no value, and one whose test case failed has none that counts.

    Raises
    ------
    UsageError
        The text is what the console prints, or a report that is cut off.
    """
    if "<BenchmarkResults" not in text:
        raise UsageError(f"{place}: what Catch2's console prints, which wraps names", hint=_AGAIN)
    if not any(end in text for end in _ENDS):
        raise UsageError(f"{place}: the report of Catch2 is cut off: it does not end", hint=_AGAIN)
    series = []
    failures = []
    for entry in _list_benchmarks(text):
        levels: dict[str, Scalar] = {"benchmark": entry.name}
        if entry.mean is None or entry.failed is not None:
            failures.append(FailedRuns(levels, failed=1, reason=entry.failed or "", name=entry.title))
            continue
        value = read_number(entry.mean, f"{place}: {entry.title}", hint=_AGAIN) * 1e-9
        qualifiers: dict[str, Scalar] = {"test": entry.path[0] if entry.path else ""}
        if entry.path[1:]:
            qualifiers["section"] = " > ".join(entry.path[1:])
        series.append(
            ImportedSeries(levels, "time_s", "s", ((value,),), name=entry.title, qualifiers=qualifiers)
        )
    skipped = {runs.name: runs.reason for runs in failures}
    return FileContents(TOOL, tuple(series), skipped=skipped, failures=tuple(failures))


def _list_benchmarks(text: str) -> list[_Benchmark]:
    """List benchmarks in the order of the report; a test case says at its end whether it failed."""
    benchmarks: list[_Benchmark] = []
    path: list[str] = []
    first = 0
    for match in _ELEMENT.finditer(text):
        name, attributes = match["name"], _read_attributes(match["attributes"])
        if name in ("TestCase", "Section"):
            if match["end"]:
                path = path[:-1]
            else:
                path = [*path, attributes.get("name", "").strip()]
                first = len(benchmarks) if name == "TestCase" else first
        elif match["end"]:
            continue
        elif name == "BenchmarkResults":
            benchmarks.append(_Benchmark(tuple(path), attributes.get("name", "")))
        elif name == "OverallResult" and attributes.get("success") == "false":
            # One that failed before its benchmarks, or has none, has no more than its name.
            benchmarks += [_Benchmark((), path[0])] if path and not benchmarks[first:] else []
            _fail_rest(benchmarks[first:])
        elif name == "mean" and benchmarks:
            benchmarks[-1].mean = attributes.get("value", "")
        elif name == "failed" and benchmarks:
            benchmarks[-1].failed = attributes.get("message", "")
    return benchmarks


def _fail_rest(benchmarks: Sequence[_Benchmark]) -> None:
    """Mark the benchmarks of a test case that failed; those that failed themselves have their reason."""
    for entry in benchmarks:
        entry.failed = _OF_A_FAILED_CASE if entry.failed is None else entry.failed


def _read_attributes(text: str) -> dict[str, str]:
    return {name: unescape(value) for name, value in _ATTRIBUTE.findall(text)}
