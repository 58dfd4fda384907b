"""gungraun's summaries (iai-callgrind before): counts of Valgrind's tools, one run of each benchmark.

They are documents of ``--output-format=json``, one a line, or a file of ``--save-summary``. Only the new run
counts: what it was compared with is another file's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec

from steelyard.core.errors import UsageError
from steelyard.core.units import Better, Scalar
from steelyard.extensions.exchange.importers.contents import FileContents, ImportedSeries, identifier
from steelyard.files.reading import decode_document, json_lines

TOOL: Final = "gungraun"
KEYS: Final = frozenset({"function_name", "module_path", "profiles"})
MARK: Final = '"module_path"'
"""In the first line of several summaries."""
_AGAIN: Final = "run the benchmark again: nothing was imported"
_METRICS: Final = {
    "Ir": "instructions",
    "EstimatedCycles": "estimated_cycles",
    "TotalRW": "total_read_write",
    "RamHits": "ram_hits",
    "TotalBytes": "bytes",
    "TotalBlocks": "allocs",
    "AtTGmaxBytes": "peak_bytes",
}
"""Counts of which less is better, and what they are called here; others are kept by their own names."""
_OLD_VALUES: Final = ("Left", "Both")


class _Summary(msgspec.Struct, frozen=True):
    module_path: str
    function_name: str
    profiles: list[dict[str, Any]]
    id: str | None = None
    version: str = ""


def is_output(text: str) -> bool:
    """Whether the text is several summaries, one a line."""
    return MARK in text.lstrip().partition("\n")[0]


def read(text: str, place: str) -> FileContents:
    """All summaries of a text: one a line, or a single document.

    Raises
    ------
    UsageError
        A summary is cut off, of another form, or has no count of a new run.
    """
    documents = (
        json_lines(text, place, hint=_AGAIN)
        if is_output(text)
        else [decode_document(text, place, hint=_AGAIN)]
    )
    try:
        summaries = msgspec.convert(documents, list[_Summary])
    except msgspec.ValidationError as error:
        raise UsageError(f"{place}: looks like a file of {TOOL}, but {error}", hint=_AGAIN) from None
    series = []
    for entry in summaries:
        name = f"{entry.module_path} {entry.id}" if entry.id else entry.module_path
        levels: dict[str, Scalar] = {"benchmark": entry.module_path}
        if entry.id:
            levels["id"] = entry.id
        counts = dict(_list_counts(entry.profiles))
        if not counts:
            raise UsageError(f"{place}: {name} has no count of a new run", hint=_AGAIN)
        for kind, value in counts.items():
            metric = _METRICS.get(kind, identifier(kind))
            better: Better = "lower" if kind in _METRICS else "neither"
            series.append(ImportedSeries(levels, metric, "", ((value,),), better, name))
    return FileContents(TOOL, tuple(series))


def _list_counts(profiles: list[dict[str, Any]]) -> Iterator[tuple[str, float]]:
    """Yield the counts of the new run over all its parts, tool by tool.

    iai-callgrind had the tool between the total and its counts.
    """
    for profile in profiles:
        metrics = _find(profile, "data", "total", "metrics")
        of_tools = (
            [metrics] if metrics is not None else _values(_find(profile, "summaries", "total", "summary"))
        )
        for counts in of_tools:
            for kind, result in counts.items() if isinstance(counts, Mapping) else ():
                value = _read_new(result)
                if value is not None:
                    yield kind, value


def _read_new(result: Any) -> float | None:
    values = _find(result, "values")
    new = _find(values, "new") if values else None
    if new is None:
        old_form = _find(result, "metrics") or {}
        new = next((old_form[key] for key in _OLD_VALUES if key in old_form), None)
        new = new[0] if isinstance(new, list) and new else new
    number = next(iter(new.values()), None) if isinstance(new, Mapping) else new
    return float(number) if isinstance(number, int | float) and not isinstance(number, bool) else None


def _find(node: Any, *keys: str) -> Any:
    for key in keys:
        node = node.get(key) if isinstance(node, Mapping) else None
    return node


def _values(node: Any) -> list[Any]:
    return list(node.values()) if isinstance(node, Mapping) else []
