"""``ScalingModel`` and the parts of an answer: flat, typed, without numbers of how they were reached."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Literal

import msgspec

from steelyard.claims.evidence import Caution
from steelyard.core.units import Scalar
from steelyard.extensions.growth.algebra import CONSTANT, Growth

RankAnswer = Literal["match", "approximate", "none", "undecided"]
WarningKind = Literal[
    "few_points", "few_launches", "one_launch", "no_noise", "lack_of_fit", "edge", "segments", "zeros",
    "no_logarithms", "one_sided", "given_leading_term", "far", "simulated", "crowded", "failures",
    "one_point", "left_out", "bounded", "noise", "no_formula", "hidden", "misfit", "direction", "peak",
    "exact",
]  # fmt: skip


class ModelWarning(Caution, frozen=True):
    """Something a reader must know; ``kind`` for programs, ``words`` for people."""

    kind: WarningKind
    words: str


class Term(msgspec.Struct, frozen=True, gc=False):
    """``coefficient`` times a growth for each parameter, in the metric's unit."""

    coefficient: float
    growth: tuple[Growth, ...]

    def at(self, target: tuple[float, ...]) -> float:
        """Return the value at a point, one coordinate for each parameter."""
        product = 1.0
        for growth, x in zip(self.growth, target, strict=True):
            if not growth.is_constant:
                product *= growth.at(x)
        return self.coefficient * product

    def text(self, parameters: tuple[str, ...]) -> str:
        """``3.4e-07 * p^0.5 * log2(p)``: readable, and an expression in most languages."""
        factors = [f"{self.coefficient:.3g}"]
        for growth, name in zip(self.growth, parameters, strict=True):
            factors += _format_factors(growth, name)
        return " * ".join(factors)


@lru_cache(maxsize=4096)
def _format_factors(growth: Growth, name: str) -> tuple[str, ...]:
    factors = []
    if growth.power:
        factors.append(name if growth.power == 1 else f"{name}^{_format_plain(growth.power)}")
    if growth.log:
        factors.append(f"log2({name})" if growth.log == 1 else f"log2({name})^{_format_plain(growth.log)}")
    if growth.exp2:
        factors.append(f"2^({name})" if growth.exp2 == 1 else f"2^({growth.exp2}*{name})")
    return tuple(factors)


def _format_plain(value: object) -> str:
    text = str(value)
    return f"({text})" if "/" in text or text.startswith("-") else text


class Segment(msgspec.Struct, frozen=True):
    """One stretch of the parameter with a model of its own, both ends inside."""

    start: float
    end: float
    constant: float
    terms: tuple[Term, ...]


class Prediction(msgspec.Struct, frozen=True, gc=False):
    """The value at a point, with the interval that holds the truth with 95 % probability.

    ``low`` and ``high`` are ``None`` where the method has no interval (seed001).
    """

    at: tuple[float, ...]
    value: float
    low: float | None
    high: float | None


class RankProbability(msgspec.Struct, frozen=True):
    """What the posterior says about the rank; sums to 1."""

    match: float
    approximate: float
    none: float

    @property
    def within(self) -> float:
        """The probability that growth is within the limits of deviation."""
        return self.match + self.approximate

    def probability(self, rank: RankAnswer) -> float:
        """Return the probability that a stated rank is decided by; of an undecided one the larger of both."""
        if rank == "undecided":
            return max(self.within, self.none)
        return self.none if rank == "none" else self.within

    def answer(self, least: float, *, matches: bool) -> RankAnswer:
        """Return the rank that reaches ``least``, or undecided.

        Match and approximate count together, since an expectation allows both, and whether the formula that
        is shown ``matches`` tells them apart.
        """
        if self.within >= least:
            return "match" if matches else "approximate"
        return "none" if self.none >= least and not matches else "undecided"


class Validation(msgspec.Struct, frozen=True):
    """A model against an expectation, for the parameter that varies.

    Attributes
    ----------
    expectation, deviation : str
        As stated (the deviation as chosen, where it was not stated).
    at_most : bool
        The expectation is an upper bound: growth that is slower is a match.
    at_least : bool
        It is a lower bound of a rate: growth that is faster is a match.
    parameter : str
    divergence : Growth
        δ = G/E of the leading terms.
    rank : RankAnswer
        Asymptotic; undecided where neither none nor the other two together reach 0.8.
    probability : RankProbability
    scale : float or None
        The stated scale; ``rank_at_scale`` is the rank of what dominates there.
    """

    expectation: str
    deviation: str
    parameter: str
    divergence: Growth
    rank: RankAnswer
    probability: RankProbability
    scale: float | None = None
    rank_at_scale: RankAnswer | None = None
    at_most: bool = False
    at_least: bool = False

    @property
    def matches(self) -> bool:
        """Whether the leading term of the formula is the expected one, or on the right side of a bound."""
        within = (self.at_most and self.divergence < CONSTANT) or (
            self.at_least and self.divergence > CONSTANT
        )
        return self.divergence.is_constant or within


