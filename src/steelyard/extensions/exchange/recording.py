"""Records of what was measured outside of Steelyard's runner: files of other tools, functions of a process.

One path from trials, and facts about how they were taken, to a record that is asked like any other.
"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, product
from math import prod
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from steelyard.core.errors import UsageError
from steelyard.core.estimand import OnFailures
from steelyard.core.sample import Treatment
from steelyard.core.units import BUILTIN, RUNNER_METRICS, Better, Scalar
from steelyard.design import treatments
from steelyard.design.plan import Block, Context
from steelyard.interventions import INTERVENTIONS
from steelyard.run.measure.measurement import Measurement, Status, Value
from steelyard.spec import experiment as checked
from steelyard.spec.experiment import Experiment
from steelyard.spec.text.placeholders import RESERVED
from steelyard.store import Record
from steelyard.store.provenance import Sessions
from steelyard.store.rows import metrics_of

FILE: Final = "file"
"""The factor that tells apart where measurements come from."""

SIDES: Final = (FILE, "saved")
"""Factors whose levels are compared by default: the first of these that varies."""

SUITES: Final = (
    "benchmark",
    "test",
    "op",
    "query",
    "task",
    "kernel",
    "operation",
    "script",
    "experiment",
    "url",
)
"""Factors of a suite, whose results are a list: they name work, and no work is faster than another."""

COMPARING: Final = frozenset({"hyperfine", "csv", "tsv", "jube", "json", "jsonl", "parquet"})
"""Tools and tables whose one file has what is to be compared: commands, or columns that somebody chose."""

MOST_CELLS: Final = 1000
"""Combinations of levels, present and absent, beyond which benchmarks are levels of one factor."""

Levels = tuple[tuple[str, Scalar], ...]


class Quantity(msgspec.Struct, frozen=True):
    """Unit of a metric, SI, and which way is better."""

    unit: str
    better: Better = "lower"


class RecordedTrial(msgspec.Struct, frozen=True):
    """Repetitions of each metric in one launch, or in what stands for one.

    Attributes
    ----------
    levels : Levels
        Of every factor.
    block : int
        From 1; 1 of all where nothing pairs them.
    status : str
        Of a launch; one that is not ``ok`` has no values.
    reason : str
        Why not, in words.
    """

    levels: Levels
    values: Mapping[str, tuple[float, ...]]
    block: int = 1
    status: Status = "ok"
    reason: str = ""


class Taken(msgspec.Struct, frozen=True):
    """How trials were taken.

    Attributes
    ----------
    tool : str
        What measured them.
    quantities : Mapping[str, Quantity]
        By metric; the first is the primary one by default.
    blocked : bool
        Treatments took turns in random order, block by block.
    one_process : bool
        All trials are repetitions within one process.
    sessions : {"", "apart", "units"}
        Each level of ``FILE`` is one session; or each trial is one.
    sources : Mapping[str, str]
        Files, and the SHA-256 of each.
    host : Mapping[str, Scalar]
    notes : sequence of str
        Sentences that stand with every answer.
    cells : sequence of Levels
        In the order in which answers list them; by default that of the trials.
    """

    tool: str
    quantities: Mapping[str, Quantity]
    blocked: bool = False
    one_process: bool = False
    sessions: Sessions = ""
    sources: Mapping[str, str] = {}
    host: Mapping[str, Scalar] = {}
    notes: Sequence[str] = ()
    cells: Sequence[Levels] = ()


class Selection(msgspec.Struct, frozen=True):
    """What to ask of a record.

    Attributes
    ----------
    compare, against : str or None
        The factor whose levels are compared, and the level with which: by default the first of ``SIDES``
        that varies, and its first level.
    metric : str or None
        The primary one.
    claims : sequence of Mapping
        As in ``[[claims]]``.
    failures : {"refuse", "ignore", "as-limit"}
        As under ``[analysis]``.
    limit : float or None
        Value of the primary metric at which runs that timed out were ended.
    instances : str or None
        The factor whose levels are problem instances, the same ones for all treatments.
    """

    compare: str | None = None
    against: str | None = None
    metric: str | None = None
    claims: Sequence[Mapping[str, Any]] = ()
    failures: OnFailures = "refuse"
    instances: str | None = None
    limit: float | None = None


def free_name(name: str) -> str:
    """Return the name for a factor, with an underscore where it has a meaning of its own."""
    return f"{name}_" if name in {*RESERVED, *BUILTIN, *INTERVENTIONS, FILE, "command"} else name


def write_record(
    directory: Path, trials: Sequence[RecordedTrial], recording: Taken, question: Selection | None = None
) -> Record:
    """Make a record, complete when this returns; close it.

    Parameters
    ----------
    trials : sequence of RecordedTrial
        In the order in which they were taken; all blocks have the same number of them.

    Raises
    ------
    UsageError
        The question names what was not measured, or a claim does not fit.
    RecordError
        The directory exists already, or cannot be written.
    """
    trials, recording = _leave_out_partial(trials, recording)
    cells = prod(map(len, get_levels([trial.levels for trial in trials]).values()))
    if cells > MOST_CELLS and (question is None or question.instances is None):
        trials = [replace(trial, levels=join_levels(trial.levels)) for trial in trials]
        recording = replace(recording, cells=[join_levels(cell) for cell in recording.cells])
    experiment = _make_experiment(directory, trials, recording, question or Selection())
    how: dict[str, Any] = {"imported_from": recording.tool}
    how |= {"one_process": True} if recording.one_process else {}
    how |= {"sessions": recording.sessions} if recording.sessions else {}
    drawn = treatments(experiment)
    record = Record.create(
        directory,
        experiment,
        treatments=drawn,
        metrics=metrics_of(experiment),
        program={
            path: {"sha256": sha, **how} for path, sha in (recording.sources or {recording.tool: ""}).items()
        },
        observed=recording.quantities.keys() & BUILTIN.keys(),
        trials=len(_list_ended(trials)),
    )
    try:
        _fill(record, drawn, trials, recording)
    except BaseException:
        record.close()
        shutil.rmtree(directory, ignore_errors=True)
        raise
    return record


def _leave_out_partial(
    trials: Sequence[RecordedTrial], recording: Taken
) -> tuple[Sequence[RecordedTrial], Taken]:
    """Leave out built-in metrics that some launches lack: their columns have no way to say so."""
    ended = [trial for trial in trials if trial.status == "ok"]
    lacking = {
        name: count
        for name in recording.quantities
        if name in BUILTIN and (count := sum(not trial.values.get(name) for trial in ended))
    }
    if not lacking or len(lacking) == len(recording.quantities):
        return trials, recording
    notes = [f"{name} is left out: {count} of {len(ended)} runs have none" for name, count in lacking.items()]
    return [
        replace(trial, values={name: values for name, values in trial.values.items() if name not in lacking})
        for trial in trials
    ], replace(
        recording,
        quantities={name: entry for name, entry in recording.quantities.items() if name not in lacking},
        notes=[*recording.notes, *notes],
    )


class LabelledValue(msgspec.Struct, frozen=True):
    """A value that a program reported, with the labels that it put on it."""

    metric: str
    value: float
    labels: Mapping[str, Scalar] = {}


KeptTrial = tuple[Mapping[str, Scalar], Sequence[LabelledValue]]
"""Levels of every factor, and what the trial reported."""


class KeptBlock(msgspec.Struct, frozen=True):
    """The trials of a block, in the order in which they ran.

    Attributes
    ----------
    pass_, context : int
        From 1; the context that its trials shared, 0 where the experiment has none.
    settings : Mapping[str, Scalar]
        Of the context.
    """

    trials: Sequence[KeptTrial]
    pass_: int = 1
    context: int = 0
    settings: Mapping[str, Scalar] = {}


def write_values(directory: Path, experiment: Experiment, blocks: Sequence[KeptBlock], source: str) -> None:
    """Make a complete record of an experiment from values that were kept of one; nothing else is observed.

    Parameters
    ----------
    blocks : sequence of KeptBlock
        Complete ones, in the order in which they were taken.
    source : str
        Where the values are kept.

    Raises
    ------
    LookupError
        A trial has levels that the experiment has not.
    RecordError
        The directory exists already, or cannot be written.
    """
    drawn = treatments(experiment)
    numbers = {frozenset(treatment.levels.items()): treatment.id for treatment in drawn}
    with Record.create(
        directory,
        experiment,
        treatments=drawn,
        metrics=metrics_of(experiment),
        program={source: {"sha256": "", "imported_from": "values that were kept"}},
        observed={value.metric for block in blocks for _, values in block.trials for value in values}
        & BUILTIN.keys(),
        trials=sum(len(block.trials) for block in blocks),
    ) as record:
        run = record.begin_run({}, "")
        number = 0
        for id_, block in enumerate(blocks, 1):
            order = [numbers[frozenset(levels.items())] for levels, _ in block.trials]
            context = Context(block.context, block.settings) if block.context else None
            record.add_blocks([Block(id_, block.pass_, context, tuple(order))])
            measured = [
                _make_trial(
                    {"trial": number + place, "block": id_, "place": place, "treatment": treatment}
                    | _fill_columns({value.metric: value.value for value in values}),
                    [
                        Value(value.metric, value.value, 0, value.labels)
                        for value in values
                        if value.metric not in BUILTIN
                    ],
                )
                for place, (treatment, (_, values)) in enumerate(zip(order, block.trials, strict=True), 1)
            ]
            record.take(run, measured, record.journal_path(run).name, 0)
            number += len(measured)
        record.end_run(run, "complete")


def _make_experiment(
    directory: Path, trials: Sequence[RecordedTrial], recording: Taken, question: Selection
) -> Experiment:
    """Return the experiment that such a record is of; the spec's own checks say what does not fit."""
    levels = get_levels(recording.cells or [trial.levels for trial in trials])
    compared = choose_compared(question, levels, recording.tool)
    if compared is not None and question.against is not None:
        levels[compared] = _choose_first(levels[compared], question.against, compared)
    present = Counter(trial.levels for trial in trials)
    metric = question.metric or next(iter(recording.quantities))
    if metric not in recording.quantities:
        raise UsageError(f"unknown metric {metric!r}", hint=f"metrics: {', '.join(recording.quantities)}")
    return checked(
        name=directory.name.removesuffix(".lab"),
        program={
            "command": [recording.tool.partition(" ")[0], *(f"{{{name}}}" for name in levels)],
            **({"timeout": question.limit} if question.limit is not None and metric in BUILTIN else {}),
        },
        factors={name: list(distinct) for name, distinct in levels.items()},
        design={
            "order": "randomized" if recording.blocked else "sequential",
            "blocks": max(present.values()),
            "discard": 0,
            "exclude": [dict(cell) for cell in _list_cells(levels) if cell not in present],
        },
        metrics={
            name: {"source": "lines", "unit": quantity.unit, "better": quantity.better}
            | ({"reduce": "mean"} if recording.sessions == "units" else {})
            | ({"limit": question.limit} if question.limit is not None and name == metric else {})
            for name, quantity in recording.quantities.items()
            if name not in BUILTIN
        },
        analysis={
            "metric": metric,
            "strata": [
                name
                for name in levels
                if name not in (compared, question.instances) and len(levels[name]) > 1
            ],
            "effects": [],
            "failures": question.failures,
            **({"estimand": "median_ratio"} if question.failures == "as-limit" else {}),
            **({"instances": question.instances} if question.instances is not None else {}),
        },
        claims=list(question.claims),
        allow_many=True,
    )


