"""How many trials a record has, as a part of its answer and on its page."""

from __future__ import annotations

from steelyard.api import Record
from steelyard.api.extensions import Section


def count_trials(record: Record) -> int:
    """Count the trials of a record."""
    return record.progress().trials


def section(count: int) -> Section:
    """Say how many there are."""
    return Section("count", "Trials counted outside", (f"{count} trials, by a package of somebody else.",))
