"""``NullResult``: the outcome of comparing a program with itself again and again.

Its document is ``steelyard/null``. History: version 1, the first; version 2 has no
``link_orders``, which were given up.
"""

from __future__ import annotations

from typing import ClassVar, Final, Literal

import msgspec

from steelyard.results.document import Format, Lines
from steelyard.results.interval import Interval

Kind = Literal["itself", "layout"]
Way = Literal["blocks", "sequential", "contexts", "one_context"]
"""``blocks``: randomised blocks. ``sequential``: all runs of one, then all of the other. ``contexts``: equal
contexts, a new one for each block. ``one_context``: randomised blocks in the context that each path makes."""


class Tally(msgspec.Struct, frozen=True):
    """Outcome of the comparisons of one way.

    Attributes
    ----------
    comparisons, different : int
        Made, and how many of them called the program different from itself.
    share : float or None
        Called different; ``None`` before the first comparison.
    ci95 : Interval or None
        The exact interval of the share.
    largest_ratio : float or None
        The speedup farthest from 1 that was found, above 1; ``None`` where none was found. The truth is 1.
    margin : float or None
        The smallest one inside of which nine of ten intervals lay, so that this machine resolves it with so
        many runs. ``None`` where intervals are unbounded.
    """

    way: Way
    comparisons: int
    different: int
    share: float | None
    ci95: Interval | None
    largest_ratio: float | None
    margin: float | None = None


class NullResult(msgspec.Struct, frozen=True):
    """Outcome of comparing a program with itself.

    Attributes
    ----------
    target : int
        ``wanted`` in documents: comparisons asked for; fewer were made where ``interrupted`` or
        ``out_of_time``.
    alpha : float
        The level at which each was tested: the share to expect.
    tallies : tuple of Tally
        The way that Steelyard compares, then the way that is shown beside it.
    """

    kind: Kind
    command: str
    blocks: int
    seed: int
    alpha: float
    target: int
    tallies: tuple[Tally, Tally]
    interrupted: bool
    out_of_time: bool = False
    __lines__: ClassVar[Lines] = (
        *("null=kind", "command", "alpha", "blocks", "seed", "wanted=target", "interrupted", "out_of_time"),
        "ways=tallies",
    )


NULL: Final = Format("steelyard/null", 2, NullResult)
