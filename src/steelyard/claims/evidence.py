"""Evidence of verdicts, and how documents show it. Only data; the words stand in ``report``."""

from __future__ import annotations

from typing import ClassVar, Literal

import msgspec

from steelyard.core.estimand import Estimand
from steelyard.core.units import Metric, Scalar
from steelyard.results.assumptions import Allowance
from steelyard.results.comparison import Decider
from steelyard.results.document import Lines
from steelyard.results.interval import Interval
from steelyard.results.undefined import Reason

Unit = Literal["block", "context", "instance", "launch", "repetition", "session", "two-sessions"]
"""What is counted by n: what is taken to be independent. ``launch`` where nothing pairs them; ``repetition``
within one process; ``session`` where each is a file of another tool, and ``two-sessions`` for the runs of two
files, one of each side."""

Scope = Literal["context", "process"]
"""What all runs share, where no contexts were drawn: one process, or the context of one."""


class Caution(msgspec.Struct, frozen=True):
    """A warning about a model; what makes models has the fields."""

    @property
    def words(self) -> str:
        """The warning as a sentence."""
        raise NotImplementedError


class Evidence(msgspec.Struct, frozen=True):
    """Evidence of a verdict in one stratum; that of a new kind of claim may stand beside its judge."""

    @property
    def bound_unit(self) -> str:
        """Unit of the bound that a claim names; empty where it names none."""
        return ""

    @property
    def is_approximate(self) -> bool:
        """Whether the claim holds only approximately, which ``--strict`` does not count."""
        return False

    @property
    def failure_probability(self) -> float | None:
        """Probability that the claim fails, by a model; ``None`` where a test decides."""
        return None

    @property
    def cautions(self) -> tuple[Caution, ...] | None:
        """Warnings about the model that it rests on; ``None`` where it rests on none."""
        return None


class TypicalEvidence(msgspec.Struct, frozen=True):
    """The typical run beside the mean: it can refute a claim, and never confirms one.

    Attributes
    ----------
    ratio : float
        In the words of the claim, the Hodges-Lehmann location.
    interval : Interval or None
        At its part of the level.
    p : float or None
        The smallest level of the claim at which it refutes, alone; ``None`` where it does not speak against.
    better, worse, n : int
        Blocks in which the treatment is better than the baseline, and worse, of all; pairs of launches where
        nothing pairs them.
    slow, slow_runs : str or None, int
        The treatment that has slow runs, where one of both has, and how many.
    """

    ratio: float
    interval: Interval | None
    level: float
    p: float | None
    method: str
    better: int
    worse: int
    n: int
    slow: str | None = None
    slow_runs: int = 0


class RatioEvidence(Evidence, frozen=True):
    """One treatment against another: for faster, slower and equivalent.

    Attributes
    ----------
    ratio : float or None
        In the words of the claim: a speedup, or for slower a slowdown. ``None`` where there is none.
    interval : Interval or None
        Of the ratio, at ``level``: it lies beyond the bound exactly where the stratum is decided, but for
        ``runs_to_show``.
    level : float
        1 minus its coverage.
    allowances : tuple of {"neighbours", "blocks", "tail", "looks"}
        What the interval allows for beyond its method, as in the answer.
    n, by : units of inference behind it
    resolvable : float or None
        The smallest relative difference from 1 that this n and spread would have shown with 80 % power.
    reason : str or None
        Reason for a missing ratio, or ``"failures"`` where runs failed or timed out.
    decided_by : {"mean", "typical"} or None
        What decided; ``None`` where nothing did.
    typical : TypicalEvidence or None
        ``None`` where no typical run is judged.
    runs_to_show : int or None
        Runs of each from which on slow runs, up to twice as long, that carry the ratio over the bound would
        have shown: no claim that a treatment is not worse holds before.
    scope : {"context", "process"} or None
        What all runs share, so that the interval holds for that one; ``None`` where contexts were drawn.
    """

    __lines__: ClassVar[Lines] = (
        "metric",
        "treatment",
        "baseline",
        "estimand",
        "ratio",
        "interval",
        "level",
        "p",
        "method",
        "allowances",
        "n",
        "unit_of_inference=by",
        "resolvable",
        "reason",
        "decided_by",
        "typical",
        "runs_to_show",
        "scope",
    )

    metric: Metric
    treatment: str
    baseline: str
    estimand: Estimand
    ratio: float | None
    interval: Interval | None
    level: float
    p: float | None
    method: str | None
    n: int
    by: Unit
    resolvable: float | None = None
    reason: Reason | Literal["failures"] | None = None
    decided_by: Decider | None = None
    typical: TypicalEvidence | None = None
    allowances: tuple[Allowance, ...] = ()
    runs_to_show: int | None = None
    scope: Scope | None = None


