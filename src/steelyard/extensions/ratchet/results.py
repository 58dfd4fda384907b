"""``Ledger``: what was tried, one change after another, and which of it is the best so far.

Its document is ``steelyard/ratchet``, and the ledger in a repository is the same. History: version 1, the
first.
"""

from __future__ import annotations

from typing import Final, Literal

import msgspec

from steelyard.results.document import Format
from steelyard.results.interval import Interval

Outcome = Literal["open", "faster", "not_faster", "not_confirmed", "unproven", "failed", "abandoned"]
"""``open``: being measured, or interrupted. ``not_faster``: the first look saw no gain. ``not_confirmed``:
fresh runs did not show the gain at the level that was left. ``unproven``: it looks faster, and too few builds
are known to tell a faster source from a lucky build; no confirmation began. ``failed``: it does not build,
does not run, or prints something else. ``abandoned``: another change was tried before this one was judged.
"""


class Attempt(msgspec.Struct, frozen=True):
    """One change against the best before it.

    Attributes
    ----------
    commit, tree : str
        A snapshot of the work tree, and the id of its files.
    against : str
        The commit that was the best.
    note : str
        The user's.
    gain : float or None
        Time of the best over that of the change, as the first look saw it.
    test : int or None
        Number of the confirmation among all, from 1; ``None`` where none began.
    level, p : float or None
        The level that all tests together leave this one, and p of "not faster by the margin", in fresh runs.
    confirmed_gain : float or None
        The gain in those runs; too large on average, since only large ones are kept: ``Total`` is not.
    why : str
        Of ``failed``: the reason.
    is_same_program : bool
        The build made the same bytes of the best and of the change.
    build_sd : float or None
        Standard deviation of the logarithm of a build's speed, which the confirmation allowed for; ``None``
        where layouts were drawn, or nothing was built.
    """

    number: int
    commit: str
    tree: str
    against: str
    note: str = ""
    outcome: Outcome = "open"
    gain: float | None = None
    test: int | None = None
    level: float | None = None
    p: float | None = None
    confirmed_gain: float | None = None
    why: str = ""
    is_same_program: bool = False
    build_sd: float | None = None


class Total(msgspec.Struct, frozen=True):
    """The gain of the best over the start, from runs that decided nothing.

    Attributes
    ----------
    ci95 : Interval or None
        ``None`` where it is unbounded.
    build_sd : float or None
        As of an attempt: what the interval allows for.
    """

    best: str
    gain: float
    ci95: Interval | None
    blocks: int
    build_sd: float | None = None


class Ledger(msgspec.Struct, frozen=True):
    """The question, the attempts in order, and the final gain.

    Attributes
    ----------
    start : str
        The commit that everything began with.
    words : tuple of str
        The program, started in a tree.
    build : str
        The command that builds a tree; empty where none does.
    error : float
        The expected fraction of false wins among all wins is at most this; where nothing is faster, it is the
        probability of any win.
    margin : float
        A win is faster by more than this fraction.
    place : str
        Where in a tree its build and the program start, relative to its top.
    stdout_sha256 : str or None
        Of what the start prints, and each change has to; ``None`` where that is not compared.
    """

    start: str
    words: tuple[str, ...]
    build: str
    metric: str
    error: float
    margin: float
    blocks: int
    seed: int
    stdout_sha256: str | None
    place: str = "."
    attempts: tuple[Attempt, ...] = ()
    totals: tuple[Total, ...] = ()

    @property
    def best(self) -> str:
        """The commit of the last win, or the start."""
        return next(
            (attempt.commit for attempt in reversed(self.attempts) if attempt.outcome == "faster"), self.start
        )

    @property
    def tests(self) -> int:
        """Confirmations that were begun, whatever became of them."""
        return sum(attempt.test is not None for attempt in self.attempts)

    @property
    def discoveries(self) -> tuple[int, ...]:
        """Numbers of the confirmations that were wins."""
        return tuple(
            attempt.test
            for attempt in self.attempts
            if attempt.outcome == "faster" and attempt.test is not None
        )


RATCHET: Final = Format("steelyard/ratchet", 1, Ledger, extra={"best": str})
