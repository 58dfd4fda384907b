"""Part (f) as tables: medians over draws of noise, and what growth they show."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from typing import Final

from steelyard.api.scaling import ScalingModel, Series

LEVELS: Final = ("links", "hosts")


def tables(series: Sequence[Series], ranked: Callable[[list[Series]], list[tuple[ScalingModel, str]]]) -> str:
    """One table an operation: a row for each pair of levels, a column for each p, in microseconds.

    ``ranked`` gives models of series, and ranks with their probability as a cell of a table.
    """
    lines = []
    for op in dict.fromkeys(str(item.labels["op"]) for item in series):
        ordered = sorted((item for item in series if item.labels["op"] == op), key=_levels)
        ps = [f"{int(point.at[0])}" for point in ordered[0].points]
        draws = max(len(point.values) for item in ordered for point in item.points)
        head = [f"### {op}, simulated: medians of {draws} draws, µs", ""]
        head.append(f"| links | hosts | {' | '.join(ps)} | model | rank (probability) |")
        head.append("|---" * (len(ps) + 4) + "|")
        rows = []
        for item, (model, rank) in zip(ordered, ranked(ordered), strict=True):
            medians = (f"{1e6 * statistics.median(point.values):.1f}" for point in item.points)
            levels = (f"{level:g}" for level in _levels(item))
            rows.append(f"| {' | '.join((*levels, *medians, model.growth(), rank))} |")
        lines.append("\n".join([*head, *rows]))
    return "\n\n".join(lines)


def _levels(item: Series) -> tuple[float, ...]:
    return tuple(float(item.labels[name]) for name in LEVELS)
