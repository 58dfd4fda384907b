"""A history as rows, for data frames."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from steelyard.extensions.history.results import History


def list_rows(history: History) -> list[dict[str, Any]]:
    """One mapping for each record of each series, with the ratio of a step that begins there."""
    table: list[dict[str, Any]] = []
    for series in history.series:
        steps = {change.first: change.ratio for change in series.changes if change.kind == "level"}
        table += (
            {
                "treatment": series.treatment,
                "metric": series.metric.name,
                **series.labels,
                "machine": series.machine,
                "record": point.commit,
                "median": point.median,
                "u": point.u,
                "n": point.digest.n,
                "s": point.digest.s,
                "slow": point.digest.slow,
                "change": steps.get(point.commit),
            }
            for point in series.points
        )
    return table
