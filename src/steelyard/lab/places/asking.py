"""What a user names as records, opened as one: a record, several of one spec, or a place of records."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from steelyard.core.errors import UsageError
from steelyard.core.extension import list_places, load
from steelyard.files.urls import is_url
from steelyard.lab.merge.machines import By
from steelyard.lab.merge.merging import one_record
from steelyard.lab.places.contents import Exported, ToolReport
from steelyard.lab.places.place import Place, find_place, make_unknown
from steelyard.lab.run.existing_record import find_record
from steelyard.lab.summary.condensing import Watch
from steelyard.store import Reading, Record


@contextmanager
def opened(names: Sequence[Path | str], by: By = "host") -> Iterator[tuple[Reading, bool]]:
    """Open what ``names`` are, and tell whether it is only there for this question.

    Raises
    ------
    UsageError
        A place beside other names; as ``merge`` and ``Place``.
    RecordError
        The record cannot be read, or is damaged.
    """
    places = [(name, place) for name in names if (place := find_place(name)) is not None]
    if not places:
        if urls := [name for name in names if isinstance(name, str) and is_url(name)]:
            raise make_unknown(urls[0])
        directories = [find_record(Path(name)) for name in names]
        with one_record(directories, by) as directory, Record.open(directory) as record:
            yield record, directory not in directories
        return
    if len(names) > 1:
        raise UsageError(
            "a place of records is asked by itself, and not beside others",
            hint="export the other records there too: steelyard export RECORD.lab --to PLACE",
        )
    ((name, place),) = places
    with place.open(name, by) as reading:
        yield reading, True


def write_records(names: Sequence[Path], place: Path | str, watch: Watch) -> Exported:
    """Write records, or the records of directories, into a place; a new one is of the first kind.

    Raises
    ------
    UsageError
        No extension has places of records; or as ``Place``.
    """
    return _find_kind(place).write(place, names, watch)


def write_reports(reports: Sequence[ToolReport], place: Path | str) -> Exported:
    """Write reports of another tool into a place, as ``write_records`` does records."""
    return _find_kind(place).write_reports(place, reports)


def _find_kind(place: Path | str) -> Place:
    kind: Place | None = find_place(place) or next((load(entry) for entry in list_places().values()), None)
    if kind is None:
        raise make_unknown(place)
    return kind
