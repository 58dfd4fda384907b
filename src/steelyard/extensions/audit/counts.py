"""Counts before times: every place of the stack under cachegrind, and which lengths are worth a timing."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from typing import Final

import numpy as np

from steelyard.core.arrays import Floats
from steelyard.core.errors import MachineError, ProgramError, UsageError
from steelyard.core.units import Scalar, format_duration
from steelyard.design.contexts import draw_context
from steelyard.design.plan import Context
from steelyard.design.randomness import generator, permutation
from steelyard.extensions.audit.candidates import AuditCandidate
from steelyard.extensions.audit.classes import CYCLES, estimate_cycles, group_counts
from steelyard.extensions.audit.effort import MOST_TIMED
from steelyard.extensions.audit.request import Row
from steelyard.extensions.audit.results import COUNTED, CountClass, Counted
from steelyard.extensions.audit.stack_place import StackSteps, find_shift, find_steps, read_place
from steelyard.extensions.audit.stages import Stages
from steelyard.interventions.shift import STACK_STEP
from steelyard.run.launch.equal_context import is_script
from steelyard.run.launch.launch import Launch
from steelyard.stats.planning.unseen import unseen_share
from steelyard.store import Record
from steelyard.store.facts import FILE

_OF_THE_LARGEST: Final = 6
"""Lengths of the largest class that are timed: typical ones are among them, and whether equal counts take
equal times shows."""

_OF_OTHERS: Final = 2

_SHARE_OF_LEAST: Final = 0.25
"""Difference in estimated cycles below which counts are equal, of the least effect."""

_FEWEST: Final = 16
"""Lengths without which counts say nothing of a page."""

_SHARE_IN_A_LIMIT: Final = 0.5
"""Of the time that is left, where it is limited."""

_PILOT: Final = "counting-pilot"
_STAGE: Final = "counting"


def refuse_counts(kinds: Sequence[AuditCandidate], left_out: Mapping[str, str]) -> None:
    """Raise where nothing can be counted.

    Raises
    ------
    UsageError
        The length of the environment is not audited.
    MachineError
        It cannot be varied, or there is no valgrind.
    """
    if COUNTED in left_out:
        raise MachineError(
            f"--counts counts lengths of the environment: {left_out[COUNTED]}",
            hint="audit without --counts",
        )
    if COUNTED not in [kind.name for kind in kinds]:
        raise UsageError(
            "--counts counts lengths of the environment, which --only leaves out",
            hint=f"add --only {COUNTED}, or audit without --counts",
        )
    if shutil.which("valgrind") is None:
        raise MachineError(
            "--counts needs valgrind, which is not found",
            hint="apt-get install valgrind, or on a cluster: module load valgrind",
        )


def count_lengths(
    bench: Stages, lengths: AuditCandidate, rows: Sequence[Row], tell: Callable[[str], None]
) -> tuple[tuple[Scalar, ...], Counted]:
    """Count the program at each place of the stack, and choose lengths to time.

    Parameters
    ----------
    lengths : AuditCandidate
        ``env_bytes``.
    rows : sequence of Row
        The other settings that are timed with them, the base first: all are padded to the longest.

    Returns
    -------
    tuple of int
        Lengths at which the stack lies, when the program runs alone, where it lay in the counts that they
        stand for.
    Counted
        The classes.

    Raises
    ------
    UsageError, MachineError
        A script; too little time; the stack's place cannot be read.
    ProgramError
        Two runs at one length count differently.
    """
    launch = bench.launches(rows)[0]
    if is_script(launch.path):
        raise UsageError(
            f"{launch.path} is a script, and its interpreter would be counted in another place of the stack",
            hint="name the interpreter in the command, as in 'python3 script.py'",
        )
    tolerance = _SHARE_OF_LEAST * bench.request.least
    seconds = _refuse_varying(bench, tolerance)
    alone = find_steps(lambda level: read_place(bench.launches(_extend_base(rows, level))[0]))
    inside = find_steps(lambda level: read_place(_launch_counting(bench, level), counted=True))
    levels = _draw_places(lengths, inside, bench)
    _refuse_other_places(bench, levels)
    tell(f"audit: counts of {len(levels):,} lengths, about {format_duration(seconds * len(levels))}")
    stop = bench.limit(_STAGE, _SHARE_IN_A_LIMIT, seconds)
    experiment = bench.request.count_at(levels, stage=_STAGE, blocks=len(levels), stop=stop)
    bench.run_stage(experiment, _STAGE, "lengths counted")
    visited, counts = _read(bench, _STAGE)
    if len(visited) < _FEWEST:
        raise bench.too_short(f"{len(visited)} of at least {_FEWEST} lengths were counted")
    offset = find_shift(inside, alone, lengths.levels)
    classes = group_counts(counts, tolerance)
    chosen = choose(classes, estimate_cycles(counts), bench.request.seed)
    timed = {place: (visited[place] + offset) % lengths.levels for group in chosen for place in group}
    answer = Counted(
        lengths=len(visited),
        population=lengths.levels,
        tolerance=tolerance,
        unseen=unseen_share(len(visited)) if len(visited) < len(levels) else 0.0,
        classes=tuple(
            _describe(group, counts, [timed[place] for place in group if place in timed]) for group in classes
        ),
    )
    return tuple(sorted(timed.values())), answer


def choose(classes: Sequence[Sequence[int]], cycles: Floats, seed: int) -> list[list[int]]:
    """Choose the places to time of each class.

    The first gets more, then those whose cycles differ most from its, as long as there is room.
    """
    usual = float(np.median(cycles[list(classes[0])]))
    order = sorted(classes[1:], key=lambda group: -abs(np.log(np.median(cycles[list(group)]) / usual)))
    chosen: list[list[int]] = []
    room = MOST_TIMED
    for group in (classes[0], *order):
        most = min(room, _OF_OTHERS if chosen else _OF_THE_LARGEST)
        chosen.append(permutation(group, generator(seed, "audit", "counts", str(group[0])))[:most])
        room -= len(chosen[-1])
    return chosen


def _describe(places: Sequence[int], counts: Mapping[str, Floats], timed: Sequence[int]) -> CountClass:
    medians = {event: float(np.median(values[list(places)])) for event, values in counts.items()}
    return CountClass(len(places), tuple(sorted(timed)), medians)


def _draw_places(lengths: AuditCandidate, steps: StackSteps, bench: Stages) -> tuple[int, ...]:
    """Draw one length for each place of the stack, at a byte of its own; take all if the audit is thorough.

    They begin where the stack lies without growth, so that another environment has others.
    """
    if bench.request.thorough:
        return tuple((level + steps.place - steps.phase) % lengths.levels for level in range(lengths.levels))
    bytes_ = generator(bench.request.seed, "audit", "counted bytes")
    starts = range(steps.place, steps.place + lengths.levels, STACK_STEP)
    return tuple(
        (start - steps.phase + int(bytes_.random() * STACK_STEP)) % lengths.levels for start in starts
    )


def _refuse_other_places(bench: Stages, levels: Sequence[int]) -> None:
    """Refuse to continue counts that began where the stack of the same lengths lay elsewhere."""
    if not (bench.place(_STAGE) / FILE).exists():
        return
    with Record.open(bench.place(_STAGE)) as record:
        contexts = record.experiment.contexts
    if contexts is not None and contexts.settings[COUNTED] != tuple(levels):
        raise UsageError(
            f"{bench.place(_STAGE)} was counted with another seed, or in an environment of another length, in"
            " which the stack lies elsewhere",
            hint="continue from the same shell with the same options, or name a directory that does not exist"
            " yet: -o NAME.lab",
        )


def _refuse_varying(bench: Stages, tolerance: float) -> float:
    """Count one length twice; the seconds that a run under cachegrind takes."""
    bench.run_stage(bench.request.count_at((0,), stage=_PILOT, blocks=2, stop=None), _PILOT, "runs counted")
    _, counts = _read(bench, _PILOT)
    cycles = float(np.median(estimate_cycles(counts)))
    for event, weight in CYCLES.items():
        first, second = counts[event]
        if weight * abs(second - first) > tolerance * cycles:
            raise ProgramError(
                f"counts do not repeat: {first:,.0f} and {second:,.0f} {event.replace('_', ' ')} in two runs"
                " that differ in nothing, so that differences between lengths would tell nothing",
                hint="fix its seeds and let it run in one thread, or audit without --counts",
            )
    with Record.open(bench.place(_PILOT)) as record:
        (wall,) = record.samples("wall_s")
    return float(np.median(wall.values))


def _read(bench: Stages, stage: str) -> tuple[list[int], dict[str, Floats]]:
    """Lengths that were counted, and the counts of each event at them."""
    with Record.open(bench.place(stage)) as record:
        samples = record.samples(*CYCLES)
        contexts, seed = record.experiment.contexts, record.experiment.design.seed
    if contexts is None or not samples:
        return [], {event: np.empty(0) for event in CYCLES}
    drawn = (draw_context(contexts, seed, id_).settings[COUNTED] for id_ in samples[0].contexts)
    counts = {sample.metric.name: np.array(sample.values, dtype=np.float64) for sample in samples}
    return [int(level) for level in drawn], counts


def _extend_base(rows: Sequence[Row], level: int) -> list[Row]:
    return [{**rows[0], COUNTED: level}, *rows[1:]]


def _launch_counting(bench: Stages, level: int) -> Launch:
    experiment = bench.request.count_at((level,), stage=_STAGE, blocks=1, stop=None)
    settings: Row = {"aslr": "off", COUNTED: level}
    return bench.make_launches(experiment, Context(1, settings))[0]
