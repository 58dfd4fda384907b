"""More blocks for a record that has ended. How it is judged: ``stats.sequential.looks``."""

from __future__ import annotations

import shlex
from pathlib import Path

from steelyard.core.errors import UsageError
from steelyard.design import Extension
from steelyard.lab.run.stop_rule import End
from steelyard.spec.check.design import MOST
from steelyard.spec.experiment import Experiment
from steelyard.store import Record
from steelyard.store.facts import FILE


def find_end(record: Record) -> End | None:
    """Tell how a record ended, its last extension included; ``None`` if it has not ended."""
    extensions = record.extensions()
    asked_after = extensions[-1].after_run if extensions else 0
    for run in record.runs():
        if run.id > asked_after:
            match run.state:
                case "complete" | "precision_not_reached":
                    return run.state
    return None


def refuse_extending(experiment: Experiment, directory: Path, blocks: int, *, finished: bool) -> None:
    """Refuse an extension that does not fit the record.

    Raises
    ------
    UsageError
    """
    named = shlex.quote(str(directory))
    if not finished:
        text = "has not ended" if directory.exists() else "does not exist"
        raise UsageError(
            f"--extend {blocks}: {directory} {text}, so it cannot be extended yet",
            hint="leave --extend out to finish the run first",
        )
    if experiment.design.in_rows:
        raise UsageError(
            f"--extend {blocks}: a sequential order has no blocks that could be added",
            hint=f'write order = "randomized", and measure into a new record (this one is {named})',
        )
    passes = experiment.contexts.passes if experiment.contexts else 1
    if blocks % passes:
        up = -(-blocks // passes) * passes
        raise UsageError(
            f"--extend {blocks}: not a multiple of {passes} passes; some contexts would be visited less",
            hint=f"steelyard run {named} --extend {up}",
        )
    if not 1 <= blocks <= MOST:
        raise UsageError(
            f"--extend {blocks}: not between 1 and {MOST:,} blocks", hint=f"steelyard run {named} --extend 10"
        )


def add_blocks(record: Record, blocks: int) -> None:
    """Note the extension, before anything of it runs."""
    complete = record.progress().blocks.get("complete", 0)
    record.add_extension(Extension(record.runs()[-1].id, complete, complete + blocks))


def count_ended_blocks(directory: Path) -> int | None:
    """Count the complete blocks of a record that has ended; ``None`` for another, and without a record."""
    if not (directory / FILE).exists():
        return None
    with Record.open(directory) as record:
        return record.progress().blocks.get("complete", 0) if find_end(record) else None
