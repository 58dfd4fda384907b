"""The lake as a place of records; apart, so that who asks of a record loads nothing of lakes."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from steelyard.files.urls import is_url

if TYPE_CHECKING:
    from steelyard.lab.merge.machines import By
    from steelyard.lab.places.contents import Exported, Summaries, ToolReport
    from steelyard.lab.places.place import Place
    from steelyard.lab.summary.condensing import Watch
    from steelyard.store import Reading


class LakePlace:
    """A directory or a URL with Parquet files of many records."""

    def holds(self, name: Path | str) -> bool:
        """Whether a name is a URL, or a directory in which specs, days or facts lie."""
        if isinstance(name, str):
            return is_url(name)
        if not name.is_dir():
            return False
        if name.name.startswith(("spec=", "reports=", "day=")):
            return True
        return any(
            entry.name.startswith(("spec=", "reports=")) and entry.is_dir() for entry in name.iterdir()
        )

    def open(self, name: Path | str, by: By) -> AbstractContextManager[Reading]:
        """Open the records of one spec as one, in which machines are contexts."""
        from steelyard.extensions.lake.opening import lake_record

        return lake_record(name, by)

    def read_summaries(self, name: Path | str) -> Summaries:
        """Read what a history is made of; no table of trials is read."""
        from steelyard.extensions.lake.opening import read_summaries

        return read_summaries(name)

    def write(self, name: Path | str, records: Sequence[Path], watch: Watch) -> Exported:
        """Write records, or the records of directories."""
        from steelyard.extensions.lake.exporting import export_to
        from steelyard.extensions.lake.location import Location

        return export_to(records, Location(name), watch)

    def write_reports(self, name: Path | str, reports: Sequence[ToolReport]) -> Exported:
        """Write reports of another tool."""
        from steelyard.extensions.lake.location import Location
        from steelyard.extensions.lake.reports import write_reports

        return write_reports(reports, Location(name))


LAKE: Final[Place] = LakePlace()
