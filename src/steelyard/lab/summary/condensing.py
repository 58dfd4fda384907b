"""From one record to what a history keeps of it, by its seal where it has one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import msgspec
import numpy as np
from msgspec.structs import replace

from steelyard.core.errors import SteelyardError, UsageError
from steelyard.core.units import Metric
from steelyard.run.host.conditions import HOST_NAMES, WORDS
from steelyard.stats.describe.digest import digest
from steelyard.store import Record
from steelyard.store.differences import encode_sorted
from steelyard.store.facts import FILE
from steelyard.store.merging import find_origin
from steelyard.store.seal import SealSummary, read_seal, write_seal
from steelyard.store.summaries import Condensed, Labelled

MACHINE: Final = tuple(fact for fact in WORDS if fact not in HOST_NAMES)
"""Conditions by which machines differ; not a name, which a build server draws for every job."""

_MAY_DIFFER: Final = ("name", "source", "claims", "design", "analysis")
"""Parts of a spec that change neither what is run nor what is measured."""

Watch = Callable[[int, int], None]
"""Told how many records have been read, of how many."""


def ignore_progress(_done: int, _total: int) -> None:
    """Watch nothing."""


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
    digests = choose_digests(condensed, metrics, beside)
    if not digests:
        return None
    return replace(condensed, name=str(directory), digests=digests), available


def choose_digests(
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
        with Record.open(directory) as record:
            head = record.prove_briefly().head
        write_seal(directory / FILE, SealSummary(condensed, tuple(available.values())), head)


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


def condense(
    directory: Path, metrics: Sequence[str] | None, beside: Sequence[str] = ()
) -> tuple[Condensed, dict[str, Metric]]:
    """Condense a record, and return the summary with all metrics of the record.

    The summary has these metrics (``None`` for all, none for the primary one) and those ``beside`` that the
    record has.

    Raises
    ------
    RecordError
        It cannot be read, or is not as it was measured.
    UsageError
        It is being written, or has nothing of what is asked.
    """
    with Record.open(directory) as record, record.snapshot():
        if (holder := record.holder()) is not None:
            raise UsageError(f"is being written by {holder}")
        record.refuse_edited()
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
            spec=encode_sorted(_keep_measured(msgspec.to_builtins(experiment))),
            host=encode_sorted(host),
            digests={name: tuple(labelleds) for name, labelleds in digests.items()},
            parts=tuple(sorted({find_origin(record.id, run) for run in runs} - {record.id})),
        )
        return condensed, available


def _keep_measured(spec: dict[str, Any]) -> dict[str, Any]:
    """Return the parts of a spec that say what is run and measured."""
    return {key: value for key, value in spec.items() if key not in _MAY_DIFFER}