def get_levels(cells: Sequence[Levels]) -> dict[str, list[Scalar]]:
    """Return the levels of each factor, in the order in which they come."""
    distinct: dict[str, dict[Scalar, None]] = {}
    for cell in cells:
        for name, level in cell:
            distinct.setdefault(name, {})[level] = None
    return {name: list(values) for name, values in distinct.items()}


def _list_cells(levels: Mapping[str, Sequence[Scalar]]) -> Iterator[Levels]:
    for cell in product(*levels.values()):
        yield tuple(zip(levels, cell, strict=True))


def join_levels(levels: Levels) -> Levels:
    """One factor for everything but the file: ``sort n=1000``."""
    rest = [(name, level) for name, level in levels if name != FILE]
    text = " ".join(f"{name}={level}" if i else str(level) for i, (name, level) in enumerate(rest))
    return (*(pair for pair in levels if pair[0] == FILE), ("benchmark", text))


def choose_compared(question: Selection, levels: Mapping[str, Sequence[Scalar]], tool: str) -> str | None:
    """Return the factor whose levels are compared; ``None`` where none varies, or a suite is a list.

    Raises
    ------
    UsageError
        The chosen one does not vary.
    """
    varying = [name for name, distinct in levels.items() if len(distinct) > 1 and name != question.instances]
    if question.compare is None:
        is_list = tool.partition(" ")[0] not in COMPARING and any(name in varying for name in SUITES)
        candidates = SIDES if is_list else (*SIDES, *SUITES, *varying)
        return next((name for name in candidates if name in varying), None)
    if question.compare not in varying:
        raise UsageError(
            f"--compare {question.compare}: not a factor with several levels",
            hint=f"one of: {', '.join(varying)}" if varying else "import several files, or leave it out",
        )
    return question.compare


