"""Looks: after how many blocks a stop rule may judge the precision.

At 10 blocks (40 where the rule is strict) or ``blocks``, whichever is more, then at each 1.25-fold of it,
rounded down: 10, 12, 15, 19, 24, … A look at every block would stop at lucky moments. At these distances a
95 % interval covers 93.5 to 96.5 %, and 94.9 to 96.5 % from 40 blocks on (docs/coverage.md); below 30 blocks,
only a quarter of the half-width wanted ends a run. A significant difference never does, since 22 % of equal
programs would show one. A rule that asks for a verdict pays for its looks with alpha (``stats.sequential``).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Final

from steelyard.core.look_schedule import looks_from, round_to_passes
from steelyard.design.treatments import treatments
from steelyard.spec.check.design import FIRST_LOOK, FIRST_STRICT_LOOK
from steelyard.spec.experiment import Experiment

IN_ROWS: Final = "nogueira-matias-2014"
"""The order in which each run is a block: those of one treatment in a row."""

FIRST_VERDICT_LOOK: Final = 5
"""Blocks of the look before the others of a rule that a verdict ends: large differences show there."""

DEFAULT_CAP: Final = 1000
"""Blocks after which a stop rule gives up that has neither ``max_blocks`` nor ``max_time``."""


def looks(experiment: Experiment) -> Iterator[int]:
    """Numbers of complete blocks, ascending; the last is where the experiment ends, reached precision or not.

    Without a wanted precision there is one look, after ``blocks``. With contexts in several passes, looks
    come after whole passes. The series is endless where only time limits it.
    """
    design = experiment.design
    if design.stop is None or not design.stop.looks:
        yield _count_all(experiment)
        return
    passes = _compute_passes(experiment)
    first = max(design.blocks, FIRST_STRICT_LOOK if design.stop.strict else FIRST_LOOK)
    cap = last_look(experiment)
    early = round_to_passes(max(design.blocks, FIRST_VERDICT_LOOK), passes)
    sooner = [early] if design.stop.ends_at_verdict and not design.stop.strict and early < first else []
    for look in itertools.chain(sooner, looks_from(first, passes)):
        if cap is not None and look >= cap:
            yield cap
            return
        yield look


def last_look(experiment: Experiment) -> int | None:
    """Return the last look; ``None`` where only time limits the experiment."""
    design = experiment.design
    stop = design.stop
    if stop is None or not stop.looks:
        return _count_all(experiment)
    if stop.max_blocks is None and stop.max_time_s is None and not stop.decided:
        return round_to_passes(max(DEFAULT_CAP, design.blocks), _compute_passes(experiment))
    return stop.max_blocks


def next_look(experiment: Experiment, complete: int) -> int | None:
    """Return the first look after ``complete`` blocks; ``None`` where there is none left."""
    return next((look for look in looks(experiment) if look > complete), None)


def _count_all(experiment: Experiment) -> int:
    """Blocks of an experiment without a wanted precision."""
    design = experiment.design
    if design.order != IN_ROWS:
        return design.blocks
    return len(treatments(experiment)) * design.blocks * design.replicates


def _compute_passes(experiment: Experiment) -> int:
    return experiment.contexts.passes if experiment.contexts else 1
