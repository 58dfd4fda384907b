"""What a damaged record lost that its spec says again: treatments and metrics."""

from __future__ import annotations

import sqlite3

import msgspec

from steelyard.spec.experiment import Experiment
from steelyard.store.creation import metric_rows, treatment_rows
from steelyard.store.metrics import metrics_of


def restore(target: sqlite3.Connection) -> None:
    """Put in the rows of ``treatment`` and ``metric`` that are missing, with the numbers that they had.

    Where rows that are still there say otherwise, nothing is put in: the record was made by another version.
    """
    from steelyard.design import treatments

    ((text,),) = target.execute("SELECT experiment FROM record").fetchall()
    try:
        experiment = msgspec.json.decode(text, type=Experiment)
    except msgspec.MsgspecError:
        # Of a version whose spec is another; opening the record says so.
        return
    drawn = treatment_rows(treatments(experiment))
    if set(target.execute("SELECT id, label FROM treatment")) <= {row[:2] for row in drawn}:
        target.executemany("INSERT OR IGNORE INTO treatment VALUES (?, ?, ?)", drawn)
    made = metric_rows(experiment, metrics_of(experiment))
    if set(target.execute("SELECT id, name FROM metric")) <= {row[:2] for row in made}:
        target.executemany("INSERT OR IGNORE INTO metric VALUES (?, ?, ?, ?, ?, ?, ?)", made)
