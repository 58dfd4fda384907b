"""What a place of records gives besides a record, and what writing into one gave."""

from __future__ import annotations

import msgspec

from steelyard.core.units import Metric
from steelyard.results.left_out import LeftOut
from steelyard.store.summaries import Condensed


class Summary(msgspec.Struct, frozen=True):
    """What a place keeps of one record for a history.

    Attributes
    ----------
    condensed : Condensed or None
        ``None`` where no summary can be made of it.
    """

    name: str
    metrics: tuple[Metric, ...]
    condensed: Condensed | None


class Summaries(msgspec.Struct, frozen=True):
    """The summaries at a place, in the order in which records were made, and what could not be read."""

    summaries: tuple[Summary, ...]
    left_out: tuple[LeftOut, ...]


class ToolReportRow(msgspec.Struct, frozen=True):
    """A value of a report, or a run of one that failed, which has none.

    Attributes
    ----------
    status : {"ok", "failed", "timed_out"}
    reason : str
        Why it failed, in words.
    """

    test: str
    metric: str
    unit: str
    launch: int
    value: float | None
    status: str = "ok"
    reason: str = ""


class ToolReport(msgspec.Struct, frozen=True):
    """A report of another tool, with every value and every run that failed."""

    condensed: Condensed
    metrics: tuple[Metric, ...]
    rows: tuple[ToolReportRow, ...]


class Exported(msgspec.Struct, frozen=True):
    """Records that were written, those that were there already, and those that were left out.

    Attributes
    ----------
    place : str
        The place, as output names it, without secrets.
    """

    place: str
    written: int
    unchanged: int
    left_out: tuple[LeftOut, ...]
