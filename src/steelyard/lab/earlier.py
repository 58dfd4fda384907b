"""What is known of an experiment without a spec that was begun before."""

from __future__ import annotations

from pathlib import Path

from steelyard.store import Record
from steelyard.store.facts import FILE


def earlier_seed(directory: Path) -> int | None:
    """The seed of the record in the directory, so that it can go on; ``None`` where there is none."""
    if not (directory / FILE).exists():
        return None
    with Record.open(directory) as record:
        return record.experiment.design.seed