def _choose_first(levels: Sequence[Scalar], level_text: str, factor: str) -> list[Scalar]:
    first = next((level for level in levels if str(level) == level_text), None)
    if first is None:
        raise UsageError(
            f"--against {level_text}: {factor} has no such level",
            hint=f"one of: {', '.join(map(str, levels))}",
        )
    return [first, *(level for level in levels if level != first)]


def _fill(
    record: Record, drawn: Sequence[Treatment], trials: Sequence[RecordedTrial], recording: Taken
) -> None:
    numbers = {frozenset(treatment.levels.items()): treatment.id for treatment in drawn}
    run = record.begin_run(recording.host, "")
    number = 0
    for block, members in groupby(_list_ended(trials), key=lambda trial: trial.block):
        of_block = [(trial, numbers[frozenset(trial.levels)]) for trial in members]
        record.add_blocks([Block(block, 1, None, tuple(treatment for _, treatment in of_block))])
        measured = [
            _make_measurement(number + place, place, treatment, trial)
            for place, (trial, treatment) in enumerate(of_block, 1)
        ]
        record.take(run, measured, record.journal_path(run).name, 0)
        number += len(of_block)
    failed = [(trial, numbers[frozenset(trial.levels)]) for trial in _list_failed(trials)]
    # Runs that timed out have blocks of their own: beside others that failed their limit would not count.
    late = [entry for entry in failed if entry[0].status == "timed_out"]
    rest = [entry for entry in failed if entry[0].status != "timed_out"]
    _add_failed(record, run, [late, rest], number)
    for note in dict.fromkeys(recording.notes):
        record.add_warning("imported", note, run)
    record.end_run(run, "complete")


