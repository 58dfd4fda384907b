"""``Explanation``: what each function adds to the difference between two programs.

Its document is ``steelyard/explanation``. History: version 1, the first; ``layouts``, ``validations`` and
``compiled`` came later.
"""

from __future__ import annotations

from typing import ClassVar, Final, Literal

import msgspec

from steelyard.core.units import Metric
from steelyard.extensions.explain.profiles import Chain, Function
from steelyard.results.document import Format, Lines
from steelyard.results.interval import Interval

Presence = Literal["both", "new", "gone"]
"""``new``: only the new program spends time in it; ``gone``: only the old one does."""
Validity = Literal["confirmed", "refuted", "not_resolved", "not_tested"]
"""``confirmed``: with the object of OLD at least half of the contribution is gone; ``refuted``: at least half
of it stays; ``not_resolved``: neither is shown; ``not_tested``: there is no such program."""
Trust = Literal["alike", "changed", "not_resolved"]
"""What sampling does to the difference. ``alike``: shown to change it by less than the margin; ``changed``:
shown to change it by more; ``not_resolved``: neither."""


class CountChange(msgspec.Struct, frozen=True):
    """Instructions and calls of a function in one run of each program, by callgrind."""

    old_instructions: int
    new_instructions: int
    old_calls: int
    new_calls: int


class Contribution(msgspec.Struct, frozen=True):
    """What one function adds to the difference.

    Attributes
    ----------
    name, place, file, line
        Of the new program; where it is gone, of the old one.
    old_name : str or None
        In the old program, where it has another name there.
    presence : {"both", "new", "gone"}
    old_s, new_s : float
        Own time in a run: mean over blocks.
    inclusive_old_s, inclusive_new_s : float
        With that of everything it calls.
    value : float
        New minus old, as a fraction of the mean time of the old program without sampling.
    ci95 : Interval or None
        Of it; where it is named, given that it is. ``None`` without a spread.
    p : float
        That there is no difference, adjusted over all functions.
    named : bool
        Whether the difference is shown, with one error over all functions.
    counts : CountChange or None
        With ``--counts``.
    """

    name: str
    place: str
    file: str
    line: int
    old_name: str | None
    presence: Presence
    old_s: float
    new_s: float
    inclusive_old_s: float
    inclusive_new_s: float
    value: float
    ci95: Interval | None
    p: float
    named: bool
    counts: CountChange | None = None

    @property
    def is_interpreted(self) -> bool:
        """Whether it is a function of Python, whose code no linker places."""
        return self.file.endswith(".py")

    @property
    def is_other_work(self) -> bool | None:
        """Whether it executes other instructions or has other calls; ``None`` where that was not counted."""
        if self.presence != "both":
            return True
        counts = self.counts
        if counts is None or not (counts.old_instructions and counts.new_instructions):
            return None
        changes = (
            (counts.old_instructions, counts.new_instructions),
            (counts.old_calls, counts.new_calls),
        )
        return any(abs(new - old) > SAME_WORK * max(old, 1) for old, new in changes)


class Remainder(msgspec.Struct, frozen=True):
    """A part of the difference that is of no single function."""

    value: float
    ci95: Interval | None


class Pool(msgspec.Struct, frozen=True):
    """Functions with too few samples to be judged one by one, which are judged together."""

    functions: int
    value: float
    ci95: Interval | None
    p: float
    named: bool


class SamplerEffect(msgspec.Struct, frozen=True):
    """What sampling changes.

    Attributes
    ----------
    old, new : float
        Of each program: sampled over plain, minus 1. CPU time.
    difference : float
        Of the difference, as a fraction of the time of the old program.
    ci95 : Interval or None
        Of ``difference``.
    margin : float
        Change of the difference that would be too much.
    """

    old: float
    new: float
    difference: float
    ci95: Interval | None
    margin: float
    trust: Trust


class ArmQuality(msgspec.Struct, frozen=True):
    """How good the samples of one program are.

    Attributes
    ----------
    samples : float
        In a run, mean.
    unnamed : float
        Fraction of its time in its own code that has no symbol.
    rooted : float
        Fraction of its time whose call chain reaches the start of a thread.
    lost : int
        Samples lost in all runs.
    compiled : float
        Fraction of its time in code that was compiled at run time and has no name.
    """

    samples: float
    unnamed: float
    rooted: float
    lost: int
    compiled: float = 0.0


