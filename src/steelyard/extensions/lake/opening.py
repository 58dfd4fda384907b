"""A lake, read as one record, or as what a history keeps of many."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec

from steelyard.core.errors import RecordError, UsageError
from steelyard.extensions.lake.columns import ParquetTrials
from steelyard.extensions.lake.facts import LARGEST_BYTES, LakeFacts, decode, describe_damage, find_place
from steelyard.extensions.lake.location import Location
from steelyard.extensions.lake.naming import name_spec
from steelyard.extensions.lake.reading import LakeRecord, RecordInLake
from steelyard.extensions.lake.reports import is_report, read_report
from steelyard.lab.merge.machines import By, RunOfMachine, describe_conditions, name_machines
from steelyard.lab.merge.merging import build_experiment, describe_builds, measure_name
from steelyard.lab.places.contents import Summaries, Summary
from steelyard.results.left_out import LeftOut
from steelyard.spec import stored
from steelyard.spec.experiment import Experiment
from steelyard.store.merging import NODE, order_by_state


class Lake(msgspec.Struct, frozen=True):
    """What was found at a place.

    Attributes
    ----------
    facts : tuple of LakeFacts
        In the order in which records were made.
    reports : tuple of Summary
        Of reports of other tools.
    left_out : tuple of LeftOut
        Files that are no facts, or lie where they do not belong; tables without facts, of an export that was
        interrupted.
    """

    location: Location
    facts: tuple[LakeFacts, ...]
    left_out: tuple[LeftOut, ...]
    reports: tuple[Summary, ...] = ()


def read_lake(place: Path | str) -> Lake:
    """Read the facts of all records at a place.

    Raises
    ------
    UsageError
        It cannot be read, or holds no record.
    RecordError
        A record is there twice, with other content.
    """
    location = Location(place)
    names = location.list_files()
    by_id: dict[str, LakeFacts] = {}
    left_out: list[LeftOut] = []
    stems: set[str] = set()
    reports = [read_report(location, name) for name in names if is_report(name)]
    left_out += [entry for entry in reports if isinstance(entry, LeftOut)]
    for name in names:
        place_parts = find_place(name)
        if place_parts is None:
            continue
        stems.add(name.removesuffix(".json.gz"))
        label = f"{location.label}/{name}"
        try:
            facts = decode(location.read(name, largest=LARGEST_BYTES), label)
            if name != f"{facts.stem}.json.gz":
                raise describe_damage(label, "it belongs to another spec, day or record than its place says")
        except RecordError as error:
            left_out.append(LeftOut(label, error.message.removeprefix(f"{label} "), unreadable=True))
            continue
        if facts.id in by_id and by_id[facts.id] != facts:
            raise RecordError(
                f"{label} is a record that is there twice, with other content",
                hint="remove one of them, and export its record again",
            )
        by_id[facts.id] = facts
    left_out += [
        LeftOut(f"{location.label}/{name}", "has no facts beside it: its export was interrupted", True)
        for name in names
        if name.endswith(".parquet")
        and find_place(f"{name.removesuffix('.parquet').removesuffix('.ratios')}.json.gz")
        and name.removesuffix(".parquet").removesuffix(".ratios") not in stems
    ]
    if not by_id and not left_out and not reports:
        raise UsageError(
            f"{location.label} holds no records",
            hint="write some: steelyard export RECORD.lab --to PLACE",
        )
    ordered = sorted(by_id.values(), key=lambda facts: (facts.created_ns, facts.id))
    summaries = [entry for entry in reports if isinstance(entry, Summary)]
    return Lake(location, tuple(ordered), tuple(left_out), tuple(summaries))


def read_summaries(place: Path | str) -> Summaries:
    """Read what the facts of a lake keep for a history; errors as ``read_lake``."""
    lake = read_lake(place)
    records = [
        Summary(facts.name, tuple(entry.metric for entry in facts.metrics), facts.condensed)
        for facts in lake.facts
    ]
    return Summaries((*records, *lake.reports), lake.left_out)


@contextmanager
def lake_record(place: Path | str, by: By = "host") -> Iterator[LakeRecord]:
    """Read the records of one spec at a place as one record, in which machines are contexts.

    Raises
    ------
    UsageError
        As ``read_lake``; or there are several specs.
    RecordError
        A file is not as it was written, or a record is there without some of its files: an answer from the
        others would pass for one from all.
    MachineError
        DuckDB is not installed.
    """
    lake = read_lake(place)
    for entry in lake.left_out:
        raise RecordError(
            f"{entry.record} {entry.why}",
            hint="export its record again: steelyard export RECORD.lab --to PLACE; or remove the files of"
            " that name",
        )
    if not lake.facts:
        raise UsageError(
            f"{lake.location.label} holds reports and no record",
            hint=f"steelyard history {lake.location.label} judges reports",
        )
    refuse_several(lake)
    _refuse_other_spec(lake)
    experiment = stored.decode(lake.facts[0].experiment)
    if len(lake.facts) == 1:
        parts, named = [RecordInLake(lake.facts[0], {})], False
    else:
        _refuse_unblocked(lake, experiment)
        parts, names = _name_parts(lake.facts, by)
        named = len(names) > 1
        experiment = build_experiment(experiment, names)
    trials = ParquetTrials(lake.location, [part.facts for part in parts])
    try:
        programs = [(facts.program, stored.decode(facts.experiment).source) for facts in lake.facts]
        named_runs = [(part.machines.get(run.id), run) for part in parts for run in part.facts.runs]
        notes = (describe_builds(programs, experiment.source), describe_conditions(named_runs))
        warning = "; ".join(filter(None, notes))
        record = LakeRecord(lake.location.label, experiment, parts, trials, named=named, warning=warning)
    except BaseException:
        trials.close()
        raise
    with record:
        yield record


def refuse_several(lake: Lake) -> None:
    """Refuse a place with records of several specs, each of which is asked for by itself.

    Raises
    ------
    UsageError
    """
    specs = sorted({facts.spec for facts in lake.facts})
    if len(specs) > 1:
        label = ", ".join(f"spec={spec}" for spec in specs[:5]) + (", …" if len(specs) > 5 else "")
        raise UsageError(
            f"{lake.location.label} has records of {len(specs)} specs: {label}",
            hint=f"name one of them: {lake.location.label}/spec={specs[0]}",
        )


def _refuse_unblocked(lake: Lake, experiment: Experiment) -> None:
    if experiment.design.order != "randomized":
        raise UsageError(
            f"{lake.location.label}: order = {experiment.design.order!r} has no blocks, and records are read"
            " together block by block",
            hint="ask each record by itself",
        )


def _refuse_other_spec(lake: Lake) -> None:
    """Refuse records that lie among those of a spec, and are not of it."""
    for facts in lake.facts:
        if facts.spec != name_spec(stored.decode(facts.experiment)):
            raise describe_damage(
                f"{lake.location.label}/{facts.stem}.json.gz", "it is a record of another spec"
            )


def _name_parts(every: Sequence[LakeFacts], by: By) -> tuple[list[RecordInLake], list[str]]:
    """Return records with the machines of their runs, in the order of their ends; and all machines."""
    places = [RunOfMachine(facts.id, facts.name, run) for facts in every for run in facts.runs]
    named = dict(
        zip(((place.record, place.run.id) for place in places), name_machines(places, by), strict=True)
    )
    names: set[str] = set()
    parts = []
    for facts in every:
        if not facts.runs:
            raise RecordError(f"{facts.id} has no run", hint=f"remove its files: {facts.stem}.*")
        drawn = all("submitted_from" in run.host for run in facts.runs) and any(
            NODE in settings for settings in facts.contexts.values()
        )
        machines = {run.id: None if drawn else named[facts.id, run.id] for run in facts.runs}
        names |= {name for name in machines.values() if name is not None}
        names |= {str(settings[NODE]) for settings in facts.contexts.values()} if drawn else set()
        parts.append((facts.runs[-1].state, RecordInLake(facts, machines)))
    return order_by_state(parts), sorted(names, key=measure_name)
