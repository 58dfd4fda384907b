"""Rows that a damaged record lost and its spec gives again: treatments, metrics, contexts and blocks."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Final

import msgspec

from steelyard.core.sample import Treatment
from steelyard.spec import stored
from steelyard.spec.experiment import Experiment
from steelyard.store.rows import (
    block_row,
    insert_rows,
    metric_rows,
    metrics_of,
    treatment_rows,
    write_as_given,
)

# Blocks and trials that are left stand where they are drawn again.
_AGREES: Final = """
SELECT NOT EXISTS (
    SELECT 1 FROM block JOIN redrawn USING (id) WHERE (block.pass, block.context, block.discard, block.drawn)
        IS NOT (redrawn.pass, redrawn.context, redrawn.discard, redrawn.drawn)
) AND NOT EXISTS (
    SELECT 1 FROM trial JOIN redrawn ON redrawn.id = block WHERE trial.id = first_trial + place - 1
        AND treatment IS NOT json_extract(redrawn.drawn, '$[' || (place - 1) || ']')
)
"""

# The last block of a run that did not end may go on. What lost trials is settled for all alike. In a run
# that failed, or that nothing is known of, blocks may have been given up though all their trials passed: with
# a program that had changed.
_RESTORE_BLOCKS: Final = """
INSERT INTO block SELECT id, pass, context, discard, (
    SELECT CASE
        WHEN count(*) < redrawn.trials AND redrawn.id = :last
             AND coalesce((SELECT state FROM run ORDER BY id DESC LIMIT 1), 'died')
                 NOT IN ('complete', 'precision_not_reached') THEN 'planned'
        WHEN redrawn.discard THEN 'discarded'
        WHEN max(status <> 'ok' OR trial.run NOT IN (SELECT id FROM run WHERE state <> 'failed'))
            THEN 'incomplete'
        ELSE 'complete' END
    FROM trial WHERE trial.id BETWEEN first_trial AND first_trial + redrawn.trials - 1
), drawn, first_trial, trials FROM redrawn WHERE id NOT IN (SELECT id FROM block)
"""


def restore(target: sqlite3.Connection) -> None:
    """Insert the missing rows of ``treatment``, ``metric``, ``context`` and ``block``.

    They come under the numbers that they had.

    Where rows that are left disagree, nothing is inserted: another version made the record.
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
    metrics = metric_rows(experiment, metrics_of(experiment))
    if set(target.execute("SELECT id, name FROM metric")) <= {row[:2] for row in metrics}:
        target.executemany("INSERT OR IGNORE INTO metric VALUES (?, ?, ?, ?, ?, ?, ?)", metrics)


def _restore_blocks(target: sqlite3.Connection, experiment: Experiment, drawn: Sequence[Treatment]) -> None:
    """Insert blocks that are missing, where a block follows from its number alone."""
    from steelyard.design import stream_until

    contexts = experiment.contexts
    if experiment.design.order != "randomized" or (contexts and contexts.passes > 1):
        return
    ((last,),) = target.execute(
        "SELECT coalesce(max(id), 0) FROM (SELECT id FROM block UNION ALL"
        " SELECT block FROM trial WHERE id = (block - 1) * ? + place)",
        (len(drawn) * experiment.design.replicates,),
    ).fetchall()
    blocks = [block for block in stream_until(experiment, drawn, (), last) if block.id <= last]
    target.execute("CREATE TEMP TABLE redrawn AS SELECT * FROM block WHERE FALSE")
    insert_rows(
        target, "redrawn", [block_row(block, "planned", write_as_given(block.order)) for block in blocks]
    )
    if target.execute(_AGREES).fetchone()[0]:
        settings = {
            b.context.id: write_as_given(dict(b.context.settings)) for b in blocks if b.context is not None
        }
        target.executemany("INSERT OR IGNORE INTO context VALUES (?, ?)", settings.items())
        target.execute(_RESTORE_BLOCKS, {"last": last})
    target.execute("DROP TABLE redrawn")
