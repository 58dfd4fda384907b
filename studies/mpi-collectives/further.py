"""Simulate on where a rank is open, at the points that ``steelyard model --suggest --up-to 4096`` names.

    .venv/bin/python studies/mpi-collectives/further.py [PART ...] [--cpu-minutes N] [--records DIRECTORY]

PART is topologies or selectors, which `study.py` has run. Of the cells that the paper publishes, each whose
rank is undecided takes the cheapest point that is expected to settle it, else the one that is expected to say
most, and is modelled again, round by round: until it is decided, until its points are ``MOST_POINTS`` more
than it had, or until the CPU time is over. Latencies go to simulated.csv as they come, and what is there is
not simulated again: an interrupted loop goes on. The table goes to stdout, as Markdown.
"""

from __future__ import annotations

import argparse
import resource
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

import simulated
import study
from msgspec.structs import replace
from simulated import Row

from steelyard.api import Experiment, ProgramError, Record, SteelyardError, load, run
from steelyard.api.scaling import (
    Expectation,
    ModelRequest,
    Question,
    ScalingModel,
    Series,
    find_cause,
    model_series,
    suggest_points,
)

LARGEST: Final = 4096
"""Ranks of the simulated machines."""
REACH: Final = {
    "topologies": {"allgather": 2048, "alltoall": 1448},
    "selectors": dict.fromkeys(study.LATENCIES, 1024),
}
"""Ranks beyond which an operation is not simulated: buffers of all ranks are 3.4 GB in Allgather at 2,048 and
5 GB in Alltoall at 1,448 ranks, and selectors set up p² places, 33 s at 1,024.
"""
MOST_POINTS: Final = 12
"""Points that a cell may take."""
TIMEOUT_S: Final = 480.0


class Cell(NamedTuple):
    """An operation on a machine, or as a selector chooses it."""

    machine: str
    op: str


class Wanted(NamedTuple):
    """A simulation: one machine, one scale, the operations that want it."""

    machine: str
    p: int
    ops: tuple[str, ...]


Simulate = Callable[[Wanted], Mapping[str, float]]
"""Latencies by operation; without those that did not end in time."""


class Loop:
    """The cells of a part, and what is known of each."""

    def __init__(self, part: str, known: list[Row], further: list[Row]) -> None:
        self.part = part
        self.label = simulated.LABELS[part][0]
        self.known = known
        self.further = further
        models = self.models()
        base = self._models(known)
        self.cells = [cell for cell in models if is_open(base[cell])]

    def models(self) -> dict[Cell, ScalingModel]:
        """The model of every published cell, from all points that there are."""
        return self._models([*self.known, *self.further])

    def _models(self, rows: list[Row]) -> dict[Cell, ScalingModel]:
        result = {}
        for item in simulated.series_in(rows):
            cell = Cell(str(item.labels[self.label]), item.name)
            if cell.op in study.published(study.SYSTEMS.get(cell.machine, "")):
                (result[cell],) = model_series(ModelRequest([item], question_of(cell.op))).models
        return result

    def series(self, cell: Cell) -> Series:
        """All points of a cell."""
        label = f"{self.label}={cell.machine}"
        rows = [row for row in (*self.known, *self.further) if (row.of, row.op) == (label, cell.op)]
        (result,) = simulated.series_in(rows)
        return result

    def added(self, cell: Cell) -> list[Row]:
        """What was simulated for a cell beyond the study's own points, or tried to be."""
        label = f"{self.label}={cell.machine}"
        return [row for row in self.further if (row.of, row.op) == (label, cell.op)]

    def largest(self, cell: Cell) -> int:
        """The largest scale at which the cell can be simulated."""
        failed = [row.p - 1 for row in self.added(cell) if row.latency_s is None]
        return min([REACH[self.part].get(cell.op, LARGEST), *failed])

    def open(self) -> list[Cell]:
        """Cells that are undecided, and have not taken all of their points."""
        models = self.models()
        return [cell for cell in self.cells if is_open(models[cell]) and len(self.added(cell)) < MOST_POINTS]

    def wanted(self) -> list[Wanted]:
        """The simulations of the next round, small ones first."""
        operations: dict[tuple[int, str], list[str]] = {}
        for cell in self.open():
            result = suggest_points(self.series(cell), question_of(cell.op), most=self.largest(cell))
            if result:
                operations.setdefault((round(result[0].at[0]), cell.machine), []).append(cell.op)
        return [Wanted(machine, p, tuple(ops)) for (p, machine), ops in sorted(operations.items())]

    def take(self, point: Wanted, latencies: Mapping[str, float]) -> None:
        """Add what a simulation gave."""
        label = f"{self.label}={point.machine}"
        self.further += [
            Row(f"{self.part}-further", label, op, point.p, latencies.get(op)) for op in point.ops
        ]

    def settle(self, simulate: Simulate, may_go_on: Callable[[], bool]) -> Iterator[Wanted]:
        """Simulate until nothing is wanted or the time is over; gives each simulation when it is taken."""
        while result := self.wanted():
            for point in result:
                if not may_go_on():
                    return
                self.take(point, simulate(point))
                yield point


def loop_of(part: str) -> Loop:
    """The loop of a part as far as it went."""
    return Loop(part, simulated.kept(part), simulated.kept(f"{part}-further"))