def value_of(constant: float, terms: Sequence[Term], target: tuple[float, ...]) -> float:
    """Return the value of a formula at a point."""
    return constant + sum(term.at(target) for term in terms)


class ScalingModel(msgspec.Struct, frozen=True, gc=False):
    """How one metric of one function grows.

    Attributes
    ----------
    name, metric, unit, labels : of the series
    parameters : tuple of str
    points, launches : int
        How many points; the fewest launches of one.
    constant : float
    terms : tuple of Term
        Fastest growing first; empty for a constant.
    lead : tuple of Growth
        The leading growth, one for each parameter.
    leading : tuple of tuple of Growth
        The terms that no other outgrows; several where parameters add up: p + n is not p n.
    posterior : float
        Probability of this lead; 1 by the method of Shudler et al. 2019, which states none.
    alternatives : tuple of (tuple of Growth, float)
        The most probable other leads.
    priors : Mapping of tuple of Growth to float
        Prior probability of each lead; where every lead is named, as rules need them, else empty.
    aggregate : str
        What stands for the repetitions of a point.
    noise_law : float
        t in sd ∝ value^t.
    lack_of_fit : float or None
        p value of the residuals against the noise; ``None`` where the noise is unknown.
    r2 : float or None
        Adjusted coefficient of determination; ``None`` for a constant.
    segments : tuple of Segment
        Empty where one model serves everywhere; ``constant`` and ``terms`` are of the last.
    method : str
    simulated : bool
        Whether the values come from a simulation of a machine.
    rate : bool
        The values are rates: ``constant`` and ``terms`` are of the time of a unit of work, their reciprocal.
        Everything else is of the rate.
    """

    name: str
    metric: str
    unit: str
    labels: Mapping[str, Scalar]
    parameters: tuple[str, ...]
    points: int
    launches: int
    constant: float
    terms: tuple[Term, ...]
    lead: tuple[Growth, ...]
    posterior: float
    alternatives: tuple[tuple[tuple[Growth, ...], float], ...]
    aggregate: str
    noise_law: float
    lack_of_fit: float | None
    r2: float | None
    segments: tuple[Segment, ...]
    method: str
    validation: Validation | None = None
    predictions: tuple[Prediction, ...] = ()
    warnings: tuple[ModelWarning, ...] = ()
    simulated: bool = False
    leading: tuple[tuple[Growth, ...], ...] = ()
    priors: Mapping[tuple[Growth, ...], float] = {}
    rate: bool = False

    @property
    def growth_probability(self) -> float | None:
        """The probability of the growth; the method of Shudler et al. 2019 states none."""
        return None if self.method == "seed001" else self.posterior

    @property
    def rank_probability(self) -> float | None:
        """The probability of the rank; of an undecided one, the larger of both. ``None`` without a rank."""
        if self.validation is None or self.method == "seed001":
            return None
        return self.validation.probability.probability(self.validation.rank)

    def at(self, *target: float) -> float:
        """Return the value of the model itself, one coordinate for each parameter."""
        return self._value_of(self.constant, self.terms, target)

    def at_measured(self, *target: float) -> float:
        """Return the value of the formula of the stretch in which a measured point lies."""
        for piece in self.segments:
            if piece.start <= target[0] <= piece.end:
                return self._value_of(piece.constant, piece.terms, target)
        return self.at(*target)

    def _value_of(self, constant: float, terms: Sequence[Term], target: tuple[float, ...]) -> float:
        value = value_of(constant, terms, target)
        if not self.rate:
            return value
        return 1 / value if value > 0 else math.inf

    def text(self) -> str:
        """Return the formula."""
        parts = ([f"{self.constant:.3g}"] if self.constant or not self.terms else []) + [
            term.text(self.parameters) for term in self.terms
        ]
        text = " + ".join(parts).replace("+ -", "- ")
        return f"1 / ({text})" if self.rate else text

    def _repr_markdown_(self) -> str:
        """Return what a notebook shows."""
        sure = "" if self.growth_probability is None else f" ({100 * self.growth_probability:.0f} %)"
        rows = [f"**{self.name or self.metric}** {self.growth()}{sure}", f"`{self.text()}`"]
        if self.validation is not None:
            rows.append(f"expected {self.validation.expectation}: {self.validation.rank}")
        return "\n\n".join(rows)

    def growth(self) -> str:
        """Return the leading term in big-O text, or the sum of those that no other outgrows."""
        if len(self.leading) > 1:
            return f"O({' + '.join(lead_text(term, self.parameters)[2:-1] for term in self.leading)})"
        return lead_text(self.lead, self.parameters)


def lead_text(lead: tuple[Growth, ...], parameters: tuple[str, ...]) -> str:
    """``O(p^0.5 size)``."""
    parts = [g.text(name) for g, name in zip(lead, parameters, strict=True) if not g.is_constant]
    return f"O({' '.join(parts) or '1'})"


class NotModelled(msgspec.Struct, frozen=True):
    """A series without a model, and why; the others go on."""

    name: str
    metric: str
    labels: Mapping[str, Scalar]
    reason: str