class MeanEvidence(Evidence, frozen=True):
    """The mean of one treatment against a bound.

    Attributes
    ----------
    s, u : float or None
        Standard deviation between units and standard uncertainty of the mean.
    interval : Interval or None
        Of the mean, at ``level``; ``None`` where so few units have none.
    quantile : float or None
        What ``mean`` and its interval are in place of the mean.
    unseen : float or None
        The share of runs that could be slow, twice the mean or half of a rate, and show in none; ``interval``
        allows for it. ``None`` of a quantile, of equal values, and where nothing was measured.
    units_needed : int or None
        Units that would decide, where nothing but unseen slow runs leaves it open.
    decided_by : {"mean", "typical", "least"} or None
        What decided: the mean (or quantile); the number of units beyond the bound; or the least that a mean
        of values that are at least 0 can be. ``None`` where nothing did.
    beyond, median : int, float or None
        Units on the wrong side of the bound, and the typical one; ``None`` of a quantile.
    scope : {"context", "process"} or None
        What all runs share, so that the interval holds for that one; ``None`` where contexts were drawn.
    """

    __lines__: ClassVar[Lines] = (
        "metric",
        "unit=metric.unit",
        "treatment",
        "mean",
        "s",
        "u",
        "interval",
        "level",
        "p",
        "n",
        "unit_of_inference=by",
        "reason",
        "quantile",
        "unseen",
        "units_needed",
        "decided_by",
        "beyond",
        "median",
        "scope",
    )

    metric: Metric
    treatment: str
    mean: float | None
    s: float | None
    u: float | None
    interval: Interval | None
    level: float
    p: float | None
    n: int
    by: Unit
    reason: Reason | Literal["failures"] | None = None
    quantile: float | None = None
    unseen: float | None = None
    units_needed: int | None = None
    decided_by: Decider | None = None
    beyond: int | None = None
    median: float | None = None
    scope: Scope | None = None

    @property
    def bound_unit(self) -> str:
        """Unit of the metric."""
        return self.metric.unit


class BestCandidate(msgspec.Struct, frozen=True):
    """A level beside the one that was chosen.

    Attributes
    ----------
    ratio : float or None
        How many times better the chosen one is, on units that had no part in choosing.
    possible : bool
        Whether this level may be the best: the interval of the ratio does not lie above 1.
    """

    level: Scalar
    ratio: float | None
    interval: Interval | None
    possible: bool


class BestEvidence(Evidence, frozen=True):
    """The level that looked best on some units, against the others on the rest.

    Attributes
    ----------
    chosen : Scalar or None
        ``None`` where nothing could be chosen.
    candidates : tuple of BestCandidate
        All others, in the order of the design.
    possible : tuple of Scalar
        The set not distinguishable from the best; it holds the best with probability 1 - ``level`` / 2 at
        least.
    selection, n : int
        Units that chose, and units that speak.
    scope : {"context", "process"} or None
        What all runs share, so that the interval holds for that one; ``None`` where contexts were drawn.
    """

    __lines__: ClassVar[Lines] = (
        "metric",
        "chosen",
        "possible",
        "candidates",
        "selection_n=selection",
        "n",
        "unit_of_inference=by",
        "level",
        "reason",
        "scope",
    )

    metric: Metric
    chosen: Scalar | None
    candidates: tuple[BestCandidate, ...]
    possible: tuple[Scalar, ...]
    selection: int
    n: int
    by: Unit
    level: float
    reason: Reason | Literal["failures"] | None = None
    scope: Scope | None = None


class BreaksEvidence(msgspec.Struct, frozen=True):
    """Scale from which a model passes a limit; ``at`` is ``None`` where the search found none."""

    __lines__: ClassVar[Lines] = (
        "name",
        "parameter",
        "breaks_at=at",
        "interval95",
        "above_until",
        "measured_up_to=measured",
        "warnings",
    )

    name: str
    parameter: str
    at: float | None
    earliest: float | None
    latest: float | None
    measured: float
    """The largest scale that was measured."""
    above_until: float | None = None
    """Where a value that begins above the limit falls to it."""
    warnings: tuple[Caution, ...] = ()
    """Of the model that says so."""

    @property
    def interval95(self) -> tuple[float | None, float | None]:
        """Scales between which it breaks."""
        return self.earliest, self.latest
