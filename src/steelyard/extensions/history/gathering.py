"""Records, lakes and files of summaries, condensed for a history; those that cannot be read are named."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import msgspec
from msgspec.structs import replace

from steelyard.core.errors import SteelyardError, UsageError
from steelyard.core.units import Metric
from steelyard.extensions.exchange.importers import Chosen
from steelyard.extensions.exchange.importers.contents import identifier
from steelyard.extensions.history.reports import holds_reports, is_report, read_reports, tell_lacking
from steelyard.files.urls import strip_secrets
from steelyard.lab.places.contents import Exported
from steelyard.lab.places.place import Place, find_place, is_place, make_unknown
from steelyard.lab.summary.condensing import (
    Watch,
    choose_digests,
    find_records,
    ignore_progress,
    read_condensed,
)
from steelyard.results.left_out import LeftOut
from steelyard.spec.hints.metric_names import suggest_metric
from steelyard.store import Record
from steelyard.store.facts import FILE
from steelyard.store.seal import read_seal
from steelyard.store.summaries import Condensed, Summaries, is_summaries


class CondensedRecords(msgspec.Struct, frozen=True):
    """Records and what was left out.

    Attributes
    ----------
    judged : tuple of str
        Metrics that are judged where none is asked for: the primary one of each record, each of reports.
    by_name : bool
        Whether reports say no time, so that their names are their order.
    """

    records: tuple[Condensed, ...]
    metrics: Mapping[str, Metric]
    left_out: tuple[LeftOut, ...]
    judged: tuple[str, ...] = ()
    by_name: bool = False


def gather(
    names: Sequence[Path | str],
    metrics: Sequence[str],
    watch: Watch = ignore_progress,
    *,
    beside: Sequence[str] = (),
    chosen: Chosen | None = None,
) -> CondensedRecords:
    """Condense records, given by themselves or by the places that hold them.

    Places are directories of records, files that ``collect`` has written, lakes, and folders of reports; a
    text is the URL of a lake.

    Parameters
    ----------
    metrics : sequence of str
        Those that are wanted; the primary one of each record where there are none.
    beside : sequence of str
        More metrics, of the records that have them.
    chosen : Chosen, optional
        Columns of reports that are tables.

    Raises
    ------
    UsageError
        A name with no record, or a metric that no record has.
    """
    places = {name: place for name in names if (place := find_place(name)) is not None}
    for name in names:
        if isinstance(name, str) and name not in places:
            raise make_unknown(name)
    paths = [name for name in names if isinstance(name, Path) and name not in places]
    files = [path for path in paths if is_summaries(path)]
    folders = [path for path in paths if path not in files and holds_reports(path)]
    record_paths = [path for path in paths if path not in files and path not in folders]
    directories = [entry for path in record_paths for entry in find_records(path)]
    condensed_records = _condense(directories, metrics, watch, beside)
    records, available = (
        {entry.id: entry for entry in condensed_records.records},
        dict(condensed_records.metrics),
    )
    left_out = list(condensed_records.left_out)
    for name, place in places.items():
        of_place = _read_place(place, name, metrics, beside)
        records |= {entry.id: entry for entry in of_place.records}
        available |= of_place.metrics
        left_out += of_place.left_out
    for name in files:
        with Summaries(name) as file:
            available |= file.metrics()
            entries = file.read(metrics, beside)
            if not metrics and any(map(is_report, entries)):
                entries = file.read(tuple(available), beside)
            records |= {entry.id: entry for entry in entries}
    left_out += tell_lacking(records.values())
    judged = dict.fromkeys(
        name
        for entry in records.values()
        for name in (entry.digests if is_report(entry) else (entry.primary_metric,))
    )
    by_name = False
    sides = {identifier(name): side for name, side in (chosen or Chosen()).sides.items()}
    if folders:
        reports = read_reports(folders, chosen or Chosen(), watch)
        records |= {entry.id: entry for entry in reports.records}
        available |= reports.metrics
        left_out += reports.left_out
        judged |= dict.fromkeys(reports.metrics)
        by_name = reports.by_name
    for metric in metrics:
        if available and metric not in available:
            raise UsageError(f"no record has a metric {metric!r}", hint=suggest_metric(metric, available))
    if any(map(is_report, records.values())):
        available = {
            name: replace(metric, better=sides.get(name, metric.better)) for name, metric in available.items()
        }
    counted_once, repeated = _count_once(records.values())
    return CondensedRecords(counted_once, available, (*left_out, *repeated), tuple(judged), by_name)


def _count_once(records: Iterable[Condensed]) -> tuple[tuple[Condensed, ...], list[LeftOut]]:
    """Keep records that share no trial, those with most parts first; return also those left out."""
    every = list(records)
    holders: dict[str, str] = {}
    left_out: dict[str, LeftOut] = {}
    for entry in sorted(every, key=lambda record: -len(record.parts)):
        ids = entry.parts or (entry.id,)
        if (holder_name := next((holders[id_] for id_ in ids if id_ in holders), None)) is not None:
            left_out[entry.id] = LeftOut(entry.name, f"has trials that are in {holder_name} too")
            continue
        holders |= dict.fromkeys(ids, entry.name)
    return tuple(entry for entry in every if entry.id not in left_out), [*left_out.values()]


def _read_place(
    place: Place, name: Path | str, metrics: Sequence[str], beside: Sequence[str] = ()
) -> CondensedRecords:
    """Return what a place keeps for a history; no trial is read."""
    summaries = place.read_summaries(name)
    records, left_out = [], list(summaries.left_out)
    available: dict[str, Metric] = {}
    for summary in summaries.summaries:
        condensed = summary.condensed
        wanted_metrics = None if condensed and not metrics and is_report(condensed) else metrics
        if condensed is None or not (digests := choose_digests(condensed, wanted_metrics, beside)):
            why = "has no complete block with positive values of the metric"
            left_out.append(LeftOut(condensed.name if condensed else summary.name, why))
            continue
        records.append(replace(condensed, digests=digests))
        available |= {metric.name: metric for metric in summary.metrics}
    return CondensedRecords(tuple(records), available, tuple(left_out))


def collect(
    file: Path,
    names: Sequence[Path | str],
    watch: Watch = ignore_progress,
    chosen: Chosen | None = None,
) -> CondensedRecords:
    """Add every metric of these records or reports to a file of summaries.

    A record that the file has already is not read again.

    Raises
    ------
    RecordError
        The file cannot be written, or holds something else.
    UsageError
        A name is the place of a lake, which keeps summaries itself.
    """
    for name in names:
        if not isinstance(name, Path) or is_place(name):
            label = strip_secrets(str(name))
            raise UsageError(
                f"{label} keeps summaries of its records already", hint=f"steelyard history {label}"
            )
    with Summaries(file) as summaries:
        present = summaries.list_digests()
        folders = [name for name in map(Path, names) if not is_summaries(name) and holds_reports(name)]
        directories = [
            entry for name in map(Path, names) if name not in folders for entry in find_records(name)
        ]
        records = _condense(
            [entry for entry in directories if _compute_id(entry) not in present], None, watch
        )
        if folders:
            reports = read_reports(folders, chosen or Chosen(), watch)
            reports.refuse_without_time()
            records = CondensedRecords(
                (*records.records, *(entry for entry in reports.records if entry.id not in present)),
                {**records.metrics, **reports.metrics},
                (*records.left_out, *reports.left_out),
            )
        summaries.add(records.records, records.metrics.values())
    return records


def export_reports(
    names: Sequence[Path | str], place: Path | str, chosen: Chosen, watch: Watch = ignore_progress
) -> Exported:
    """Write the reports of folders into a place, each with all of its values.

    Raises
    ------
    UsageError
        A name holds no report, nothing says when reports were made, or the place cannot be written.
    """
    from steelyard.lab.places.asking import write_reports

    for name in names:
        if not isinstance(name, Path) or is_place(name) or not holds_reports(name):
            raise UsageError(
                f"{strip_secrets(str(name))} is no folder of reports",
                hint="records: steelyard export RECORD.lab --to PLACE",
            )
    reports = read_reports([Path(name) for name in names], chosen, watch)
    return replace(write_reports(reports.keep(), place), left_out=reports.left_out)


def _condense(
    directories: Sequence[Path], metrics: Sequence[str] | None, watch: Watch, beside: Sequence[str] = ()
) -> CondensedRecords:
    records: list[Condensed] = []
    available: dict[str, Metric] = {}
    left_out: list[LeftOut] = []
    for done, directory in enumerate(directories):
        watch(done, len(directories))
        try:
            summary, names = read_condensed(directory, metrics, beside)
        except SteelyardError as error:
            why = error.message.removeprefix(f"{directory / FILE} ").removeprefix(f"{directory} ")
            left_out.append(LeftOut(str(directory), why, unreadable=True))
            continue
        records.append(summary)
        available |= names
    return CondensedRecords(tuple(records), available, tuple(left_out))


def _compute_id(directory: Path) -> str | None:
    """Return the id of a record; ``None`` where it cannot be read, which will be told."""
    if (summary := read_seal(directory / FILE)) is not None:
        return summary.condensed.id
    try:
        with Record.open(directory) as record:
            return record.id
    except SteelyardError:
        return None
