"""What a damaged record lost that its spec says again: treatments, metrics, and which blocks were drawn."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Final, cast

import msgspec

from steelyard.design.plan import Block, BlockState
from steelyard.sample import Treatment
from steelyard.spec import stored
from steelyard.spec.experiment import Experiment
from steelyard.store.creation import block_row, metric_rows, treatment_rows
from steelyard.store.inserting import insert
from steelyard.store.json_text import as_given
from steelyard.store.metrics import metrics_of

# The last block of a run that did not end may go on. What lost trials is settled for all alike. In a run
# that failed, or that nothing is known of, blocks may have been given up though all their trials passed: with
# a program that had changed.
_STATE: Final = """
SELECT CASE
    WHEN count(*) < :size AND :last
         AND coalesce((SELECT state FROM run ORDER BY id DESC LIMIT 1), 'died')
             NOT IN ('complete', 'precision_not_reached') THEN 'planned'
    WHEN :discard THEN 'discarded'
    WHEN max(status <> 'ok') THEN 'incomplete'
    WHEN max(coalesce((SELECT state FROM run WHERE id = trial.run), 'failed') = 'failed') THEN 'incomplete'
    ELSE 'complete' END
FROM trial WHERE id BETWEEN :first AND :first + :size - 1
"""


def restore(target: sqlite3.Connection) -> None:
    """Put in the rows of ``treatment``, ``metric``, ``context`` and ``block`` that are missing, with the
    numbers that they had.

    Where rows that are still there say otherwise, nothing is put in: the record was made by another version.
    """
    from steelyard.design import treatments

    ((text,),) = target.execute("SELECT experiment FROM record").fetchall()
    try:
        experiment = stored.decode(text)
    except msgspec.MsgspecError:
        # Of a version whose spec is another; opening the record says so.
        return
    drawn = treatments(experiment)
    rows = treatment_rows(drawn)
    if set(target.execute("SELECT id, label FROM treatment")) <= {row[:2] for row in rows}:
        target.executemany("INSERT OR IGNORE INTO treatment VALUES (?, ?, ?)", rows)
        _restore_blocks(target, experiment, drawn)
    made = metric_rows(experiment, metrics_of(experiment))
    if set(target.execute("SELECT id, name FROM metric")) <= {row[:2] for row in made}:
        target.executemany("INSERT OR IGNORE INTO metric VALUES (?, ?, ?, ?, ?, ?, ?)", made)


def _restore_blocks(target: sqlite3.Connection, experiment: Experiment, drawn: Sequence[Treatment]) -> None:
    """Where what a block is depends on its number alone, and agrees with every block and trial left."""
    from steelyard.design import stream_until

    contexts = experiment.contexts
    if experiment.design.order != "randomized" or (contexts and contexts.passes > 1):
        return
    size = len(drawn) * experiment.design.replicates
    trials: dict[int, list[tuple[int, int]]] = {}
    for block, place, treatment in target.execute(
        "SELECT block, place, treatment FROM trial WHERE id = (block - 1) * ? + place", (size,)
    ):
        trials.setdefault(block, []).append((place, treatment))
    known = {row[0]: row[1:] for row in target.execute("SELECT id, pass, context, discard, drawn FROM block")}
    last = max([*trials, *known], default=0)
    lost: list[Block] = []
    settings = {}
    for block in stream_until(experiment, drawn, (), last):
        if block.id > last:
            break
        if block.context is not None:
            settings[block.context.id] = as_given(dict(block.context.settings))
        order = as_given(block.order)
        told = (*block_row(block, "planned", order)[1:4], order)
        if known.get(block.id, told) != told:
            return
        if any(place > size or block.order[place - 1] != each for place, each in trials.get(block.id, ())):
            return
        if block.id not in known:
            lost.append(block)
    target.executemany("INSERT OR IGNORE INTO context VALUES (?, ?)", settings.items())
    insert(
        target, "block", [block_row(each, _state(target, each, last), as_given(each.order)) for each in lost]
    )


def _state(target: sqlite3.Connection, block: Block, last: int) -> BlockState:
    asked = {
        "size": len(block.order),
        "first": block.first_trial,
        "discard": block.discard,
        "last": block.id == last,
    }
    ((state,),) = target.execute(_STATE, asked).fetchall()
    return cast("BlockState", state)
