"""Files with a time on each line."""

from __future__ import annotations

from steelyard.api.extensions import FileContents, ImportedSeries


def read(text: str, where: str) -> FileContents:
    """Return the times as launches of one benchmark."""
    values = tuple((float(line),) for line in text.splitlines())
    series = ImportedSeries({"benchmark": where.rpartition("/")[2]}, "time_s", "s", values)
    return FileContents("lines", (series,), repeats="launch")
