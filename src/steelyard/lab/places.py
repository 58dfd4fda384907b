"""What a user names as records, opened as one: a record, several of one spec, or the place of a lake."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from steelyard.core.errors import UsageError
from steelyard.lab.lake.places import is_lake
from steelyard.lab.merge.machines import By
from steelyard.lab.merge.merging import one_record
from steelyard.lab.run.existing_record import find_record
from steelyard.store import Reading, Record


@contextmanager
def opened(names: Sequence[Path | str], by: By = "host") -> Iterator[tuple[Reading, bool]]:
    """Open what ``names`` are, and tell whether it is only there for this question.

    Raises
    ------
    UsageError
        A place of a lake beside other names; as ``merge`` and ``lake_record``.
    RecordError
        The record cannot be read, or is damaged.
    """
    lakes = [name for name in names if is_lake(name)]
    if not lakes:
        directories = [find_record(Path(name)) for name in names]
        with one_record(directories, by) as directory, Record.open(directory) as record:
            yield record, directory not in directories
        return
    if len(names) > 1:
        raise UsageError(
            "a place of records is asked by itself, and not beside others",
            hint="export the other records there too: steelyard export RECORD.lab --to PLACE",
        )
    from steelyard.lab.lake.opening import lake_record

    with lake_record(lakes[0], by) as record:
        yield record, True
