"""What comes of comparing a program with itself again and again: how often it is called different."""

from __future__ import annotations

from typing import Literal

import msgspec

from steelyard.answers.interval import Interval
from steelyard.stats.hypothesis.clopper_pearson import clopper_pearson

Kind = Literal["itself", "layout"]
Way = Literal["blocks", "sequential", "contexts", "one_context"]
"""``blocks``: randomised blocks. ``sequential``: all runs of one, then all of the other. ``contexts``: equal
contexts, a new one for each block. ``one_context``: randomised blocks in the context that each path makes."""


class Tally(msgspec.Struct):
    """What the comparisons of one way came to.

    Attributes
    ----------
    comparisons, different : int
        Made, and how many of them called the program different from itself.
    ratios : list of float
        The speedup that each found, where it had one; the truth is 1.
    """

    way: Way
    comparisons: int = 0
    different: int = 0
    ratios: list[float] = msgspec.field(default_factory=list)

    @property
    def share(self) -> float | None:
        """Called different; ``None`` before the first comparison."""
        return self.different / self.comparisons if self.comparisons else None

    @property
    def interval(self) -> Interval | None:
        """The exact 95 % interval of the share; ``None`` before the first comparison."""
        return clopper_pearson(self.different, self.comparisons) if self.comparisons else None

    @property
    def largest_ratio(self) -> float | None:
        """The farthest from 1 that was found, above 1; ``None`` where none was found."""
        return max((max(ratio, 1 / ratio) for ratio in self.ratios), default=None)


class NullResult(msgspec.Struct, frozen=True):
    """How often a program was called different from itself.

    Attributes
    ----------
    wanted : int
        Comparisons asked for; fewer were made where ``interrupted`` or ``out_of_time``.
    alpha : float
        The level at which each was tested: the share to expect.
    tallies : tuple of Tally
        The way that Steelyard compares, then the way that is shown beside it.
    built : bool
        Whether its arms were linked in two orders, rather than copied to two places.
    """

    kind: Kind
    command: str
    blocks: int
    seed: int
    alpha: float
    wanted: int
    tallies: tuple[Tally, Tally]
    interrupted: bool
    built: bool = False
    out_of_time: bool = False
