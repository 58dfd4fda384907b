"""Bencher's metric format, which scripts write for its service: one value for each measure of a benchmark."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from steelyard.core.units import Better, Scalar
from steelyard.extensions.exchange.importers.contents import FileContents, ImportedSeries, identifier

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


class _Metric(msgspec.Struct, frozen=True):
    value: float


def has_form(document: dict[str, Any]) -> bool:
    """Whether this is Bencher's format: benchmarks, in each measures, in each at least a value."""
    return bool(document) and all(
        isinstance(measures, dict)
        and measures
        and all(isinstance(metric, dict) and "value" in metric for metric in measures.values())
        for measures in document.values()
    )


def read(document: object, _place: str) -> FileContents:
    """All measures; of one that Bencher does not know, neither side is better."""
    series = []
    for name, measures in msgspec.convert(document, dict[str, dict[str, _Metric]]).items():
        for slug, metric in measures.items():
            measure = _MEASURES.get(slug) or _Measure(identifier(slug), "", 1.0, "neither")
            levels: dict[str, Scalar] = {"benchmark": name}
            values = ((metric.value * measure.scale,),)
            series.append(ImportedSeries(levels, measure.metric, measure.unit, values, measure.better, name))
    return FileContents(TOOL, tuple(series))
