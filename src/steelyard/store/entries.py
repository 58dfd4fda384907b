"""Entries of a record beside blocks and measurements: runs, looks, load, warnings, and the counts of all."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import msgspec

from steelyard.core.units import Scalar
from steelyard.design.plan import BlockState

RunState = Literal["running", "complete", "precision_not_reached", "interrupted", "failed", "died"]
"""``died`` was killed without a word; the next run finds it ``running`` and says so."""

Decision = Literal["continue", "reached", "capped"]


class Run(msgspec.Struct, frozen=True):
    """One time that somebody worked on the record.

    Times are Unix times; ``ended_ns`` is ``None`` while it goes on, and where it died.
    """

    id: int
    started_ns: int
    ended_ns: int | None
    boot: str
    host: Mapping[str, Scalar]
    state: RunState


class Look(msgspec.Struct, frozen=True):
    """A look of the stop rule after ``block``: what it saw and decided.

    Attributes
    ----------
    blocks : int
        Complete blocks so far.
    rel_halfwidth : float or None
        The widest of the contrasts; ``None`` where it is undefined yet.
    target : float or None
        ``None`` where the spec gives only caps.
    """

    block: int
    metric: str
    at_ns: int
    blocks: int
    rel_halfwidth: float | None
    target: float | None
    decision: Decision


class LoadOfBatch(msgspec.Struct, frozen=True):
    """Load of the host while the runner worked from ``first_trial`` to ``last_trial``.

    Differences over that time (``steal_s`` and the totals of PSI); ``None`` is "not observed".
    """

    run: int
    first_trial: int
    last_trial: int
    steal_s: float | None = None
    psi_cpu_s: float | None = None
    psi_memory_s: float | None = None
    psi_io_s: float | None = None
    load_1min: float | None = None


class TrialKey(msgspec.Struct, frozen=True):
    """A trial, and by what it is known in every copy of the record that measured it.

    Attributes
    ----------
    run, block : int
        Where it is read.
    number : int
        In the record that measured it.
    start_ns : int
        Unix time: copies that went on apart have different trials of one number.
    opens_complete : bool
        Whether it is the first of a complete block.
    """

    run: int
    block: int
    number: int
    start_ns: int
    opens_complete: bool


class StoredNotice(msgspec.Struct, frozen=True):
    """A warning stored with the data: ``kind`` is a word for programs, ``text`` a sentence for people."""

    kind: str
    text: str
    run: int | None
    at_ns: int


class Journal(msgspec.Struct, frozen=True):
    """A runner's file that was not deleted yet, how much of it is in the tables, and how much is not."""

    name: str
    path: Path
    run: int
    moved_bytes: int
    unmoved_bytes: int


class RecordProgress(msgspec.Struct, frozen=True):
    """The counts of a record.

    Attributes
    ----------
    planned_trials : int
        In all blocks drawn so far.
    trials, failed : int
        Finished ones, discarded blocks included, and how many of them are not ``ok``.
    blocks : Mapping[BlockState, int]
        Only states that occur.
    contexts : int
        Different ones among the complete blocks; 0 where the experiment has none.
    last_start_ns : int or None
        Unix time at which the last finished trial began.
    """

    planned_trials: int
    trials: int
    failed: int
    blocks: Mapping[BlockState, int] = {}
    contexts: int = 0
    last_start_ns: int | None = None


class Gaps(msgspec.Struct, frozen=True):
    """Medians of the time between the end of a trial and the start of the next, where no run ended there.

    ``None`` without such a pair.

    Attributes
    ----------
    within_s, between_s : float or None
        In a block, and from one block to the next.
    """

    within_s: float | None
    between_s: float | None


class Disturbance(msgspec.Struct, frozen=True):
    """Fraction of time that a treatment's trials were ready to run and had no CPU (complete blocks).

    Attributes
    ----------
    trials, observed : int
        All, and those whose wait was asked for: without need, not those of less than 0.5 ms.
    queue_wait_share : float
        Of all elapsed time; at least this, where some were not asked.
    """

    treatment: int
    trials: int
    observed: int
    queue_wait_share: float
