"""``Factorial``: effects of factors, of their levels, and declared contrasts."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import ClassVar, Literal

import msgspec

from steelyard.core.factorial import Axis, Kind
from steelyard.core.units import Metric, Scalar
from steelyard.results.assumptions import ONE_CONTEXT, assumptions
from steelyard.results.comparison import FreshRun
from steelyard.results.document import Lines
from steelyard.results.interval import Interval
from steelyard.results.undefined import LARGEST_LOG, Undefined

By = Literal["block", "context", "instance", "launch"]
Method = Literal[
    "block-contrast-t",
    "context-contrast-t",
    "instance-contrast-t",
    "unpaired-contrast-t",
    "block-contrast-sign",
    "context-contrast-sign",
    "instance-contrast-sign",
    "block-contrast-box",
    "context-contrast-box",
    "instance-contrast-box",
    "unpaired-welch-james",
    "lenth-pseudo-se",
    "no-error-term",
]


class LogEstimate(msgspec.Struct, frozen=True):
    """A contrast of logarithms.

    Attributes
    ----------
    log : float
        The estimate.
    se, nu : float or None
        Standard error and degrees of freedom of t; ``None`` without an error term, and where the units do not
        differ at all: then p is that of n equal signs, 2^(1-n), without an interval.
    p : float or None
        Two-sided, that the ratio is 1; ``None`` without an error term.
    """

    log: float
    se: float | None
    nu: float | None
    p: float | None
    method: Method

    @property
    def value(self) -> float | None:
        """The ratio; ``None`` where it leaves the range of double."""
        return math.exp(self.log) if abs(self.log) <= LARGEST_LOG else None


class Effect(msgspec.Struct, frozen=True):
    """A main effect or an interaction.

    Attributes
    ----------
    factors : tuple of str
        Axes that take part: one for a main effect.
    confounded : tuple of str
        Other effects whose contrast is the same one: which of them it is cannot be told.
    df : int
        Contrasts that it has; 1 where all its axes have two steps.
    q : float or None
        Half effect (Jain) on the natural logarithm of the metric, second step minus first; ``df`` 1.
    ratio : LogEstimate or None
        exp(±2q), above 1 where the second step is better; of an interaction, how much the speedup of one
        factor grows by the other's second step, as it shrinks by its first. ``None`` unless ``df`` is 1.
    ci95, ci_family : Interval or None
        Marginal, and at the level at which Holm tested.
    f : float or None
        The omnibus statistic where ``df`` is above 1, on ``nu1`` and ``nu2`` degrees of freedom.
    p, p_holm : float or None
        ``None`` without an error term.
    p_flips : float or None
        The exact test of all signs of the units, as a check of t; up to 14 of them, ``df`` 1.
    resolved : bool or None
        Whether Holm rejects that it is nothing; ``None`` without an error term, or where censored.
    resolvable : float or None
        The smallest relative difference that would have shown with 80 % power at the level tested; ``df`` 1.
    fresh : FreshRun or None
        What would resolve it, if it is as large as it was seen; where it is not resolved.
    share, omega2 : float, float or None
        Of the variation; see ``variation``.
    in_one_context : bool
        No context was drawn, so that p and interval hold for the one of all runs.
    """

    factors: tuple[str, ...]
    confounded: tuple[str, ...]
    df: int
    share: float
    omega2: float | None
    method: Method = "no-error-term"
    q: float | None = None
    ratio: LogEstimate | None = None
    ci95: Interval | None = None
    f: float | None = None
    nu1: float | None = None
    nu2: float | None = None
    p: float | None = None
    p_flips: float | None = None
    ci_family: Interval | None = None
    p_holm: float | None = None
    resolved: bool | None = None
    resolvable: float | None = None
    fresh: FreshRun | None = None
    in_one_context: bool = False
    __lines__: ClassVar[Lines] = (
        *("factors", "confounded", "df", "q", "ratio=ratio.value", "ci95", "ci_family", "method"),
        *("se_log=ratio.se", "nu=ratio.nu", "f", "nu1", "nu2", "p", "p_holm", "p_flips"),
        *("resolved", "resolvable", "fresh_run=fresh", "share", "omega2", "assumptions"),
    )

    @property
    def interaction(self) -> bool:
        """Whether several axes take part."""
        return len(self.factors) > 1

    @property
    def assumptions(self) -> tuple[str, ...]:
        """Assumptions of the method, and of those who apply it to other contexts."""
        return (*assumptions(self.method), *([ONE_CONTEXT] if self.in_one_context else []))


class LevelEffect(msgspec.Struct, frozen=True):
    """A step of an axis with more than two, against its first, over all others: an interval, no verdict."""

    factor: str
    step: int
    ratio: LogEstimate
    ci95: Interval | None
    __lines__: ClassVar[Lines] = ("factor", "step", "ratio=ratio.value", "ci95", "method=ratio.method")


class ConditionalEffect(msgspec.Struct, frozen=True):
    """Simple effect of a two-level factor at one level of another, where the two interact.

    It has an interval, and no verdict.
    """

    factor: str
    at: str
    step: int
    ratio: LogEstimate
    ci95: Interval | None
    __lines__: ClassVar[Lines] = (
        *("factor", "at", "step", "ratio=ratio.value", "ci95", "method=ratio.method"),
    )


class ContrastEffect(msgspec.Struct, frozen=True):
    """A contrast that the spec declares, in the family of these."""

    name: str
    ratio: LogEstimate
    ci95: Interval | None
    ci_family: Interval | None = None
    p_holm: float | None = None
    resolved: bool | None = None
    resolvable: float | None = None
    __lines__: ClassVar[Lines] = (
        *("name", "ratio=ratio.value", "ci95", "ci_family", "method=ratio.method", "p=ratio.p"),
        *("p_holm", "resolved", "resolvable"),
    )


class Factorial(msgspec.Struct, frozen=True):
    """The analysis of one stratum.

    Attributes
    ----------
    axes : tuple of Axis
        Crossed here, with the steps that were run.
    by, units : str, int
        What is independent, and how many of it.
    effects : tuple of Effect
        In the order of Yates; one Holm family.
    rest : float
        Share of the variation that no treatment explains.
    unassigned : float
        Share of contrasts that no effect is estimated from; of Plackett-Burman designs.
    censored : bool
        Runs timed out, or failed unequally often, or had more ranks than CPUs, so that nothing is judged.
    undefined : Undefined or None
        Why no effects were estimated.
    missing : tuple of int
        Treatments run and combinations there are, where they do not fit; else empty.
    """

    stratum: Mapping[str, Scalar]
    labels: Mapping[str, Scalar]
    metric: Metric
    axes: tuple[Axis, ...]
    kind: Literal["complete", "fraction", "screening"]
    design: Kind = "full"
    by: By = "block"
    units: int = 0
    blocks: int = 0
    treatments: int = 0
    unmatched: int = 0
    effects: tuple[Effect, ...] = ()
    levels: tuple[LevelEffect, ...] = ()
    conditional: tuple[ConditionalEffect, ...] = ()
    contrasts: tuple[ContrastEffect, ...] = ()
    rest: float = 0.0
    unassigned: float = 0.0
    censored: bool = False
    undefined: Undefined | None = None
    __lines__: ClassVar[Lines] = (
        *("metric", "stratum", "labels", "kind", "axes", "treatments", "by", "n=units", "blocks"),
        *("unmatched", "effects", "levels", "conditional", "contrasts", "rest", "unassigned"),
        *("censored", "undefined"),
    )
