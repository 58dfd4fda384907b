"""``Bisection``: the commits of which one changed a program, and how sure that is.

Its document is ``steelyard/bisection``. History: version 1, the first; ``no_change``, ``several``,
``between_builds``, ``is_named``, ``refused`` and ``layouts`` came
later.
"""

from __future__ import annotations

from typing import Final, Literal

import msgspec

from steelyard.core.units import Metric
from steelyard.results.direction import Direction
from steelyard.results.document import Format
from steelyard.results.interval import Interval

Likeness = Literal["good", "bad", "between", "open"]
"""``between``: unlike both, so that several commits changed the program. ``open``: not told apart yet."""


class Candidate(msgspec.Struct, frozen=True):
    """A commit that may have made the change, the first line of its message, and its probability."""

    commit: str
    subject: str
    probability: float


class ComparedCommit(msgspec.Struct, frozen=True):
    """A commit that was measured beside both ends.

    Attributes
    ----------
    blocks : int
        In which it ran.
    ratio : float
        Over the good end, in the same blocks.
    p_bad : float
        Probability that it behaves as the bad end, by its own blocks alone and with what builds differ by.
    """

    commit: str
    blocks: int
    ratio: float
    p_bad: float
    like: Likeness


class SkippedCommit(msgspec.Struct, frozen=True):
    """A commit that could not be measured, and the reason."""

    commit: str
    why: str


class Bisection(msgspec.Struct, frozen=True):
    """The outcome of ``steelyard bisect``.

    Attributes
    ----------
    good, bad : str
        The ends.
    commits : int
        Behind the good end, up to the bad one.
    error : float
        Stated: of finding a difference between ends that are equal, and of missing the commit.
    ratio, ci95 : float and Interval
        Bad over good.
    p : float
        That ends which are equal differ as much, over all looks at them.
    end_blocks : int
        In which both ends ran.
    candidates : tuple of Candidate
        Oldest first. Empty where the ends do not differ, or no more than builds of one source do.
    probability : float
        Of the candidates together; the rest is that of other commits and of ``no_change``.
    resolvable : float or None
        Where the ends do not differ: the smallest difference that would probably have been detected.
    no_change : float or None
        Probability that no commit changed the program, and the ends differ as builds of one source do.
    several : float or None
        Probability that more than one commit changed it.
    between_builds : float or None
        Relative standard deviation between builds of one source, as the builds show it.
    is_named : bool
        Whether it is as sure as stated that a commit made the change.
    refused : bool
        The ends got no verdict, since slow or failed runs of one, whose share is not known, would decide.
    layouts : int
        Blocks of both ends, each with builds of its own, in a layout that was drawn; 0 where each commit is
        one build.
    """

    program: str
    metric: Metric
    good: str
    bad: str
    commits: int
    error: float
    ratio: float
    ci95: Interval
    p: float
    direction: Direction
    end_blocks: int
    candidates: tuple[Candidate, ...]
    probability: float
    tested: tuple[ComparedCommit, ...]
    skipped: tuple[SkippedCommit, ...]
    resolvable: float | None = None
    ended_early: bool = False
    no_change: float | None = None
    several: float | None = None
    between_builds: float | None = None
    is_named: bool = False
    refused: bool = False
    layouts: int = 0


BISECTION: Final = Format("steelyard/bisection", 1, Bisection)
