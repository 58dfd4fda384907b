"""Several records of one spec as one record, in which machines are contexts."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from steelyard.errors import RecordError, UsageError
from steelyard.interventions.node import Node
from steelyard.lab.merge.machines import By, Place, machines_of
from steelyard.spec.experiment import Contexts, Experiment
from steelyard.store import Record
from steelyard.store.differences import differences
from steelyard.store.entries import Run
from steelyard.store.merging import MergedRecord, Part, origin_of, worst_last
from steelyard.store.rows import metrics_of
from steelyard.units import BUILTIN


class _Source(msgspec.Struct, frozen=True):
    """An open record, and its runs by the record that measured them."""

    record: Record
    runs: Mapping[str, list[Run]]
    trials: int


@contextmanager
def one_record(directories: Sequence[Path], by: By = "host") -> Iterator[Path]:
    """The record to read of several: the only one, or a temporary one in which all of them are.

    Raises
    ------
    UsageError, RecordError
        As ``merge``.
    """
    if len({each.resolve() for each in directories}) == 1:
        yield directories[0]
        return
    with tempfile.TemporaryDirectory(prefix="steelyard-") as place:
        directory = Path(place) / f"{directories[0].name.removesuffix('.lab')}.lab"
        merge(directories, directory, by)
        yield directory


def merge(directories: Sequence[Path], target: Path, by: By = "host") -> None:
    """Make a record of all blocks of several records of one spec.

    A record that is there twice, or is part of a merged one, counts once: where it has more trials.

    Parameters
    ----------
    by : {"host", "record"}
        What tells machines apart.

    Raises
    ------
    UsageError
        Records of different specs, or of a sequential order, whose runs no block pairs.
    RecordError
        One is damaged or has no run, or ``target`` exists already or cannot be written.
    """
    with ExitStack() as stack:
        sources = [_source(stack.enter_context(Record.open(each))) for each in directories]
        first = sources[0].record
        for source in sources:
            _refuse_other(first, source.record)
        chosen = _chosen(sources)
        machines = _machines(chosen, by)
        names = sorted(_all_machines(chosen, machines), key=_by_length)
        target_record = MergedRecord.create(
            target,
            _merged_experiment(first.experiment, names),
            treatments=first.treatments,
            metrics=metrics_of(first.experiment),
            program=_programs(sources),
            observed=_observed(sources),
        )
        try:
            with target_record as merged:
                for part in _parts(chosen, machines):
                    merged.take_part(part, named=len(names) > 1)
                _warn(merged, sources, names)
        except BaseException:
            shutil.rmtree(target, ignore_errors=True)
            raise


def _source(record: Record) -> _Source:
    runs: dict[str, list[Run]] = {}
    for run in record.runs():
        runs.setdefault(origin_of(record.id, run), []).append(run)
    if not runs:
        raise RecordError(
            f"{record.directory} has no run to merge", hint=f"steelyard status {record.directory}"
        )
    return _Source(record, runs, record.progress().trials)


def _refuse_other(first: Record, other: Record) -> None:
    if other.experiment.design.order != "randomized":
        raise UsageError(
            f"{other.directory}: order = {other.experiment.design.order!r} has no blocks that machines share",
            hint='records are merged block by block: write order = "randomized" in the spec',
        )
    old, new = (comparable(each.experiment) for each in (first, other))
    if found := differences(old, new):
        shown = "".join(f"\n    {line}" for line in found)
        raise UsageError(
            f"{first.directory} and {other.directory} are of different specs, and only records of one are"
            f" merged; the second differs in:{shown}",
            hint="run one spec on every machine; steelyard compare OLD.lab NEW.lab compares two records",
        )


def comparable(experiment: Experiment) -> Any:
    """What has to be the same: all but where the spec lies, the seed, how many blocks ran, and nodes."""
    contexts = experiment.contexts
    if contexts is not None:
        left = {name: its for name, its in contexts.settings.items() if name != Node.name}
        contexts = replace(contexts, settings=left) if left else None
    design = replace(experiment.design, seed=0, blocks=1, stop=None)
    return msgspec.to_builtins(replace(experiment, source="", contexts=contexts, design=design))


def _chosen(sources: Sequence[_Source]) -> list[tuple[_Source, str]]:
    """Each record that was measured, once, and where to read it: where it has most runs, then trials."""
    best: dict[str, _Source] = {}
    for source in sources:
        for origin, runs in source.runs.items():
            known = best.get(origin)
            if known is None or (len(runs), source.trials) > (len(known.runs[origin]), known.trials):
                best[origin] = source
    return [(source, origin) for origin, source in best.items()]


def _machines(chosen: Sequence[tuple[_Source, str]], by: By) -> dict[tuple[str, int], str]:
    """The machine of each run, by the record that measured it and its number where it is read."""
    places = [
        (origin, Place(origin, source.record.directory.name.removesuffix(".lab"), run))
        for source, origin in chosen
        for run in source.runs[origin]
    ]
    named = machines_of([place for _, place in places], by)
    return {(origin, place.run.id): name for (origin, place), name in zip(places, named, strict=True)}


def _all_machines(chosen: Sequence[tuple[_Source, str]], machines: Mapping[tuple[str, int], str]) -> set[str]:
    """Names of machines, those of jobs included that contexts name."""
    found: set[str] = set()
    for source, origin in chosen:
        drawn = source.record.machines()
        found |= set(drawn.values()) or {machines[origin, run.id] for run in source.runs[origin]}
    return found


def _parts(chosen: Sequence[tuple[_Source, str]], machines: Mapping[tuple[str, int], str]) -> list[Part]:
    return worst_last(
        [
            (
                source.runs[origin][-1].state,
                Part(
                    source.record.directory,
                    {run.id: machines[origin, run.id] for run in source.runs[origin]},
                ),
            )
            for source, origin in chosen
        ]
    )


def _merged_experiment(experiment: Experiment, names: Sequence[str]) -> Experiment:
    contexts = experiment.contexts
    if len(names) < 2:
        return experiment
    settings = {**(contexts.settings if contexts else {}), Node.name: tuple(names)}
    return replace(experiment, contexts=Contexts(settings, contexts.passes if contexts else 1))


def _programs(sources: Sequence[_Source]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for source in sources:
        for path, identity in source.record.program.items():
            found.setdefault(path, identity)
    return found


def _observed(sources: Sequence[_Source]) -> set[str]:
    """Built-in metrics that every record has."""
    return set(BUILTIN).intersection(*({each.name for each in source.record.metrics} for source in sources))


def _warn(merged: Record, sources: Sequence[_Source], names: Sequence[str]) -> None:
    contents: dict[str, set[str]] = {}
    for source in sources:
        for path, identity in source.record.program.items():
            contents.setdefault(path, set()).add(identity.get("sha256", ""))
    if differing := [path for path, each in contents.items() if len(each) > 1]:
        text = f"machines ran different builds of {', '.join(differing)}, whose effect is part of theirs"
        merged.add_warning("merged", text)
    stop = merged.experiment.design.stop
    if stop is not None and stop.decided and len(names) < 2:
        text = (
            "each record ended when it had an answer, and several of one machine are judged as one:"
            " error rates hold for each record alone"
        )
        merged.add_warning("merged", text)


def _by_length(name: str) -> tuple[int, str]:
    return len(name), name
