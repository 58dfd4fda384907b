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

from steelyard.core.errors import RecordError, UsageError
from steelyard.core.units import BUILTIN
from steelyard.interventions.node import Node
from steelyard.lab.answer.same_program import name_files
from steelyard.lab.merge.forks import Copy, Tail, find_tails
from steelyard.lab.merge.machines import By, RunOfMachine, describe_conditions, name_machines
from steelyard.lab.run.existing_record import move_path
from steelyard.spec.experiment import Contexts, Experiment
from steelyard.store import Record
from steelyard.store.creation import refuse_existing, remove_unfinished, unfinished_name
from steelyard.store.differences import differences
from steelyard.store.entries import Run
from steelyard.store.merging import MergedRecord, MergedRun, find_origin, order_by_state
from steelyard.store.rows import metrics_of


class _Source(msgspec.Struct, frozen=True):
    """An open record, and its runs by the record that measured them."""

    record: Record
    runs: Mapping[str, list[Run]]
    trials: int
    proof: str


class _Part(msgspec.Struct, frozen=True):
    """The runs of a record that was measured, in one of the records in which it is."""

    source: _Source
    origin: str
    runs: Sequence[Run]
    tail: Tail


@contextmanager
def one_record(directories: Sequence[Path], by: By = "host") -> Iterator[Path]:
    """Provide the record to read of several: the only one, or a temporary one in which all of them are.

    Raises
    ------
    UsageError, RecordError
        As ``merge``.
    """
    if len({entry.resolve() for entry in directories}) == 1:
        yield directories[0]
        return
    with tempfile.TemporaryDirectory(prefix="steelyard-") as place:
        directory = Path(place) / f"{directories[0].name.removesuffix('.lab')}.lab"
        merge(directories, directory, by)
        yield directory


def merge(directories: Sequence[Path], target: Path, by: By = "host") -> None:
    """Make a record of all blocks of several records of one spec.

    A record that is there twice, or is part of a merged one, counts once. Of copies that went on apart, what
    they have in common counts once, and what each measured since counts too.

    Parameters
    ----------
    by : {"host", "record"}
        What tells machines apart.

    Raises
    ------
    UsageError
        Records of different specs, or of a sequential order, whose runs no block pairs, or that a verdict
        alone ended.
    RecordError
        One is damaged, edited or has no run, or ``target`` exists already or cannot be written.
    """
    for directory in directories:
        if directory.resolve() == target.resolve():
            raise UsageError(f"{target} is one of the records to merge", hint="name another directory")
    refuse_existing(target)
    remove_unfinished(target)
    with ExitStack() as stack:
        sources = [_read_source(stack.enter_context(Record.open(entry))) for entry in directories]
        first = sources[0].record
        for source in sources:
            record = source.record
            _refuse_unblocked(record)
            refuse_other(first.directory, first.experiment, record.directory, record.experiment)
        chosen = _choose(sources)
        if len(chosen) > 1:
            _refuse_ended_by_verdict(sources)
        machines = _name_runs(chosen, by)
        names = sorted(_collect_machines(chosen, machines), key=measure_name)
        # Nobody is to read an answer from some of the machines: it appears complete or not at all.
        unfinished = unfinished_name(target)
        target_record = MergedRecord.create(
            unfinished,
            build_experiment(first.experiment, names),
            treatments=first.treatments,
            metrics=metrics_of(first.experiment),
            program=_collect_programs(sources),
            observed=_find_observed(sources),
            trials=sum(source.trials for source in sources),
        )
        try:
            with target_record as merged:
                for part in _order_parts(chosen, machines):
                    merged.take_part(part, named=len(names) > 1)
                _warn(merged, sources, names)
                runs = [(machines[i, run.id], run) for i, part in enumerate(chosen) for run in part.runs]
                if text := describe_conditions(runs):
                    merged.add_warning("merged", text)
                _warn_of_copies(merged, sources)
                _warn_of_forks(merged, chosen)
            refuse_existing(target)
            unfinished.rename(target)
        except BaseException:
            shutil.rmtree(unfinished, ignore_errors=True)
            raise


