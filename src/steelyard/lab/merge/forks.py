"""Copies of one record: which blocks of each count, so that what several have is there once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from steelyard.store.entries import TrialKey


class Copy(msgspec.Struct, frozen=True):
    """A copy of a record, or of its part in a merged one.

    Attributes
    ----------
    directory : Path
        Where it is read.
    runs : int
        How many it has.
    trials : sequence of TrialKey
        In the order of the plan.
    """

    directory: Path
    runs: int
    trials: Sequence[TrialKey]


class Tail(msgspec.Struct, frozen=True):
    """What a copy adds to those before it.

    Attributes
    ----------
    runs : frozenset of int
        That have a block which counts; all of them in the first copy.
    without : frozenset of int
        Blocks that an earlier copy has, or has begun.
    parted : int or None
        First block that it has otherwise than an earlier copy, which goes on too.
    """

    runs: frozenset[int]
    without: frozenset[int] = frozenset()
    parted: int | None = None


def find_tails(copies: Sequence[Copy]) -> list[tuple[Copy, Tail]]:
    """Return the copies that add something, the largest first, and what each adds.

    A block of which an earlier copy has any trial began before they went apart, and counts there.
    """
    ordered = sorted(copies, key=lambda copy: (len(copy.trials), copy.runs), reverse=True)
    counted: set[tuple[int, int]] = set()
    tails: list[tuple[Copy, Tail]] = []
    for copy in ordered:
        shared = {trial.block for trial in copy.trials if (trial.number, trial.start_ns) in counted}
        added = {trial.block: trial.run for trial in copy.trials if trial.block not in shared}
        if not tails:
            tails.append((copy, Tail(frozenset(trial.run for trial in copy.trials))))
        elif added:
            tails.append((copy, Tail(frozenset(added.values()), frozenset(shared), min(added))))
        counted |= {(trial.number, trial.start_ns) for trial in copy.trials}
    return tails


def count_distinct(copies: Sequence[Sequence[TrialKey]]) -> tuple[int, int]:
    """Count the complete blocks and the trials of several copies of a record, each once."""
    trials = {(trial.number, trial.start_ns) for copy in copies for trial in copy}
    blocks = {(trial.number, trial.start_ns) for copy in copies for trial in copy if trial.opens_complete}
    return len(blocks), len(trials)
