"""Progress of several records of one spec."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from steelyard.lab.answer.status import status
from steelyard.lab.merge.merging import refuse_other
from steelyard.results.status import Statuses
from steelyard.store import Record
from steelyard.store.merging import find_origin


def sum_statuses(directories: Sequence[Path]) -> Statuses:
    """Report how far records of one spec are, each by itself and together.

    What several of them have, copies or merged ones, counts where there is most of it.

    Raises
    ------
    UsageError
        Records of different specs.
    RecordError
        One is damaged or missing.
    """
    statuses = []
    most: dict[str, tuple[int, int]] = {}
    every = 0
    first = None
    for directory in directories:
        with Record.open(directory) as record, record.snapshot():
            first = first or (directory, record.experiment)
            refuse_other(*first, directory, record.experiment)
            statuses.append(status(record))
            origins = {run.id: find_origin(record.id, run) for run in record.runs()}
            trials: Counter[str] = Counter()
            blocks: Counter[str] = Counter()
            for run, (count, complete) in record.count_by_run().items():
                trials[origins[run]] += count
                blocks[origins[run]] += complete
        every += trials.total()
        for origin, count in trials.items():
            most[origin] = max(most.get(origin, (0, 0)), (count, blocks[origin]))
    trials_done, blocks_done = (
        (sum(column) for column in zip(*most.values(), strict=True)) if most else (0, 0)
    )
    return Statuses(tuple(statuses), blocks_done, trials_done, every - trials_done)
