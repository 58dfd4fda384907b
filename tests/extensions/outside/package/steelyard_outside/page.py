"""How many trials a record has, as a part of its answer and on its page."""

from __future__ import annotations

from steelyard.api import Record
from steelyard.api.extensions import Section


def count_trials(record: Record, metric: str) -> tuple[str, int]:
    """Count the trials of a record, whose page is about a metric."""
    return metric, record.progress().trials


def section(counted: tuple[str, int]) -> Section:
    """Say how many there are."""
    metric, count = counted
    text = f"{count} trials with {metric}, by a package of somebody else."
    return Section("count", "Trials counted outside", (text,))