def _read_source(record: Record) -> _Source:
    runs: dict[str, list[Run]] = {}
    for run in record.runs():
        runs.setdefault(find_origin(record.id, run), []).append(run)
    if not runs:
        raise RecordError(
            f"{record.directory} has no run to merge", hint=f"steelyard status {record.directory}"
        )
    proof = record.refuse_edited()
    head = proof.head if proof.state == "measured" else "unproven"
    return _Source(record, runs, record.progress().trials, head)


def _refuse_unblocked(record: Record) -> None:
    order = record.experiment.design.order
    if order != "randomized":
        raise UsageError(
            f"{record.directory}: order = {order!r} has no blocks, and records are merged block by block",
            hint='write order = "randomized" in the spec',
        )


def _refuse_ended_by_verdict(sources: Sequence[_Source]) -> None:
    """Refuse records that a verdict alone ended: each has its effect too large, and so has their mean."""
    for source in sources:
        stop = source.record.experiment.design.stop
        if stop is not None and stop.ends_at_verdict:
            raise UsageError(
                f'{source.record.directory}: until = "verdict" ends a run where its effect looks large, so'
                " that the effect of several such records together is too large",
                hint='measure again with until = "size" (--until size), or so many blocks (--runs)',
            )


def refuse_other(first: Path, experiment: Experiment, second: Path, second_experiment: Experiment) -> None:
    """Refuse records of different specs.

    Raises
    ------
    UsageError
        The records are of different specs; the message shows what differs.
    """
    old, new = get_comparable(experiment), get_comparable(second_experiment)
    if collected := differences(old, new):
        lines = "".join(f"\n    {line}" for line in collected)
        raise UsageError(
            f"{first} and {second} are of different specs, and only records of one are merged; the second"
            f" differs in:{lines}",
            hint="run one spec on every machine; steelyard compare OLD.lab NEW.lab compares two records",
        )


def get_comparable(experiment: Experiment) -> Any:
    """Return what must be the same: all but the place of the spec, seed, number of blocks, and nodes."""
    contexts = experiment.contexts
    if contexts is not None:
        settings = {name: setting for name, setting in contexts.settings.items() if name != Node.name}
        contexts = replace(contexts, settings=settings) if settings else None
    design = replace(experiment.design, seed=0, blocks=1, stop=None)
    return msgspec.to_builtins(replace(experiment, source="", contexts=contexts, design=design))


def _choose(sources: Sequence[_Source]) -> list[_Part]:
    """Each record that was measured, once: copies that went on apart with what each has alone."""
    holders: dict[str, dict[Path, _Source]] = {}
    for source in sources:
        for origin in source.runs:
            holders.setdefault(origin, {}).setdefault(source.record.directory.resolve(), source)
    parts: list[_Part] = []
    for origin, several in holders.items():
        if len(several) == 1:
            (source,) = several.values()
            parts.append(_Part(source, origin, source.runs[origin], Tail(frozenset())))
            continue
        for copy, tail in find_tails([_make_copy(place, it, origin) for place, it in several.items()]):
            source = several[copy.directory]
            runs = source.runs[origin]
            if tail.parted is not None:
                runs = [run for run in runs if run.id in tail.runs]
            parts.append(_Part(source, origin, runs, tail))
    return parts


def _make_copy(directory: Path, source: _Source, origin: str) -> Copy:
    runs = {run.id for run in source.runs[origin]}
    return Copy(directory, len(runs), [key for key in source.record.list_trial_keys() if key.run in runs])


Machines = Mapping[tuple[int, int], str | None]
"""By the place of a part in their list, and the number of a run where it is read."""


def _name_runs(parts: Sequence[_Part], by: By) -> Machines:
    """Return the machine of each run; ``None`` where a queue gave each block the node of its context."""
    places = [
        (i, RunOfMachine(part.origin, part.source.record.directory.name.removesuffix(".lab"), run))
        for i, part in enumerate(parts)
        for run in part.runs
    ]
    named = name_machines([place for _, place in places], by)
    drawn = {i for i, part in enumerate(parts) if _has_drawn_nodes(part)}
    return {
        (i, place.run.id): None if i in drawn else name
        for (i, place), name in zip(places, named, strict=True)
    }


def _has_drawn_nodes(part: _Part) -> bool:
    contexts = part.source.record.experiment.contexts
    queued = all("submitted_from" in run.host for run in part.runs)
    return queued and contexts is not None and Node.name in contexts.settings


