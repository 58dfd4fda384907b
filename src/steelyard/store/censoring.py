"""Elapsed times with those of runs that timed out, which are known to be at least the limit."""

from __future__ import annotations

import sqlite3
from array import array

import msgspec

from steelyard.sample import Integers
from steelyard.store.sampling import Columns


class CensoredColumns(msgspec.Struct, frozen=True):
    """Launches of a treatment in the order of time; ``late`` is 1 where the value is only a lower bound."""

    columns: Columns
    late: Integers


def times_to_limit(connection: sqlite3.Connection, limit_s: float) -> dict[int, CensoredColumns]:
    """For each treatment: of all blocks that are complete but for runs that timed out. Blocks in which
    anything else failed are left out, and so are those that are discarded or not finished.
    """
    rows = connection.execute(
        "SELECT trial.id, block, treatment, status = 'timed_out', wall_ns FROM trial"
        " JOIN block ON block.id = block WHERE state = 'complete' OR (state = 'incomplete' AND NOT EXISTS"
        " (SELECT 1 FROM trial AS other WHERE other.block = block.id"
        "  AND other.id >= first_trial AND other.id < first_trial + trials"
        "  AND status NOT IN ('ok', 'timed_out'))) ORDER BY trial.id"
    )
    found: dict[int, CensoredColumns] = {}
    for trial, block, treatment, late, wall_ns in rows:
        if treatment not in found:
            found[treatment] = CensoredColumns(Columns.empty(1), array("b"))
        its = found[treatment]
        its.columns.trials.append(trial)
        its.columns.blocks.append(block)
        its.columns.values[0].append(limit_s if late else wall_ns / 1e9)
        its.late.append(late)
    return found
