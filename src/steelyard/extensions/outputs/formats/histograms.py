"""Histograms that are files of their own: HdrHistogram's distribution by percentiles."""

from __future__ import annotations

from typing import Any, Final

from steelyard.extensions.outputs.declaration import Histogram, Measure, Rows
from steelyard.extensions.outputs.reading import Format
from steelyard.extensions.outputs.rows import Row
from steelyard.extensions.outputs.shapes import Line, Lines


def _get_bins(row: Row) -> Any:
    """Return the count of each value: the file has the number of values up to each."""
    ends = [float(text) for text in row.list_values("value")]
    totals = [int(text) for text in row.list_values("total")]
    bins: dict[str, int] = {}
    before = 0
    for end, total in zip(ends, totals, strict=True):
        if total > before:
            bins[repr(end)] = total - before
            before = total
    return bins


def _get_quantile(p: float) -> Any:
    """Return the field of a quantile: the least value that a share ``p`` of all does not exceed."""

    def get(row: Row) -> object:
        bins = _get_bins(row)
        total, least = sum(bins.values()), 0
        for value, count in bins.items():
            least += count
            if least >= p * total:
                return float(value)
        return None

    return get


HDR: Final = Format(
    name="hdr-histogram",
    marks=(r"^\s*Value\s+Percentile\s+TotalCount\s+1/\(1-Percentile\)",),
    shape=Lines(
        (
            Line(r"^\s*(?P<title>Value)\s+Percentile\s+TotalCount", "row"),
            Line(r"^\s*(?P<value>[\d.]+)\s+(?P<percentile>[01]\.\d+)\s+(?P<total>\d+)\b"),
            Line(r"^#\[Mean\s*=\s*(?P<mean>[\d.]+)"),
        )
    ),
    rows=(
        Rows(
            path="rows/*",
            labels={},
            measures=(
                Measure("p50", _get_quantile(0.5), "", "lower"),
                Measure("p99", _get_quantile(0.99), "", "lower"),
                Measure("p99_9", _get_quantile(0.999), "", "lower"),
                Measure("mean", "mean", "", "lower"),
            ),
        ),
    ),
    histograms=(Histogram("value", _get_bins, ""),),
    notes=("The file does not say the unit of its values.",),
)
