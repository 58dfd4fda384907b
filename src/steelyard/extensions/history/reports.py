"""Folders of reports, such as those of nightly tests: a point of a history for each file, without a record.

Every test and variable of a report is a series of its own. Runs that failed have no value, and are told with
the file.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec
import numpy as np
from msgspec.structs import replace

from steelyard.core.errors import SteelyardError, UsageError
from steelyard.core.units import Metric
from steelyard.extensions.exchange.importers import Chosen, FileContents, find_tool, read
from steelyard.extensions.exchange.importers.contents import FailedRuns, ImportedSeries, word_levels
from steelyard.extensions.exchange.importers.identity import choose_sides, tell_apart
from steelyard.extensions.exchange.importers.machines import MACHINE
from steelyard.extensions.exchange.report_folders import list_folder, refuse_mixture
from steelyard.lab.places.contents import ToolReport, ToolReportRow
from steelyard.lab.summary.condensing import Watch, ignore_progress
from steelyard.results.left_out import LeftOut
from steelyard.stats.describe.digest import digest
from steelyard.store.differences import encode_sorted
from steelyard.store.facts import FILE
from steelyard.store.summaries import Condensed, Labelled, is_summaries

_DATE: Final = re.compile(
    r"(?<!\d)(\d{4})-?(0[1-9]|1[0-2])-?(0[1-9]|[12]\d|3[01])(?:[T_-]?([01]\d|2[0-3])[:-]?([0-5]\d)(?:[:-]?([0-5]\d))?)?(?!\d)"
)
UNREAD: Final = "cannot be read"
_MOST_NAMED: Final = 3
"""Failed tests of a report that are named."""


class Reports(msgspec.Struct, frozen=True):
    """The reports of some folders.

    Attributes
    ----------
    records : tuple of Condensed
        One for each file, in their order.
    by_name : bool
        Whether they are ordered by their names, since neither all files nor all names say a time.
    contents : Mapping[str, FileContents]
        Of each record, by its id.
    """

    records: tuple[Condensed, ...]
    metrics: Mapping[str, Metric]
    left_out: tuple[LeftOut, ...]
    by_name: bool
    contents: Mapping[str, FileContents]

    def keep(self) -> tuple[ToolReport, ...]:
        """Return each report with all of its values, to be written into a place.

        Raises
        ------
        UsageError
            Nothing says when they were made, so that later ones would have no place among them.
        """
        self.refuse_without_time()
        return tuple(
            ToolReport(record, _list_metrics(self, record), tuple(_list_rows(self.contents[record.id])))
            for record in self.records
        )

    def refuse_without_time(self) -> None:
        """Refuse reports that only names order: those that come later would have no place among them.

        Raises
        ------
        UsageError
        """
        # The place of a name is less than a second after 1970; a single report has one, too.
        if any(record.created_ns < 10**9 for record in self.records):
            raise UsageError(
                f"{self.records[0].name}: neither the reports nor their names say when they were made",
                hint="put the date into each name, as in 2026-11-05.json",
            )


def is_report(record: Condensed) -> bool:
    """Whether a record stands for a report, of which every metric is judged."""
    return set(msgspec.json.decode(record.spec)) == {"reports"}


def tell_lacking(records: Iterable[Condensed]) -> list[LeftOut]:
    """Say what reports that are kept do not have, once for all reports that lack the same."""
    names: dict[str, list[str]] = {}
    for record in records:
        for why in record.lacking:
            names.setdefault(why, []).append(record.name)
    return [LeftOut(_name_several(several), why, unreadable=True) for why, several in names.items()]


def _name_several(names: Sequence[object]) -> str:
    return f"{names[0]}" if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"


def holds_reports(name: Path) -> bool:
    """Whether a name is a file that is no record, or a folder of files in which no record lies."""
    if name.is_file():
        return name.name != FILE and not is_summaries(name)
    if not name.is_dir() or name.suffix == ".lab" or next(name.rglob(FILE), None) is not None:
        return False
    return bool(list_folder(name).reports)


def read_reports(names: Sequence[Path], chosen: Chosen, watch: Watch = ignore_progress) -> Reports:
    """Read the reports of folders; files that cannot be read are left out and named.

    Parameters
    ----------
    names : sequence of Path
        Files, and folders as of ``holds_reports``.
    chosen : Chosen
        The columns of tables.

    Raises
    ------
    UsageError
        No file can be read, files are of several tools, or a metric has two units.
    """
    folders = [list_folder(name) for name in names]
    paths = list(dict.fromkeys(path for folder in folders for path in folder.reports))
    contents_of: dict[Path, FileContents] = {}
    documents = dict.fromkeys(path for folder in folders for path in folder.documents)
    left_out = [LeftOut(str(path), "is no report, by its name") for path in documents]
    tools: dict[Path, str] = {}
    for done, path in enumerate(paths):
        watch(done, len(paths))
        try:
            contents_of[path] = read(path, None, chosen)
        except SteelyardError as error:
            why = error.message.removeprefix(f"{path}").lstrip(": ")
            if (tool := find_tool(path)) is not None:
                tools[path] = tool
            left_out.append(LeftOut(str(path), f"{UNREAD}: {why}", unreadable=True))
    tools |= {path: contents.tool for path, contents in contents_of.items()}
    refuse_mixture({path: tools[path] for path in paths if path in tools}, names)
    if not contents_of:
        first = next((out for out in left_out if out.unreadable), left_out[0])
        raise UsageError(
            f"{first.record} is neither a record nor a report: it {first.why}",
            hint="name a folder of reports of one tool; columns of tables: --value time_s --by test",
        )
    told_apart = tell_apart({str(path): contents.series for path, contents in contents_of.items()})
    series_of = choose_sides(told_apart, chosen.sides, chosen.value)
    metrics = _find_metrics(series_of)
    left_out += [
        LeftOut(str(path), why, unreadable=True)
        for path, contents in contents_of.items()
        for why in _tell_failures(contents)
    ]
    left_out += _tell_skipped(contents_of)
    times, by_name = _order(contents_of)
    records = []
    by_id = {}
    places_of: dict[str, list[Path]] = {}
    for path in sorted(contents_of, key=lambda path: (times[path], str(path))):
        record, variables = _condense(path, contents_of[path], series_of[str(path)], times[path])
        records.append(record)
        by_id[record.id] = replace(contents_of[path], series=tuple(series_of[str(path)]))
        for name in variables:
            places_of.setdefault(name, []).append(path)
    left_out += [
        LeftOut(
            _name_several(places),
            f"{'has' if len(places) == 1 else 'have'} no positive value of {name}",
            unreadable=True,
        )
        for name, places in places_of.items()
    ]
    return Reports(tuple(records), metrics, tuple(left_out), by_name, by_id)


def _find_metrics(series_of: Mapping[str, Sequence[ImportedSeries]]) -> dict[str, Metric]:
    metrics: dict[str, Metric] = {}
    for place, series in series_of.items():
        for entry in series:
            metric = metrics.setdefault(entry.metric, Metric(entry.metric, entry.unit, better=entry.better))
            if metric.unit != entry.unit:
                raise UsageError(
                    f"{place}: {entry.metric} is in {entry.unit or 'no unit'}, and in"
                    f" {metric.unit or 'no unit'} in files before",
                    hint="give the reports since the unit changed: a new unit begins another history",
                )
    return metrics


def _list_metrics(reports: Reports, record: Condensed) -> tuple[Metric, ...]:
    names = dict.fromkeys(entry.metric for entry in reports.contents[record.id].series)
    return tuple(reports.metrics[name] for name in names)


def _list_rows(contents: FileContents) -> Iterator[ToolReportRow]:
    """Yield every value of a report, and every run of it that failed."""
    for entry in contents.series:
        for launch, values in enumerate(entry.values, 1):
            for value in values:
                yield ToolReportRow(word_levels(entry.levels), entry.metric, entry.unit, launch, value)
    for runs in contents.failures:
        test = word_levels(runs.levels)
        for status, number in (("failed", runs.failed), ("timed_out", runs.timed_out)):
            for _ in range(number):
                yield ToolReportRow(test, "", "", 0, None, status, runs.reason)


def _tell_failures(contents: FileContents) -> list[str]:
    """Tell of the runs of a report that failed, in the end of a sentence."""
    number = sum(entry.failed + entry.timed_out for entry in contents.failures)
    if not number:
        return []
    named = [_name_failure(entry) for entry in contents.failures[:_MOST_NAMED]]
    surplus = len(contents.failures) - _MOST_NAMED
    tests = "; ".join([*named, *([f"{surplus} more"] if surplus > 0 else [])])
    runs = number + sum(max(map(len, values.values())) for values in _group_values(contents.series).values())
    verb = "failed" if any(entry.failed for entry in contents.failures) else "timed out"
    return [f"lacks {number} of {runs} runs, which {verb} ({tests})"]


def _tell_skipped(contents_of: Mapping[Path, FileContents]) -> list[LeftOut]:
    """Tell of benchmarks that have no value and did not fail, as where what they printed broke their line."""
    places_of: dict[tuple[str, str], list[Path]] = {}
    for path, contents in contents_of.items():
        failed = {name for entry in contents.failures for name in (entry.name, entry.title)}
        for name, reason in contents.skipped.items():
            if name not in failed:
                places_of.setdefault((name, reason), []).append(path)
    return [
        LeftOut(
            _name_several(places),
            f"{'has' if len(places) == 1 else 'have'} no value of {name}{f': {reason}' if reason else ''}",
        )
        for (name, reason), places in places_of.items()
    ]


def _name_failure(entry: FailedRuns) -> str:
    reason = entry.reason or ("timed out" if entry.timed_out else "")
    return f"{entry.title}: {reason}" if reason else entry.title


def _group_values(series: Sequence[ImportedSeries]) -> dict[str, dict[str, tuple[tuple[float, ...], ...]]]:
    values: dict[str, dict[str, tuple[tuple[float, ...], ...]]] = {}
    for entry in series:
        values.setdefault(word_levels(entry.levels), {})[entry.metric] = entry.values
    return values


def _order(contents_of: Mapping[Path, FileContents]) -> tuple[dict[Path, int], bool]:
    """Return a time for each file, and whether it is only the place of its name.

    A file's own time comes first, then the date in its name: one of these for all of them.
    """
    times = {path: contents.time_ns for path, contents in contents_of.items() if contents.time_ns is not None}
    if len(times) == len(contents_of):
        return times, False
    dates = {path: time for path in contents_of if (time := _find_date(path.stem)) is not None}
    if len(dates) == len(contents_of):
        return dates, False
    return {path: place for place, path in enumerate(contents_of)}, len(contents_of) > 1


def _find_date(stem: str) -> int | None:
    if (match := _DATE.search(stem)) is None:
        return None
    numbers = [int(group or 0) for group in match.groups()]
    try:
        date = dt.datetime(*numbers, tzinfo=dt.UTC)  # type: ignore[arg-type, misc]
    except ValueError:
        return None
    return round(date.timestamp()) * 10**9


def _condense(
    path: Path, contents: FileContents, series: Sequence[ImportedSeries], time_ns: int
) -> tuple[Condensed, list[str]]:
    """Condense a report, and return also the variables that have a value which is not positive."""
    digests: dict[str, list[Labelled]] = {}
    unusable = []
    for entry in series:
        values = [value for launch in entry.values for value in launch]
        if (digested := digest(np.asarray(values), entry.better)) is None:
            if values:
                unusable.append(f"{entry.metric} of {entry.title}")
            continue
        digests.setdefault(entry.metric, []).append(Labelled(word_levels(entry.levels), {}, digested))
    tool = contents.tool.partition(" ")[0]
    record = Condensed(
        id=_compute_id(path, has_time=contents.time_ns is not None),
        name=re.sub(r"[.](gz|bz2)$", "", str(path)),
        created_ns=time_ns,
        experiment=tool,
        primary_metric=next(iter(digests), ""),
        spec=encode_sorted({"reports": tool}),
        host=encode_sorted({key: contents.host[key] for key in MACHINE if key in contents.host}),
        digests={name: tuple(entries) for name, entries in digests.items()},
        lacking=(*_tell_failures(contents), *(f"has no positive value of {name}" for name in unusable)),
    )
    return record, unusable


def _compute_id(path: Path, *, has_time: bool) -> str:
    """Return an id by the bytes of a report: a copy counts once. Reports without a time may be equal."""
    name = b"" if has_time else str(path).encode()
    return hashlib.sha256(name + path.read_bytes()).hexdigest()
