"""The run that would resolve what is not resolved, in the document ``steelyard/comparison``."""

from __future__ import annotations

import msgspec

from steelyard.stats.planning.fresh_run import FreshRun


class FreshRunEntry(msgspec.Struct, frozen=True):
    """A run anew that resolves the comparison with 80 % power, if the difference that was seen is real."""

    difference: float
    margin: float | None
    blocks: int
    seconds: float | None


def entry(run: FreshRun) -> FreshRunEntry:
    """The run as it stands in the document."""
    return FreshRunEntry(run.difference, run.margin, run.blocks, run.seconds)
