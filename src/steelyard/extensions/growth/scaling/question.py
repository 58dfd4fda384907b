"""What is asked of the data: method, space, expectations, scales."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Final, Literal

import msgspec

from steelyard.core.errors import UsageError
from steelyard.core.series import Series
from steelyard.extensions.growth.algebra import (
    CONSTANT,
    HALF,
    Growth,
    default_deviation,
    half_deviation,
    parse,
    parse_deviation,
)
from steelyard.extensions.growth.scaling.aggregate import AGGREGATES, RELATIVE_FLOOR, Aggregate
from steelyard.extensions.growth.scaling.spaces import (
    SearchSpace,
    default_space,
    mpi_study_space,
    seed001_space,
    user_space,
    wide_space,
)

Method = Literal["posterior", "seed001"]
"""How models are found: by the posterior over formulas, or by least squares as published."""
METHODS: Final[tuple[Method, ...]] = ("posterior", "seed001")
SPACES: Final = ("default", "seed001", "mpi-study", "wide")
SURE: Final = 0.8
"""A rank is stated when its probability reaches this."""
LISTED: Final = 8
"""Functions that an error lists."""


class Expectation(msgspec.Struct, frozen=True):
    """What a function should grow like.

    The texts are read when the question is put, so that errors point at them.

    Attributes
    ----------
    expect : str
        Big-O text.
    deviation : str or None
        D, how far off is still approximate, as big-O text; ``"half"`` is the leading exponent halved, as seed
        001 published it; where not stated one logarithmic factor, or half where that is less.
    at_most : bool
        ``expect`` is an upper bound: whatever grows no faster keeps it.
    at_least : bool
        ``expect`` is a lower bound, of a rate: whatever grows no more slowly keeps it.
    inverse : bool
        ``expect`` is stated of a rate, and read of the time of a unit of work.
    """

    expect: str
    deviation: str | None = None
    at_most: bool = False
    at_least: bool = False
    inverse: bool = False

    @property
    def parameters(self) -> frozenset[str]:
        """What the text of ``expect`` names."""
        return frozenset(parse(self.expect).parameters)

    def growth(self, parameter: str, along: Mapping[str, str]) -> Growth:
        """Return the leading term for the parameter that varies."""
        stated = parse(self.expect).growth(parameter, along)
        return CONSTANT / stated if self.inverse else stated

    def limit(self, parameter: str, along: Mapping[str, str]) -> Growth:
        """Return the deviation D."""
        if self.deviation is None:
            return default_deviation(self.growth(parameter, along))
        if self.deviation == HALF:
            return half_deviation(self.growth(parameter, along))
        return parse_deviation(self.deviation, parameter)


def expectations_of(
    at_most: Mapping[str, str],
    expect: Mapping[str, str],
    deviation: str | None = None,
    at_least: Mapping[str, str] = {},
) -> dict[str, Expectation]:
    """Return expectations by name: bounds from above and below, and growth that is expected and no other.

    Raises
    ------
    UsageError
        One name is in two of them.
    """
    stated = {"at most": at_most, "growth as": expect, "at least": at_least}
    for (words, texts), (second_words, second) in itertools.combinations(stated.items(), 2):
        for name in texts.keys() & second.keys():
            subject = "all functions" if name == "*" else repr(name)
            raise UsageError(
                f"{words} {texts[name]} and {second_words} {second[name]} are both stated of {subject}",
                hint="keep one of them: an upper bound is at-most",
            )
    upper = {name: Expectation(text, deviation, at_most=True) for name, text in at_most.items()}
    lower = {name: Expectation(text, deviation, at_least=True) for name, text in at_least.items()}
    return upper | lower | {name: Expectation(text, deviation) for name, text in expect.items()}


class Question(msgspec.Struct, frozen=True):
    """Everything that can be asked of a set of series.

    Attributes
    ----------
    expectations : Mapping of str to Expectation
        By name of the function, or name and metric with a blank between; the key ``"*"`` serves all others.
    parameter : str or None
        Which parameter varies in the expectations; ``None``: the only or the first one.
    along : Mapping of str to str
        Parameters that grow with another (weak scaling): ``{"n": "p"}``.
    scale : Mapping of str to float
        The scale of interest; ranks and predictions are given there too.
    targets : tuple of Mapping
        More points to predict.
    space : str or tuple of str
        Named space, or the user's own terms.
    negative : bool or None
        Search falling terms; ``None``: where the data fall.
    exponential : bool or None
        Search 2^x; ``None``: where the expectation is exponential. Whatever it is, a series whose points but
        the last need no exponential is modelled without.
    segments : bool
        Look for change points where one model does not fit.
    floor : float
        Smallest relative uncertainty of a point, for exact values.
    every_lead : bool or set of str
        Name every other lead and not only the most probable ones, of all functions or of those named: what is
        asked of two functions together rests on all.
    """

    method: Method = "posterior"
    expectations: Mapping[str, Expectation] = {}
    parameter: str | None = None
    along: Mapping[str, str] = {}
    scale: Mapping[str, float] = {}
    targets: tuple[Mapping[str, float], ...] = ()
    space: str | tuple[str, ...] = "default"
    aggregate: Aggregate | Literal["auto"] = "auto"
    negative: bool | None = None
    exponential: bool | None = None
    segments: bool = True
    floor: float = RELATIVE_FLOOR
    threads: int = 1
    every_lead: bool | frozenset[str] = False

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise UsageError(f"{self.method!r} is not a method", hint=f"use one of: {', '.join(METHODS)}")
        if self.aggregate not in ("auto", *AGGREGATES):
            raise UsageError(
                f"{self.aggregate!r} is not an aggregate", hint=f"use auto, {', '.join(AGGREGATES)}"
            )
        if isinstance(self.space, str) and self.space not in SPACES:
            raise UsageError(
                f"{self.space!r} is not a search space",
                hint=f"use one of: {', '.join(SPACES)}, or your own terms",
            )

    def expectation(self, name: str, metric: str = "") -> Expectation | None:
        """Return what is expected of a metric of a function.

        It may be stated for both (``"name metric"``), for the function, or for all.
        """
        if not self.expectations:
            return None
        for key in (f"{name} {metric}", name, "*"):
            if key in self.expectations:
                return self.expectations[key]
        return None

    def refuse_unmet(self, series: Sequence[Series]) -> None:
        """Refuse expectations that no series meets: a gate that judges nothing must not pass.

        Raises
        ------
        UsageError
            A key of ``expectations`` names neither a function nor a function and metric; the hint lists what
            there is.
        """
        names_of = {"*"}.union(
            *({function.name, f"{function.name} {function.metric}"} for function in series)
        )
        for key in self.expectations:
            if key not in names_of:
                names = list(dict.fromkeys(function.name for function in series if function.name))
                close = get_close_matches(key, [*names, *names_of], n=1)
                text = f" and {len(names) - LISTED} more" if len(names) > LISTED else ""
                listed = (
                    f"functions: {', '.join(names[:LISTED])}{text}" if names else "no function has a name"
                )
                raise UsageError(
                    f"--expect names {key!r}, which is not in the data",
                    hint=f"did you mean {close[0]!r}? {listed}" if close else listed,
                )

    def base_space(self, expectation: Growth | None, parameter: str, parameters: int = 1) -> SearchSpace:
        """Return the space of one parameter before the data widen it."""
        if isinstance(self.space, tuple):
            return user_space(self.space, parameter)
        if self.space == "mpi-study":
            return mpi_study_space()
        if self.space == "wide":
            return wide_space()
        if self.space == "seed001" or (self.method == "seed001" and expectation is not None):
            if expectation is None:
                raise UsageError(
                    "the space seed001 is built around an expectation", hint="state one: --expect 'O(log p)'"
                )
            space = seed001_space(expectation)
            if not space.terms:
                # The construction gives {1} for O(1); the study took the space of O(p log p) for it (§
                # 3.1.3).
                return mpi_study_space()
            return space
        return default_space(expectation, parameters=parameters)
