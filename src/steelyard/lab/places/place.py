"""A kind of place that holds records and is none; apart, so that who asks of a record loads nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from steelyard.core.errors import UsageError
from steelyard.core.extension import list_places, load
from steelyard.files.urls import strip_secrets

if TYPE_CHECKING:
    from steelyard.lab.merge.machines import By
    from steelyard.lab.places.contents import Exported, Summaries, ToolReport
    from steelyard.lab.summary.condensing import Watch
    from steelyard.store import Reading


class Place(Protocol):
    """A kind of place that holds records and is none: a directory or a URL.

    Each method but ``holds`` raises ``UsageError`` where a place cannot be read or written, ``RecordError``
    where what lies there is damaged, and ``MachineError`` where a package is missing.
    """

    def holds(self, name: Path | str) -> bool:
        """Whether a name is such a place."""

    def open(self, name: Path | str, by: By) -> AbstractContextManager[Reading]:
        """Open the records of one spec as one, in which machines are contexts."""

    def read_summaries(self, name: Path | str) -> Summaries:
        """Read what a history is made of; no trial is read."""

    def write(self, name: Path | str, records: Sequence[Path], watch: Watch) -> Exported:
        """Write records, or the records of directories."""

    def write_reports(self, name: Path | str, reports: Sequence[ToolReport]) -> Exported:
        """Write reports of another tool, of which ``read_summaries`` gives what a history is made of."""


def find_place(name: Path | str) -> Place | None:
    """Find the kind of place that a name is; ``None`` for a record and whatever else."""
    for entry in list_places().values():
        place: Place = load(entry)
        if place.holds(name):
            return place
    return None


def is_place(name: Path | str) -> bool:
    """Whether a name is a place that holds records and is none."""
    return find_place(name) is not None


def make_unknown(place: Path | str) -> UsageError:
    """Make the error for a place that no extension reads or writes."""
    return UsageError(
        f"{strip_secrets(str(place))}: no installed extension keeps records at a place",
        hint="name a record, NAME.lab, or install an extension that has such places",
    )