def _list_ended(trials: Sequence[RecordedTrial]) -> list[RecordedTrial]:
    """List the launches that have values; where none has, all, of which no block is complete."""
    return [trial for trial in trials if trial.status == "ok"] or list(trials)


def _list_failed(trials: Sequence[RecordedTrial]) -> list[RecordedTrial]:
    """List the launches that failed, beside those that have values."""
    ended = _list_ended(trials)
    return [trial for trial in trials if trial.status != "ok"] if len(ended) < len(trials) else []


def _add_failed(
    record: Record, run: int, kinds: Sequence[Sequence[tuple[RecordedTrial, int]]], size: int
) -> None:
    """Add launches that failed, in blocks of ``size`` that stay incomplete, after the one with all values."""
    parts = [failed[first : first + size] for failed in kinds for first in range(0, len(failed), size)]
    for block, members in enumerate(parts, 2):
        order = [treatment for _, treatment in members]
        record.add_blocks([Block(block, 1, None, (*order, *[order[0]] * (size - len(order))))])
        measured = [
            _make_measurement((block - 1) * size + place, place, treatment, replace(trial, block=block))
            for place, (trial, treatment) in enumerate(members, 1)
        ]
        record.take(run, measured, record.journal_path(run).name, 0)
        record.set_block_states({block: "incomplete"})


def _make_measurement(number: int, place: int, treatment: int, trial: RecordedTrial) -> Measurement:
    """Return a trial of which only values are known; the metrics of the record say which columns count."""
    builtins = {name: values[0] for name, values in trial.values.items() if name in BUILTIN and values}
    columns = {"trial": number, "block": trial.block, "place": place, "treatment": treatment}
    values = [
        Value(name, value, i)
        for name, repetitions in trial.values.items()
        if name not in BUILTIN
        for i, value in enumerate(repetitions)
    ]
    return _make_trial(columns | _fill_columns(builtins), values, trial.status, trial.reason)


def _fill_columns(builtins: Mapping[str, float]) -> dict[str, int]:
    """Return the columns of a trial that built-in metrics are read from."""
    observed = [entry for entry in RUNNER_METRICS if entry.metric.name in builtins]
    # A sum alone is kept in its first column, since the sum is what is read back; its parts come later.
    return {
        entry.columns[0]: round(builtins[entry.metric.name] * entry.scale)
        for entry in sorted(observed, key=lambda entry: -len(entry.columns))
    }


def _make_trial(
    columns: Mapping[str, int], values: Sequence[Value], status: Status = "ok", reason: str = ""
) -> Measurement:
    """Return a trial of which only these columns and values are known."""
    fields: dict[str, Any] = dict.fromkeys(_COLUMNS, 0) | {"queue_wait_ns": None}
    return Measurement(
        **fields | dict(columns),
        status=status,
        reason=reason or None,
        exit_code=None,
        signal=None,
        cpu=None,
        values=tuple(values),
    )


_COLUMNS: Final = tuple(field.name for field in msgspec.structs.fields(Measurement) if field.type is int)
