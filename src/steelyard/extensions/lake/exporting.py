"""Records, written into a lake."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from steelyard.core.errors import RecordError, SteelyardError, UsageError
from steelyard.core.sample import Sample
from steelyard.extensions.lake.location import Location
from steelyard.extensions.lake.naming import name_spec
from steelyard.extensions.lake.writing import BlockRatio, write_record
from steelyard.lab.answer.analyze import BESIDE, TIMED
from steelyard.lab.places.contents import Exported
from steelyard.lab.summary.condensing import Watch, find_records, ignore_progress, read_condensed
from steelyard.results.left_out import LeftOut
from steelyard.stats.compare.pairing import pair_up
from steelyard.store import Record
from steelyard.store.facts import FILE
from steelyard.store.summaries import Condensed


def export_to(names: Sequence[Path], location: Location, watch: Watch = ignore_progress) -> Exported:
    """Write records, or the records of directories, into a lake.

    Raises
    ------
    UsageError
        A name with no record, or a place that cannot be read or written.
    MachineError
        A package is missing.
    """
    directories = [directory for name in names for directory in find_records(name)]
    written, left_out = 0, []
    for done, directory in enumerate(directories):
        watch(done, len(directories))
        try:
            with Record.open(directory) as record, record.snapshot():
                _refuse_unfit(record)
                written += write_record(
                    record,
                    location,
                    name_spec(record.experiment),
                    _calculate_ratios(record),
                    _read_condensed(directory),
                )
        except RecordError as error:
            why = error.message.removeprefix(f"{directory / FILE} ").removeprefix(f"{directory} ")
            left_out.append(LeftOut(str(directory), why, unreadable=True))
    return Exported(location.label, written, len(directories) - written - len(left_out), tuple(left_out))


def _refuse_unfit(record: Record) -> None:
    if (holder := record.holder()) is not None:
        raise RecordError(f"{record.directory} is being written by {holder}")
    if record.merged:
        raise RecordError(f"{record.directory} was made of other records: export those")
    record.refuse_edited()


def _read_condensed(directory: Path) -> Condensed | None:
    try:
        return read_condensed(directory, None)[0]
    except SteelyardError:
        return None


def _calculate_ratios(record: Record) -> Iterator[BlockRatio]:
    """Ratios of the primary metric and those beside it, block by block."""
    experiment = record.experiment
    names = (
        *(experiment.analysis.metric, TIMED, *BESIDE),
        *experiment.program.counters,
        *(metric.name for metric in experiment.metrics),
    )
    existing = {metric.name for metric in record.metrics}
    samples = record.samples(*(name for name in dict.fromkeys(names) if name in existing))
    by_metric: dict[str, list[Sample]] = {}
    for sample in samples:
        if len(sample) and not sample.labels:
            by_metric.setdefault(sample.metric.name, []).append(sample)
    for name, members in by_metric.items():
        try:
            pairs = pair_up(members, experiment.analysis).pairs
        except UsageError:  # strata of labels, which this metric does not have
            continue
        means = {id(sample): _calculate_means(sample) for sample in members}
        for pair in pairs:
            old, new = means[id(pair.baseline)], means[id(pair.treatment)]
            for block in sorted(old.keys() & new.keys()):
                yield BlockRatio(
                    name,
                    pair.baseline.treatment.id,
                    pair.treatment.treatment.id,
                    block,
                    new[block] - old[block],
                )


def _calculate_means(sample: Sample) -> dict[int, float]:
    """Return the mean logarithm of each block; none where a value has none."""
    values, blocks = np.asarray(sample.values), np.asarray(sample.blocks)
    if not (np.isfinite(values).all() and values.min() > 0):
        return {}
    ids, places = np.unique(blocks, return_inverse=True)
    means = np.bincount(places, np.log(values)) / np.bincount(places)
    return dict(zip(ids.tolist(), means.tolist(), strict=True))
