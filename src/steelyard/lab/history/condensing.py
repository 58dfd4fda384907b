"""From records to what a history keeps of them; those that cannot be read are left out, and that is said."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import msgspec
import numpy as np
from msgspec.structs import replace

from steelyard.core.errors import SteelyardError, UsageError
from steelyard.core.units import Metric
from steelyard.files.urls import strip_secrets
from steelyard.lab.lake.places import is_lake
from steelyard.results.history import LeftOut
from steelyard.spec.hints.metric_names import suggest_metric
from steelyard.stats.history.digest import digest
from steelyard.store import Record
from steelyard.store.differences import encode_sorted
from steelyard.store.facts import FILE
from steelyard.store.merging import find_origin
from steelyard.store.seal import SealSummary, read_seal, write_seal
from steelyard.store.summaries import Condensed, Labelled, Summaries, is_summaries

MACHINE: Final = (
    *("cpu_model", "cpus_online", "cpus_usable", "governor", "turbo"),
    *("kernel", "virtualization"),
)
"""Facts of a host by which machines differ; not its name, which a build server draws for every job."""

_MAY_DIFFER: Final = ("name", "source", "claims", "design", "analysis")
"""Parts of a spec that change neither what is run nor what is measured."""

Watch = Callable[[int, int], None]
"""Told how many records have been read, of how many."""


def ignore_progress(_done: int, _total: int) -> None:
    """Watch nothing."""


class CondensedRecords(msgspec.Struct, frozen=True):
    """Records and what was left out."""

    records: tuple[Condensed, ...]
    metrics: Mapping[str, Metric]
    left_out: tuple[LeftOut, ...]


def gather(
    names: Sequence[Path | str],
    metrics: Sequence[str],
    watch: Watch = ignore_progress,
    *,
    beside: Sequence[str] = (),
) -> CondensedRecords:
    """Condense records, given by themselves or by the places that hold them.

    Places are directories of records, files that ``collect`` has written, and lakes; a text is the URL of a
    lake.

    Parameters
    ----------
    metrics : sequence of str
        Those that are wanted; the primary one of each record where there are none.
    beside : sequence of str
        More metrics, of the records that have them.

    Raises
    ------
    UsageError
        A name with no record, or a metric that no record has.
    """
    lakes = [name for name in names if is_lake(name)]
    paths = [name for name in names if isinstance(name, Path) and name not in lakes]
    files = [path for path in paths if is_summaries(path)]
    directories = [entry for path in paths if path not in files for entry in find_records(path)]
    condensed_records = _condense(directories, metrics, watch, beside)
    records, available = (
        {entry.id: entry for entry in condensed_records.records},
        dict(condensed_records.metrics),
    )
    left_out = list(condensed_records.left_out)
    for name in lakes:
        lake_records = _read_lake(name, metrics, beside)
        records |= {entry.id: entry for entry in lake_records.records}
        available |= lake_records.metrics
        left_out += lake_records.left_out
    for name in files:
        with Summaries(name) as file:
            available |= file.metrics()
            records |= {entry.id: entry for entry in file.read(metrics, beside)}
    for metric in metrics:
        if available and metric not in available:
            raise UsageError(f"no record has a metric {metric!r}", hint=suggest_metric(metric, available))
    counted_once, repeated = _count_once(records.values())
    return CondensedRecords(counted_once, available, (*left_out, *repeated))


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


def _read_lake(place: Path | str, metrics: Sequence[str], beside: Sequence[str] = ()) -> CondensedRecords:
    """Return what the facts of a lake keep for a history; no table of trials is read."""
    from steelyard.lab.lake.opening import read_lake

    lake = read_lake(place)
    records, left_out = [], list(lake.left_out)
    available: dict[str, Metric] = {}
    for facts in lake.facts:
        condensed = facts.condensed
        if condensed is None or not (digests := _choose_digests(condensed, metrics, beside)):
            why = "has no complete block with positive values of the metric"
            left_out.append(LeftOut(condensed.name if condensed else facts.name, why))
            continue
        records.append(replace(condensed, digests=digests))
        available |= {entry.metric.name: entry.metric for entry in facts.metrics}
    return CondensedRecords(tuple(records), available, tuple(left_out))


def collect(file: Path, names: Sequence[Path | str], watch: Watch = ignore_progress) -> CondensedRecords:
    """Add every metric of these records to a file of summaries; what it has already is not read again.

    Raises
    ------
    RecordError
        The file cannot be written, or holds something else.
    UsageError
        A name is the place of a lake, which keeps summaries itself.
    """
    for name in names:
        if not isinstance(name, Path) or is_lake(name):
            label = strip_secrets(str(name))
            raise UsageError(
                f"{label} keeps summaries of its records already", hint=f"steelyard history {label}"
            )
    with Summaries(file) as summaries:
        present = summaries.list_digests()
        directories = [entry for name in names for entry in find_records(Path(name))]
        records = _condense([entry for entry in directories if _get_id(entry) not in present], None, watch)
        summaries.add(records.records, records.metrics.values())
    return records


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


def read_condensed(
    directory: Path, metrics: Sequence[str] | None, beside: Sequence[str] = ()
) -> tuple[Condensed, dict[str, Metric]]:
    """Condense a record by its seal, or as ``condense`` where it has none that is its own."""
    return _read_sealed(directory, metrics, beside) or condense(directory, metrics, beside)


def _read_sealed(
    directory: Path, metrics: Sequence[str] | None, beside: Sequence[str]
) -> tuple[Condensed, dict[str, Metric]] | None:
    """Return what ``condense`` would give, by the seal of the record.

    ``None`` without one, or where that has not what is asked, so that reading the record tells why.
    """
    summary = read_seal(directory / FILE)
    if summary is None:
        return None
    condensed, available = summary.condensed, {metric.name: metric for metric in summary.metrics}
    digests = _choose_digests(condensed, metrics, beside)
    if not digests:
        return None
    return replace(condensed, name=str(directory), digests=digests), available


def _choose_digests(
    condensed: Condensed, metrics: Sequence[str] | None, beside: Sequence[str]
) -> dict[str, tuple[Labelled, ...]]:
    """Digests of these metrics and of those ``beside``; empty where it has none of these metrics."""
    wanted_metrics = list(condensed.digests) if metrics is None else metrics or [condensed.primary_metric]
    if condensed.digests.keys().isdisjoint(wanted_metrics):
        return {}
    chosen = dict.fromkeys((*wanted_metrics, *beside))
    return {name: condensed.digests[name] for name in chosen if name in condensed.digests}


def write_summary(directory: Path) -> None:
    """Keep with a record that has ended what a history keeps of it, so that thousands are read in a second.

    A record of which nothing can be kept gets no seal.
    """
    with suppress(SteelyardError):
        condensed, available = condense(directory, None)
        write_seal(directory / FILE, SealSummary(condensed, tuple(available.values())))


def find_records(name: Path) -> Iterator[Path]:
    """Yield the record that a name is, or those of a directory.

    Raises
    ------
    UsageError
        The directory holds no record.
    """
    if name.name == FILE:
        yield name.parent
    elif (name / FILE).exists() or name.suffix == ".lab":
        yield name
    elif name.is_dir():
        paths = sorted(file.parent for file in name.rglob(FILE))
        if not paths:
            raise UsageError(
                f"{name} contains no records", hint="name records (NAME.lab), or a directory that has some"
            )
        yield from paths
    else:
        raise UsageError(
            f"{name} is neither a record nor a directory of records, nor a file that --collect wrote",
            hint="steelyard history RECORD.lab … or steelyard history DIRECTORY",
        )


def _get_id(directory: Path) -> str | None:
    """Return the id of a record; ``None`` where it cannot be read, which will be told."""
    if (summary := read_seal(directory / FILE)) is not None:
        return summary.condensed.id
    try:
        with Record.open(directory) as record:
            return record.id
    except SteelyardError:
        return None


def condense(
    directory: Path, metrics: Sequence[str] | None, beside: Sequence[str] = ()
) -> tuple[Condensed, dict[str, Metric]]:
    """Condense a record, and return the summary with all metrics of the record.

    The summary has these metrics (``None`` for all, none for the primary one) and those ``beside`` that the
    record has.

    Raises
    ------
    RecordError
        It cannot be read.
    UsageError
        It is being written, or has nothing of what is asked.
    """
    with Record.open(directory) as record, record.snapshot():
        if (holder := record.holder()) is not None:
            raise UsageError(f"is being written by {holder}")
        available = {metric.name: metric for metric in record.metrics}
        experiment = record.experiment
        primary = experiment.analysis.metric
        wanted_metrics = list(available) if metrics is None else metrics or [primary]
        chosen = [name for name in dict.fromkeys((*wanted_metrics, *beside)) if name in available]
        digests: dict[str, list[Labelled]] = {}
        for sample in record.samples(*chosen):
            if (digested := digest(np.asarray(sample.values), sample.metric.better)) is not None:
                entry = Labelled(sample.treatment.label, sample.labels, digested)
                digests.setdefault(sample.metric.name, []).append(entry)
        if not available.keys().isdisjoint(wanted_metrics) and digests.keys().isdisjoint(wanted_metrics):
            raise UsageError("has no complete block with positive values")
        runs = record.runs()
        host = {} if not runs else {key: runs[0].host[key] for key in MACHINE if key in runs[0].host}
        condensed = Condensed(
            id=record.id,
            name=str(directory),
            created_ns=record.created_ns,
            experiment=experiment.name,
            primary_metric=primary,
            spec=encode_sorted(_measure(msgspec.to_builtins(experiment))),
            host=encode_sorted(host),
            digests={name: tuple(labelleds) for name, labelleds in digests.items()},
            parts=tuple(sorted({find_origin(record.id, run) for run in runs} - {record.id})),
        )
        return condensed, available


def _measure(spec: dict[str, Any]) -> dict[str, Any]:
    """Return the parts of a spec that say what is run and measured."""
    return {key: value for key, value in spec.items() if key not in _MAY_DIFFER}
