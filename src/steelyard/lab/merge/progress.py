"""Progress of several records of one spec."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from steelyard.lab.answer.status import status
from steelyard.lab.merge.forks import count_distinct
from steelyard.lab.merge.merging import refuse_other
from steelyard.results.status import Statuses
from steelyard.store import Record
from steelyard.store.entries import TrialKey
from steelyard.store.merging import find_origin


def sum_statuses(directories: Sequence[Path]) -> Statuses:
    """Report how far records of one spec are, each by itself and together.

    What several of them have, copies or merged ones, counts once, also where copies went on apart.

    Raises
    ------
    UsageError
        Records of different specs.
    RecordError
        One is damaged or missing.
    """
    statuses = []
    keys: dict[str, list[list[TrialKey]]] = {}
    every = 0
    first = None
    for directory in directories:
        with Record.open(directory) as record, record.snapshot():
            first = first or (directory, record.experiment)
            refuse_other(*first, directory, record.experiment)
            statuses.append(status(record))
            origins = {run.id: find_origin(record.id, run) for run in record.runs()}
            by_origin: dict[str, list[TrialKey]] = {}
            for key in record.list_trial_keys():
                by_origin.setdefault(origins[key.run], []).append(key)
        for origin, trials in by_origin.items():
            keys.setdefault(origin, []).append(trials)
            every += len(trials)
    counts = [count_distinct(copies) for copies in keys.values()]
    blocks_done, trials_done = (sum(column) for column in zip(*counts, strict=True)) if counts else (0, 0)
    return Statuses(tuple(statuses), blocks_done, trials_done, every - trials_done)