def _collect_machines(parts: Sequence[_Part], machines: Machines) -> set[str]:
    """Names of machines, those of jobs included that contexts name."""
    collected: set[str] = set()
    for i, part in enumerate(parts):
        if _has_drawn_nodes(part):
            collected |= {
                str(outcome.block.context.settings[Node.name])
                for outcome in part.source.record.stream_outcomes()
                if outcome.block.context is not None
            }
        else:
            collected |= {name for run in part.runs if (name := machines[i, run.id])}
    return collected


def _order_parts(parts: Sequence[_Part], machines: Machines) -> list[MergedRun]:
    return order_by_state(
        [
            (
                part.runs[-1].state,
                MergedRun(
                    part.source.record.directory,
                    {run.id: machines[i, run.id] for run in part.runs},
                    part.source.proof,
                    part.tail.without,
                ),
            )
            for i, part in enumerate(parts)
        ]
    )


def build_experiment(experiment: Experiment, names: Sequence[str]) -> Experiment:
    """Return the spec of records together, in which machines are contexts where there are several."""
    contexts = experiment.contexts
    if len(names) < 2:
        return experiment
    settings = {**(contexts.settings if contexts else {}), Node.name: tuple(names)}
    return replace(experiment, contexts=Contexts(settings, contexts.passes if contexts else 1))


def _collect_programs(sources: Sequence[_Source]) -> dict[str, Any]:
    collected: dict[str, Any] = {}
    for source in sources:
        for path, identity in source.record.program.items():
            collected.setdefault(path, identity)
    return collected


def _find_observed(sources: Sequence[_Source]) -> set[str]:
    """Built-in metrics that every record has."""
    return set(BUILTIN).intersection(*({entry.name for entry in source.record.metrics} for source in sources))


def _warn(merged: Record, sources: Sequence[_Source], names: Sequence[str]) -> None:
    programs = [(source.record.program, source.record.experiment.source) for source in sources]
    if text := describe_builds(programs, merged.experiment.source):
        merged.add_warning("merged", text)
    stop = merged.experiment.design.stop
    if stop is not None and stop.decided and len(names) < 2:
        text = (
            "each record ended when it had an answer, and several of one machine are judged as one:"
            " error rates hold for each record alone"
        )
        merged.add_warning("merged", text)


def describe_builds(programs: Sequence[tuple[Mapping[str, Any], str]], source: str) -> str:
    """Say which programs are not the same file in all records; empty where all are.

    Parameters
    ----------
    programs : sequence of tuple
        The program of each record, and the directory of its spec then.
    source : str
        Directory of the spec of all together.
    """
    contents: dict[str, set[str]] = {}
    for program, before in programs:
        for path, identity in program.items():
            contents.setdefault(move_path(path, before, source), set()).add(identity.get("sha256", ""))
    differing = [path for path, entry in contents.items() if len(entry) > 1]
    if not differing:
        return ""
    return f"machines ran different builds of {name_files(differing)}, whose effect is part of theirs"


def _warn_of_copies(merged: Record, sources: Sequence[_Source]) -> None:
    """Say which records hold trials that an earlier one has, too."""
    holders: dict[str, Path] = {}
    copies: dict[Path, Path] = {}
    for source in sources:
        place = source.record.directory
        for origin in source.runs:
            holder = holders.setdefault(origin, place)
            if holder != place:
                copies.setdefault(place, holder)
    for place, holder in copies.items():
        merged.add_warning("merged", f"{place.name} has trials of {holder.name}: each counts once")


def describe_repeated(names: Sequence[Path]) -> str:
    """Say which record is named twice; empty where none is."""
    places = [name.resolve() for name in names]
    repeated = dict.fromkeys(
        str(name) for at, (name, place) in enumerate(zip(names, places, strict=True)) if place in places[:at]
    )
    if not repeated:
        return ""
    return f"named more than once, and counted once: {', '.join(repeated)}"


def _warn_of_forks(merged: Record, parts: Sequence[_Part]) -> None:
    for part in parts:
        if part.tail.parted is not None:
            text = (
                f"{part.source.record.directory.name} is a copy that went on apart from block"
                f" {part.tail.parted} on: what copies have in common counts once, and what each measured"
                " since counts too"
            )
            merged.add_warning("merged", text)


def measure_name(name: str) -> tuple[int, str]:
    """Return the order of names of machines: n2 before n10."""
    return len(name), name