def question_of(op: str) -> Question:
    """The expectation of an operation, as the tables judge it."""
    return Question(expectations={op: Expectation(study.LATENCIES[op], study.DEVIATION)}, parameter="p")


def is_open(model: ScalingModel) -> bool:
    """Whether its rank is undecided."""
    return model.validation is not None and model.validation.rank == "undecided"


def at_scale(experiment: Experiment, label: str, point: Wanted) -> Experiment:
    """The experiment at one point, for some operations, however many ranks these have."""
    levels = {label: point.machine, "p": point.p}
    factors = tuple(
        replace(factor, levels=(levels[factor.name],))
        for factor in experiment.factors
        if factor.name in levels
    )
    ((name, words),) = experiment.program.commands.items()
    at = words.index("--most-ranks")
    command = (*words[:at], *words[at + 2 :], "--ops", ",".join(point.ops))
    program = replace(experiment.program, commands={name: command}, timeout_s=TIMEOUT_S)
    return replace(experiment, program=program, factors=factors, zips=())


def simulate_in(place: Path, experiment: Experiment, label: str) -> Simulate:
    """Simulations by Steelyard, each with a record of its own in ``place``."""

    def simulate(point: Wanted) -> Mapping[str, float]:
        record = place / f"{point.machine}-{point.p}-{'-'.join(point.ops)}.lab"
        try:
            run(at_scale(experiment, label, point), record)
        except ProgramError:
            if not timed_out(record):
                raise
            return {}
        with Record.open(record) as opened:
            samples = opened.samples("latency_quantile_s")
        result = {
            str(sample.labels["op"]): float(sample.values[0]) for sample in samples if len(sample.values)
        }
        if missing := [op for op in point.ops if op not in result]:
            raise ProgramError(f"{record} has no latency of {missing[0]}", hint=f"steelyard status {record}")
        return result

    return simulate


def timed_out(record: Path) -> bool:
    """Whether no simulation of a record failed but for its time."""
    if not record.exists():
        return False
    with Record.open(record) as opened:
        return {item.status for _, item in opened.stream_measurements()} == {"timed_out"}


def table(loop: Loop) -> str:
    """Every cell that was open, what it is now, and what it would take."""
    head = f"| {loop.label} | operation | points added | model | R̄² | δ | rank (probability) | misses by |"
    lines = [head + " would take | published |", "|---" * 10 + "|"]
    models = loop.models()
    for cell in sorted(loop.cells, key=lambda cell: (cell.machine, [*study.LATENCIES].index(cell.op))):
        printed = str(study.published(study.SYSTEMS[cell.machine])[cell.op])
        scales = ", ".join(str(row.p) for row in loop.added(cell) if row.latency_s is not None)
        points_needed = needed(loop, cell) if is_open(models[cell]) else ""
        cells = (
            cell.machine,
            cell.op,
            scales,
            *study.judged(models[cell]),
            missed(models[cell]),
            points_needed,
            printed,
        )
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join([*lines, "", *blamed(models)])


def missed(model: ScalingModel) -> str:
    """By how much the formula misses a point at most, where that is said."""
    messages = [warning.words for warning in model.warnings if warning.kind == "lack_of_fit"]
    return next((text.removeprefix("the formula misses a point by ") for text in messages), "")


def needed(loop: Loop, cell: Cell) -> str:
    """The cheapest point anywhere that is expected to settle a cell."""
    result = suggest_points(loop.series(cell), question_of(cell.op))
    settling = next((f"p = {item.at[0]:g}" for item in result if item.settles), "more than one point")
    return f"{settling} (largest here: {loop.largest(cell)})"


def blamed(models: Mapping[Cell, ScalingModel]) -> list[str]:
    """Who is to blame for each rank of none, by the litmus test of its machine."""
    lines = []
    for cell, model in models.items():
        result = find_cause(model, models[Cell(cell.machine, "litmus")]) if cell.op != "litmus" else None
        if result is not None:
            lines.append(f"- {cell.machine}, {cell.op}: the cause is likely the {result}")
    return lines


def main() -> int:
    """Settle each part within the time given, and print its table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", metavar="PART")
    parser.add_argument("--cpu-minutes", type=float, default=20.0, metavar="N", help="0: only the tables")
    parser.add_argument("--records", type=Path, default=study.HERE, metavar="DIRECTORY")
    args = parser.parse_args()
    if unknown := [part for part in args.parts if part not in REACH]:
        parser.error(f"unknown part {unknown[0]!r}; one of: {', '.join(REACH)}")

    limit_s: float = 60 * args.cpu_minutes

    def may_go_on() -> bool:
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime < limit_s

    for part in args.parts or REACH:
        loop = loop_of(part)
        simulate = simulate_in(
            args.records / f"{part}-further", load(study.HERE / f"{part}.toml"), loop.label
        )
        try:
            for point in loop.settle(simulate, may_go_on):
                simulated.keep(f"{part}-further", loop.further)
                ops = ", ".join(point.ops)
                print(f"{point.machine}, p = {point.p}: {ops}", file=sys.stderr, flush=True)
        except SteelyardError as error:
            sys.stderr.write(error.explain())
            return error.exit_code
        print(f"\n## {part}\n\n{table(loop)}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
