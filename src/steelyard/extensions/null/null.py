"""The null: how often a program is called different from itself on this machine.

That should not exceed the level of the test.

Every comparison is a whole experiment: the runner, its journal, a record, the analysis. Two ways to compare
take turns, so that both meet the same load.
"""

from __future__ import annotations

import math
import shutil
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec
from msgspec.structs import replace

from steelyard.core.errors import InterruptedRunError, UsageError
from steelyard.design.randomness import generator, permutation
from steelyard.extensions.null.results import Kind, NullResult, Way
from steelyard.extensions.null.tally import tally
from steelyard.lab.answer.analyze import analyze
from steelyard.lab.compare.compare import CompareRequest
from steelyard.lab.run.process import interruptible
from steelyard.lab.run.run import run
from steelyard.results.comparison import Comparison
from steelyard.spec.experiment import Experiment
from steelyard.store import Record

COMPARISONS: Final = 100

Watch = Callable[[int, int, float | None], None]
"""Told how many comparisons are done, how many there will be, and the seconds left, once that is known."""


Make = Callable[[int, Path], Mapping[Way, Experiment]]
"""The two experiments of a comparison, by its number; files they need go into the directory."""


def null(
    kind: Kind,
    request: CompareRequest,
    make: Make,
    *,
    comparisons: int,
    directory: Path,
    keep: bool,
    watch: Watch,
) -> NullResult:
    """Compare a program with itself again and again.

    Parameters
    ----------
    request : CompareRequest
        After its ``max_time_s``, no further comparison begins; the first is made both ways in any case.
    make : callable
        ``make_itself(request)`` or ``steelyard.extensions.null.layout.layouts(request)``.
    directory : Path
        Where the records are made, one for each comparison and way.
    keep : bool
        Whether they stay there; otherwise only that of a comparison that fails does.

    Returns
    -------
    NullResult
        Out of time, or after Ctrl-C or SIGTERM, what there is by then.

    Raises
    ------
    RecordError, MachineError, ProgramError
        As ``steelyard.lab.run.run.run``.
    """
    limit_s = math.inf if request.max_time_s is None else request.max_time_s
    comparisons_of: dict[Way, list[Comparison]] = {}
    experiments: Mapping[Way, Experiment] = {}
    started = time.monotonic()
    interrupted, out_of_time, number = False, False, 0
    directory.mkdir(parents=True, exist_ok=keep)
    try:
        with interruptible():
            for number in range(1, comparisons + 1):
                out_of_time = number > 1 and time.monotonic() - started >= limit_s
                if out_of_time:
                    break
                place = directory / f"{number:06}"
                place.mkdir()
                experiments = make(number, place)
                comparisons_of = comparisons_of or {way: [] for way in experiments}
                for way in permutation(list(experiments), generator(request.seed, "way", number)):
                    done, total = sum(map(len, comparisons_of.values())), comparisons * len(comparisons_of)
                    watch(done, total, _compute_remaining_s(done, total, time.monotonic() - started, limit_s))
                    comparisons_of[way].append(_compare(experiments[way], place / f"{way}.lab"))
                if not keep:
                    shutil.rmtree(place)
    except (InterruptedRunError, KeyboardInterrupt):
        interrupted = True
        if not keep:
            shutil.rmtree(directory / f"{number:06}", ignore_errors=True)
    if not keep:
        with suppress(OSError):
            directory.rmdir()
    if not any(comparisons_of.values()):
        raise InterruptedRunError(
            "interrupted before the first comparison ended", hint="run the same command again"
        )
    first, second = (tally(way, comparisons) for way, comparisons in comparisons_of.items())
    return NullResult(
        kind=kind,
        command=request.commands[0],
        blocks=request.least_blocks,
        seed=request.seed,
        alpha=next(iter(experiments.values())).analysis.alpha,
        target=comparisons,
        tallies=(first, second),
        interrupted=interrupted,
        out_of_time=out_of_time,
    )


def _compute_remaining_s(done: int, total: int, elapsed_s: float, max_time_s: float) -> float | None:
    """Return the time until the last comparison or the limit; ``None`` before the first one ended."""
    if not done:
        return None
    return max(0.0, min(elapsed_s / done * (total - done), max_time_s - elapsed_s))


def make_itself(request: CompareRequest) -> Make:
    """Use one command as both arms, in randomised blocks and one after the other.

    Raises
    ------
    UsageError
        Not exactly one command, or one with parameters.
    """
    command = only_command(request)
    # The limit of time is that of all comparisons together: one that it cuts short would be another one.
    request = replace(request, max_time_s=None)

    def make(number: int, _place: Path) -> Mapping[Way, Experiment]:
        both = replace(request, commands=(command, command), seed=seed_of(request, number))
        blocks = both.experiment()
        design = msgspec.structs.replace(blocks.design, order="sequential")
        return {"blocks": blocks, "sequential": msgspec.structs.replace(blocks, design=design)}

    return make


def only_command(request: CompareRequest) -> str:
    """Return the command of a null.

    Raises
    ------
    UsageError
        Not exactly one, or one with parameters.
    """
    if len(request.commands) != 1:
        raise UsageError(
            f"--null compares one command with itself, but {len(request.commands)} are given",
            hint=f"steelyard compare --null {request.commands[0]!r}",
        )
    if request.parameters or request.names:
        raise UsageError(
            "--null compares one command with itself, without parameters or names",
            hint="leave -L and --name out",
        )
    return request.commands[0]


def seed_of(request: CompareRequest, number: int) -> int:
    """Derive the seed of one comparison: different for each, the same both ways."""
    return int(generator(request.seed, "null", number).random() * 2**31)


def _compare(experiment: Experiment, directory: Path) -> Comparison:
    run(experiment, directory)
    with Record.open(directory) as record:
        (comparison,) = analyze(record).judged
    return comparison
