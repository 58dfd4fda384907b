"""Blocks of processes of base and head, by the runner, in a record of their own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from steelyard.core.errors import ProgramError
from steelyard.core.sample import Sample
from steelyard.extensions.gate.benchmark import Pair
from steelyard.extensions.gate.harnesses.harness import Selection
from steelyard.extensions.gate.plan import Plan, PlannedProgram
from steelyard.extensions.gate.results import GatedMetric
from steelyard.extensions.gate.sides import SIDES, GateSides, Side
from steelyard.lab.run.run import run
from steelyard.lab.run.run_loop import ACCEPTING, Watch
from steelyard.run.measure.extract.harness import LABEL
from steelyard.spec import Experiment, experiment
from steelyard.spec.tables.metrics import Harness as Format
from steelyard.spec.text.placeholders import escape
from steelyard.store import Record
from steelyard.store.facts import FILE

Values = dict[int, float]
"""Block to value."""


class TrialFailure(msgspec.Struct, frozen=True):
    """A process that failed: its block, whether its time limit ended it, and why in words."""

    block: int
    is_timeout: bool
    reason: str


class Measured(msgspec.Struct, frozen=True):
    """What a record holds.

    Attributes
    ----------
    values : dict
        Metric, benchmark and side to values; the benchmark is ``""`` where the process itself is measured.
    seconds : float
        That all processes took.
    blocks : int
        Complete ones, without discarded ones.
    block_s : float
        Mean seconds of a block.
    processes : int
        Of each side, discarded ones included.
    failed : dict
        Side to processes that failed, whose blocks do not count.
    samples : tuple of Sample
        Of metrics that are no counts, with the order of processes.
    waited_s : float
        That processes were ready to run and had no CPU, as far as it was observed.
    base_first : frozenset of int
        Blocks in which base ran before head.
    """

    values: dict[tuple[str, str, Side], Values]
    seconds: float
    blocks: int
    block_s: float
    processes: int
    failed: dict[Side, tuple[TrialFailure, ...]]
    samples: tuple[Sample, ...]
    waited_s: float = 0.0
    base_first: frozenset[int] = frozenset()

    def pair_values(self, metric: str, name: str) -> list[Pair]:
        """Return base and head of a benchmark in the blocks that have both."""
        base, head = (self._find_values(metric, name, side) for side in SIDES)
        return [
            Pair(base[block], head[block], block in self.base_first)
            for block in sorted(base.keys() & head.keys())
        ]

    def count_missing(self, metric: str, name: str) -> int:
        """Blocks in which base reported a benchmark and head, which did not fail, did not."""
        failed = {entry.block for entry in self.failed["head"]}
        base, head = (self._find_values(metric, name, side).keys() for side in SIDES)
        return len(base - head - failed)

    def _find_values(self, metric: str, name: str, side: Side) -> Values:
        return self.values.get((metric, name, side), self.values.get((metric, "", side), {}))


class TrialBatch(msgspec.Struct, frozen=True):
    """Blocks of one program.

    Attributes
    ----------
    names : tuple of str
        Benchmarks to run; empty for all.
    directory : Path
        Of the record.
    discard : int
        Blocks before those that count.
    metrics : tuple of GatedMetric
        That these benchmarks report.
    """

    plan: Plan
    program: PlannedProgram
    names: tuple[str, ...]
    directory: Path
    blocks: int
    discard: int
    seed: int
    timeout_s: float | None
    metrics: tuple[GatedMetric, ...]
    has_memory: bool


def measure(batch: TrialBatch, sides: GateSides, watch: Watch) -> Measured:
    """Run the blocks, unless an earlier call did, and read them.

    Raises
    ------
    ProgramError
        Three runs of a side in a row fail, or a time is not above 0.
    """
    if not is_complete(batch.directory):
        for side in SIDES:
            sides.prepare(side)
        try:
            run(_make_experiment(batch, sides), batch.directory, watch=watch)
        except ProgramError as error:
            # A gate has no spec whose keys could accept it.
            hint = (error.hint or "").partition(ACCEPTING)[0].rstrip("; ")
            raise ProgramError(error.message, hint=hint or None) from None
    return read(batch.directory, batch.metrics, batch.program)


def is_complete(directory: Path) -> bool:
    """Whether an earlier call ran all blocks of a record."""
    if not (directory / FILE).exists():
        return False
    with Record.open(directory) as record:
        runs = record.runs()
    return bool(runs) and runs[-1].state == "complete"


def read(directory: Path, metrics: Sequence[GatedMetric], program: PlannedProgram) -> Measured:
    """Return what a record of ``measure`` holds, by the names that benchmarks have in head.

    Raises
    ------
    ProgramError
        A time is not above 0: no ratio can be taken of it.
    RecordError
        The record was edited since.
    """
    values: dict[tuple[str, str, Side], Values] = {}
    timed: list[Sample] = []
    new_names = {old: new for new, old in program.old_names.items()}
    with Record.open(directory) as record:
        record.refuse_edited()
        for metric in metrics:
            for sample in record.samples(metric.name):
                side = _read_side(sample.treatment.levels)
                name = str(sample.labels.get(LABEL, ""))
                if side == "base" and name in new_names:
                    name = new_names[name]
                    sample = replace(sample, labels={**sample.labels, LABEL: name})  # noqa: PLW2901
                values[metric.name, name, side] = dict(zip(sample.blocks, sample.values, strict=True))
                timed += [] if metric.is_count else [sample]
        trials = [measurement for _, measurement in record.stream_measurements()]
        side_of = {treatment.id: _read_side(treatment.levels) for treatment in record.treatments}
        blocks = record.progress().blocks.get("complete", 0)
    failed: dict[Side, list[TrialFailure]] = {side: [] for side in SIDES}
    for trial in trials:
        if trial.status != "ok":
            failure = TrialFailure(trial.block, trial.status == "timed_out", str(trial.reason))
            failed[side_of[trial.treatment]].append(failure)
    counts = {metric.name for metric in metrics if metric.is_count}
    for (metric_name, name, side), by_block in values.items():
        if metric_name not in counts and by_block and min(by_block.values()) <= 0:
            raise ProgramError(
                f"{name or metric_name} of {side} is {min(by_block.values()):g}, of which no ratio can be"
                " taken: less than the clock resolves, or the compiler removed the work",
                hint="choose another --metric, or leave the benchmark out by a filter of the harness",
            )
    seconds = sum(trial.wall_ns for trial in trials) * 1e-9
    processes = len(trials) // len(SIDES)
    return Measured(
        values,
        seconds,
        blocks,
        seconds / max(1, processes),
        processes,
        {side: tuple(members) for side, members in failed.items()},
        tuple(timed),
        sum(trial.queue_wait_ns or 0 for trial in trials) * 1e-9,
        frozenset(trial.block for trial in trials if trial.place == 1 and side_of[trial.treatment] == "base"),
    )


def _read_side(levels: Any) -> Side:
    return "base" if levels["command"] == "base" else "head"


def _make_experiment(batch: TrialBatch, sides: GateSides) -> Experiment:
    plan, program = batch.plan, batch.program
    harness = plan.chosen
    file = str((batch.directory / "metrics").absolute())
    selections = {
        side: Selection(file, tuple(program.name_on(side, name) for name in batch.names), batch.has_memory)
        for side in SIDES
    }
    commands = {
        side: [escape(word) for word in harness.launch(program.programs[side], selections[side])]
        for side in SIDES
    }
    tree = f"{escape(str(sides.locate('base').parent))}/{{command}}"
    # Paths of the user's own may have braces; the place of the side is the only placeholder.
    place = sides.describe_tree("base").place
    environment = harness.make_environment("\0", place)
    keys: dict[str, Any] = {
        "name": "gate",
        "source": str(batch.directory.parent.absolute()),
        "program": {
            "commands": commands,
            "cwd": f"{tree}/{escape(str(place / program.programs['base'].directory))}",
            "inherit": True,
            "env": {name: _mark_side(text, sides) for name, text in environment.items()},
        },
        "design": {"blocks": batch.blocks, "discard": batch.discard, "seed": batch.seed},
        "contexts": {"env_bytes": "random"},
        "analysis": {"metric": batch.metrics[0].name},
    }
    source = program.programs["base"].source
    if source is not None:
        keys["metrics"] = {metric.name: _declare_metric(metric, source) for metric in batch.metrics}
    if batch.timeout_s is not None:
        keys["program"]["timeout"] = batch.timeout_s
    return experiment(**keys)


def _declare_metric(metric: GatedMetric, source: Format) -> dict[str, Any]:
    """Return the metric of a spec; a mean has no repetition of a count that differs, a median may hide it."""
    declared = {"source": source, "unit": metric.unit, "better": metric.better}
    return {**declared, "reduce": "mean"} if metric.is_count else declared


def _mark_side(text: str, sides: GateSides) -> str:
    parent = escape(str(sides.locate("base").parent))
    return escape(text).replace("\0", f"{parent}/{{command}}")
