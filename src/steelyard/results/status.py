"""Progress of an experiment: ``Progress`` while it runs, ``Status`` of a record.

The document of a status is ``steelyard/status``, of several ``steelyard/statuses``. History: version 1, the
first.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

import msgspec
from msgspec.structs import replace

from steelyard.core.sample import Failures
from steelyard.results.document import Format
from steelyard.results.interval import Interval

State = Literal["planned", "running", "interrupted", "complete", "precision_not_reached", "failed"]


class Progress(msgspec.Struct, frozen=True):
    """Progress of a run, told between batches.

    Attributes
    ----------
    blocks_done, blocks_wanted : int
        Complete ones, and those at the end as far as that can be told; where it cannot, at the next look.
    elapsed_s : float
        Of all runs of the record.
    remaining_s : float or None
        Until the end as far as that can be told; where it cannot, until the next look (``to_end``).
    noun : str
        What is counted: ``programs`` while they are built, before the first block.
    target, reached : float or None
        Relative half-width that ends the run, and the widest at the last look; ``None`` where no precision
        ends it, or no look has told one yet.
    speedup, interval : float or None, Interval or None
        Of the first comparison at the last look: the estimate so far.
    """

    blocks_done: int
    blocks_wanted: int
    elapsed_s: float
    remaining_s: float | None
    noun: str = "blocks"
    to_end: bool = True
    target: float | None = None
    reached: float | None = None
    speedup: float | None = None
    interval: Interval | None = None

    def add_before(self, blocks: int, wanted: int) -> Progress:
        """Return the progress of ``wanted`` records of one block, of which so many are complete."""
        if self.noun != "blocks":
            return self
        done, rest = blocks + self.blocks_done, max(wanted - blocks - 1, 0)
        remaining = None if rest else self.remaining_s
        return replace(self, blocks_done=done, blocks_wanted=wanted, remaining_s=remaining)


class Holder(msgspec.Struct, frozen=True):
    """The process that runs an experiment."""

    pid: int
    host: str
    since: str
    """As a person reads it, with date."""


class Status(msgspec.Struct, frozen=True):
    """Progress of an experiment, as its record has it.

    Attributes
    ----------
    blocks_done : int
        Complete ones that are not discarded.
    blocks_planned : int or None
        That the design asks for; with a stop rule, the most it allows, ``None`` where only time limits it.
    stops_at_precision : bool
        A stop rule may end it before ``blocks_planned``.
    trials_done : int
        Finished ones, failed and discarded included.
    failures : Mapping[str, Failures]
        Label of each treatment that failed at least once.
    spent_s, left_s : float or None
        Time spent running; estimate of the time left, ``None`` where unknown.
    target, reached : float or None
        Relative half-width wanted, and the widest at the last look.
    versions : tuple of str
        Of Steelyard, which measured it; empty where a version before 0.11 did.
    head : str
        Last link of its chain of digests; empty where it has none.
    edited : str
        Why it is not as it was measured; empty where it is, where that is not known, or while it is written.
    """

    experiment: str
    record: str
    state: State
    treatments: int
    blocks_done: int
    blocks_planned: int | None
    trials_done: int
    spent_s: float
    left_s: float | None = None
    failures: Mapping[str, Failures] = {}
    stops_at_precision: bool = False
    target: float | None = None
    reached: float | None = None
    holder: Holder | None = None
    versions: tuple[str, ...] = ()
    head: str = ""
    edited: str = ""


class Statuses(msgspec.Struct, frozen=True):
    """Progress of several records of one spec.

    A trial is known by the record that measured it and its number there: one that is in two records counts
    once.

    Attributes
    ----------
    records : tuple of Status
        Each by itself, as it was named.
    blocks_done, trials_done : int
        Of all together.
    repeated : int
        Trials that were left out of these sums, since another record has them too.
    """

    records: tuple[Status, ...]
    blocks_done: int
    trials_done: int
    repeated: int


STATUS: Final = Format("steelyard/status", 1, Status)
STATUSES: Final = Format("steelyard/statuses", 1, Statuses)
