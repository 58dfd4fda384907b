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
    shown = []
    for op in dict.fromkeys(str(one.labels["op"]) for one in series):
        ordered = sorted((one for one in series if one.labels["op"] == op), key=_levels)
        ps = [f"{int(point.at[0])}" for point in ordered[0].points]
        draws = max(len(point.values) for one in ordered for point in one.points)
        head = [f"### {op}, simulated: medians of {draws} draws, µs", ""]
        head.append(f"| links | hosts | {' | '.join(ps)} | model | rank (probability) |")
        head.append("|---" * (len(ps) + 4) + "|")
        rows = []
        for one, (model, rank) in zip(ordered, ranked(ordered), strict=True):
            medians = (f"{1e6 * statistics.median(point.values):.1f}" for point in one.points)
            levels = (f"{level:g}" for level in _levels(one))
            rows.append(f"| {' | '.join((*levels, *medians, model.growth(), rank))} |")
        shown.append("\n".join([*head, *rows]))
    return "\n\n".join(shown)


def _levels(one: Series) -> tuple[float, ...]:
    return tuple(float(one.labels[name]) for name in LEVELS)
