"""Reports of other tools in a lake: the values of each as a Parquet file, and what a history keeps of it.

The document is ``steelyard/lake-report``. History: version 1, the first.
"""

from __future__ import annotations

import gzip
import io
import re
import zlib
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

import msgspec

from steelyard.core.errors import SteelyardError
from steelyard.core.units import Metric
from steelyard.extensions.exchange.arrow import write_parquet
from steelyard.extensions.exchange.table import Table, TableColumn
from steelyard.extensions.lake.facts import LARGEST_BYTES, TableFile, hash_bytes, inflate_document
from steelyard.extensions.lake.location import Location
from steelyard.lab.places.contents import Exported, Summary, ToolReport
from steelyard.results.left_out import LeftOut
from steelyard.store.summaries import Condensed

FORMAT: Final = "steelyard/lake-report"
VERSION: Final = 1
_NAME: Final = re.compile(r"(?:.*/)?reports=[\w.-]+/day=\d{4}-\d\d-\d\d/[0-9a-f]{16}\.json\.gz")
_COLUMNS: Final = (
    TableColumn("report", "text"),
    TableColumn("time_ns", "integer"),
    TableColumn("test", "text"),
    TableColumn("metric", "text"),
    TableColumn("unit", "text"),
    TableColumn("launch", "integer"),
    TableColumn("value", "real"),
    TableColumn("status", "text"),
    TableColumn("reason", "text"),
)


class ReportFacts(msgspec.Struct, frozen=True, kw_only=True):
    """A report without its values.

    Attributes
    ----------
    tool : str
        Whose report it is.
    rows : TableFile
        The table beside it.
    """

    format: str = FORMAT
    version: int = VERSION
    tool: str
    condensed: Condensed
    metrics: tuple[Metric, ...]
    rows: TableFile

    @property
    def stem(self) -> str:
        """The names of its files below the place of a lake, without their ends."""
        return name_stem(self.condensed)


def name_stem(condensed: Condensed) -> str:
    """Return ``reports=TOOL/day=YYYY-MM-DD/ID``, the place of a report's files in a lake.

    Raises
    ------
    ValueError
        A tool that is no name, an id that is no digest, or a time that is none.
    """
    tool, id_ = condensed.experiment, condensed.id[:16]
    if not re.fullmatch(r"[\w-][\w.-]*", tool) or not re.fullmatch("[0-9a-f]{16}", id_):
        raise ValueError(f"it is called {id_!r} of {tool!r}")
    return f"reports={tool}/day={datetime.fromtimestamp(condensed.created_ns // 10**9, UTC):%Y-%m-%d}/{id_}"


def is_report(name: str) -> bool:
    """Whether a file of a lake is that of a report, by its name."""
    return _NAME.fullmatch(name) is not None


def write_reports(reports: Sequence[ToolReport], location: Location) -> Exported:
    """Write reports; one that is there as it is stays untouched.

    Raises
    ------
    UsageError
        The place cannot be read or written.
    MachineError
        arro3 is not installed.
    """
    written = sum(_write(report, location) for report in reports)
    return Exported(location.label, written, len(reports) - written, ())


def _write(report: ToolReport, location: Location) -> bool:
    stem = name_stem(report.condensed)
    out = io.BytesIO()
    condensed = report.condensed
    rows = ((condensed.name, condensed.created_ns, *msgspec.structs.astuple(row)) for row in report.rows)
    write_parquet(Table(_COLUMNS, rows), out)
    table = out.getvalue()
    facts = ReportFacts(
        tool=condensed.experiment,
        condensed=condensed,
        metrics=report.metrics,
        rows=TableFile(len(report.rows), hash_bytes(table)),
    )
    content = gzip.compress(msgspec.json.encode(facts), mtime=0)
    if _is_there(location, f"{stem}.json.gz", content) and _is_there(location, f"{stem}.parquet", table):
        return False
    location.write(f"{stem}.parquet", table)
    location.write(f"{stem}.json.gz", content)
    return True


def _is_there(location: Location, name: str, content: bytes) -> bool:
    try:
        return location.read(name) == content
    except SteelyardError:
        return False


def read_report(location: Location, name: str) -> Summary | LeftOut:
    """Read what a history needs of a report; that of a damaged file is left out."""
    label = f"{location.label}/{name}"
    try:
        text = inflate_document(location.read(name, largest=LARGEST_BYTES), FORMAT, VERSION, label)
        facts = msgspec.json.decode(text, type=ReportFacts)
        if f"{facts.stem}.json.gz" != name:
            raise ValueError("it belongs to another tool, day or report than its place says")
    except (zlib.error, msgspec.DecodeError, ValueError, OverflowError, OSError, RecursionError) as error:
        return LeftOut(label, f"is damaged: {error}", unreadable=True)
    except SteelyardError as error:
        return LeftOut(label, error.message.removeprefix(f"{label} "), unreadable=True)
    return Summary(facts.condensed.name, facts.metrics, facts.condensed)
