"""What blocks and contexts cost in a record."""

from __future__ import annotations

from steelyard.lab.run.status import Extent
from steelyard.stats.planning.pace import Pace
from steelyard.store import Record


def pace(record: Record, so_far: Extent) -> Pace | None:
    """``None`` before the first complete block, and in a sequential order, whose only block is all there is.

    A context is set up between two blocks, so that it costs what passes there beyond what passes between two
    trials of one block; where blocks have one trial, nothing tells that apart.
    """
    experiment = record.experiment
    design = experiment.design
    if not so_far.complete or not so_far.spent_s or design.in_rows:
        return None
    block_s, context_s = so_far.spent_s / so_far.complete, 0.0
    if experiment.contexts is not None:  # to look at 10,000 trials takes 8 ms
        gaps = record.gaps()
        if gaps.within_s is not None and gaps.between_s is not None:
            context_s = max(0.0, gaps.between_s - gaps.within_s)
    return Pace(block_s, min(context_s, block_s), design.replicates)
