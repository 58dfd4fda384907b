"""Bencher's metric format, which scripts write for its service: one value for each measure of a benchmark.

In its version 1 a benchmark has an entry for each set of parameters, and a measure may have named values.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

from steelyard.core.units import Better, Scalar
from steelyard.extensions.exchange.importers.contents import (
    FileContents,
    ImportedSeries,
    identifier,
    word_levels,
)

TOOL: Final = "bencher"


class _Measure(msgspec.Struct, frozen=True):
    metric: str
    unit: str
    scale: float
    better: Better


_COUNTS: Final = ("instructions", "estimated-cycles", "total-read-write", "ram-hits")
_MEASURES: Final = {
    "latency": _Measure("time_s", "s", 1e-9, "lower"),
    "throughput": _Measure("throughput", "1/s", 1.0, "higher"),
    "build-time": _Measure("build_time_s", "s", 1.0, "lower"),
    "file-size": _Measure("file_size_bytes", "B", 1.0, "lower"),
    **{name: _Measure(identifier(name), "", 1.0, "lower") for name in _COUNTS},
}
"""Measures that Bencher itself knows, with its units."""


class _Entry(msgspec.Struct, frozen=True):
    measures: dict[str, dict[str, float]]
    parameters: dict[str, str | int | float | bool] = {}


_VALUE: Final = "value"
_BOUNDS: Final = frozenset({"lower_value", "upper_value"})


def has_form(document: dict[str, Any]) -> bool:
    """Whether this is Bencher's format: benchmarks, in each measures, in each at least a value.

    In version 1 these are lists of entries with measures.
    """
    return bool(document) and (
        all(
            isinstance(measures, dict)
            and measures
            and all(isinstance(metric, dict) and _VALUE in metric for metric in measures.values())
            for measures in document.values()
        )
        or all(
            isinstance(entries, list)
            and entries
            and all(isinstance(entry, dict) and "measures" in entry for entry in entries)
            for entries in document.values()
        )
    )


def read(document: object, _place: str) -> FileContents:
    """All measures; of one that Bencher does not know, neither side is better.

    A named value, as ``p99``, is a metric behind the name of its measure; bounds are none.
    """
    benchmarks = msgspec.convert(document, dict[str, list[_Entry] | dict[str, dict[str, float]]])
    series = []
    for name, content in benchmarks.items():
        entries = content if isinstance(content, list) else [_Entry(content)]
        # Entries of equal parameters are one, whose later values count.
        merged: dict[tuple[tuple[str, Scalar], ...], dict[str, dict[str, float]]] = {}
        for entry in entries:
            measures = merged.setdefault(tuple(sorted(entry.parameters.items())), {})
            for slug, named in entry.measures.items():
                measures[slug] = measures.get(slug, {}) | named
        for parameters, measures in merged.items():
            levels: dict[str, Scalar] = {"benchmark": name, **dict(parameters)}
            for slug, named in measures.items():
                series += _make_series(levels, slug, named)
    return FileContents(TOOL, tuple(series))


def _make_series(levels: dict[str, Scalar], slug: str, named: dict[str, float]) -> list[ImportedSeries]:
    measure = _MEASURES.get(slug) or _Measure(identifier(slug), "", 1.0, "neither")
    title = word_levels(levels)
    return [
        ImportedSeries(
            levels,
            measure.metric if name == _VALUE else f"{measure.metric}_{identifier(name)}",
            measure.unit,
            ((value * measure.scale,),),
            measure.better,
            title,
        )
        for name, value in named.items()
        if name not in _BOUNDS
    ]