class Node(msgspec.Struct, frozen=True):
    """A call chain with its time in both programs, seconds in a run."""

    chain: Chain
    old_s: float
    new_s: float


class Validation(msgspec.Struct, frozen=True):
    """What is left of the difference with a part of the old program in the new one.

    Attributes
    ----------
    object : str
        An object, as ``--objects`` names it, or a file of ``--sources`` with the lines of the new program.
    functions : tuple of str
        Named functions that it has.
    contribution, contribution_ci95 : float and Interval or None
        Theirs, together.
    change, ci95 : float or None, and Interval or None
        The new program with the part over the old one, minus 1: ratio of means.
    undone, undone_ci95 : float or None, and Interval or None
        What the part takes away, as a fraction of the time of the old program.
    blocks : int
    reason : str
        Why it was not tested.
    """

    object: str
    functions: tuple[str, ...]
    contribution: float
    contribution_ci95: Interval | None
    verdict: Validity
    change: float | None = None
    ci95: Interval | None = None
    undone: float | None = None
    undone_ci95: Interval | None = None
    blocks: int = 0
    reason: str = ""


class Explanation(msgspec.Struct, frozen=True):
    """The outcome of ``steelyard explain``.

    Attributes
    ----------
    old, new : str
        Commands.
    old_s, new_s : float
        Mean time of a run without sampling.
    change, ci95 : float and Interval or None
        New over old, minus 1: ratio of means.
    blocks : int
        In which all four ran.
    contributions : tuple of Contribution
        What is named first, then by size.
    pool : Pool or None
        Functions with few samples.
    waiting : Remainder or None
        Time without a CPU, where the metric is wall_s.
    unnamed : Remainder
        Functions that are judged one by one and not named, together.
    remainder : Remainder
        The rest, so that all parts add up to ``change``: what differs between plain and sampled runs.
    sampler : SamplerEffect
    detectable : float or None
        Contribution of a function in the median that would just be named.
    alpha : float
        Probability of naming any function of equal programs.
    layouts : int
        Layouts of the code that were drawn, one for each block; 0: two builds were compared.
    validations : tuple of Validation
    """

    old: str
    new: str
    metric: Metric
    old_s: float
    new_s: float
    change: float
    ci95: Interval | None
    blocks: int
    contributions: tuple[Contribution, ...]
    pool: Pool | None
    waiting: Remainder | None
    unnamed: Remainder
    remainder: Remainder
    sampler: SamplerEffect
    old_quality: ArmQuality
    new_quality: ArmQuality
    detectable: float | None
    alpha: float
    seed: int
    chains: tuple[Node, ...] = ()
    layouts: int = 0
    validations: tuple[Validation, ...] = ()
    __lines__: ClassVar[Lines] = (
        *("old", "new", "metric", "old_s", "new_s", "change", "ci95", "blocks", "contributions", "pool"),
        *(
            "waiting",
            "unnamed",
            "remainder",
            "sampler",
            "old_quality",
            "new_quality",
            "detectable",
            "alpha",
            "seed",
            "layouts",
            "validations",
        ),
    )

    @property
    def named(self) -> tuple[Contribution, ...]:
        """Functions whose difference is shown; none where sampling changes the difference."""
        if self.sampler.trust == "changed":
            return ()
        return tuple(entry for entry in self.contributions if entry.named)

    @property
    def of_builds(self) -> tuple[Contribution, ...]:
        """Named functions that may differ by their layout alone: neither drawn layouts nor counts tell."""
        if self.layouts:
            return ()
        return tuple(entry for entry in self.named if not entry.is_other_work and not entry.is_interpreted)

    @property
    def is_resolved(self) -> bool:
        """Whether the programs differ."""
        return self.ci95 is not None and self.ci95.excludes(0.0)


MUCH_UNNAMED: Final = 0.2
"""Fraction of a program's own time without a symbol, above which its code is one row."""
SAME_WORK: Final = 1e-4
"""Relative difference of instructions below which a function does the same."""
EXPLANATION: Final = Format("steelyard/explanation", 1, Explanation)

__all__ = [
    "EXPLANATION",
    "ArmQuality",
    "Contribution",
    "CountChange",
    "Explanation",
    "Function",
    "Node",
    "Pool",
    "Remainder",
    "SamplerEffect",
    "Validation",
]
