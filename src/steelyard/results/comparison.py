"""``Comparison``: one treatment against its baseline, and all that is estimated of the two."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import ClassVar, Literal, Protocol

import msgspec

from steelyard.core.estimand import Estimand
from steelyard.core.sample import Treatment
from steelyard.core.units import Metric, Scalar
from steelyard.results.assumptions import ONE_CONTEXT, Allowance, Unit, assumptions, assumptions_with
from steelyard.results.budget import Budget
from steelyard.results.document import Lines, part
from steelyard.results.flags import Flag
from steelyard.results.interval import Interval
from steelyard.results.samples import Autocorrelation
from steelyard.results.undefined import Undefined

Difference = Literal["faster", "slower", "not_resolved"]
Relevance = Literal["above", "inside", "straddles"]
Verdict = Literal["faster", "slower", "equivalent", "not_resolved"]


class Distribution(Protocol):
    """The distribution that an interval and its p-values come from.

    Every one keeps this promise: ``p_of(r)`` is at most alpha exactly when ``interval(alpha)`` is bounded and
    leaves out r; or, of values that are only lower bounds, when what is left of the interval does.
    """

    def p_of(self, ratio: float) -> float:
        """Two-sided p of the hypothesis that the ratio is ``ratio``, above 0."""

    def interval(self, alpha: float) -> Interval | None:
        """Two-sided interval of the ratio at level 1 - ``alpha``; ``None`` where unbounded or down to 0."""


class Speedup(msgspec.Struct, frozen=True):
    """The ratio of two treatments, above 1 where the new one is better, estimated on the scale of logarithms.

    Attributes
    ----------
    log, se : float
        Estimate of log speedup and its standard error; ``se`` is 0 where the units do not differ at all, and
        where a median has no bounded interval to take it from.
    nu : float or None
        Degrees of freedom; ``None`` for methods that have none.
    n : int
        Units: blocks, contexts or instances; launches of both together for the unpaired methods.
    p : float
        Two-sided, of the hypothesis that the ratio is 1.
    unit : {"block", "context", "instance", "unpaired"}
        What is counted as independent.
    kind : str
        How it is estimated: ``log-ratio-t``. Where the units do not differ at all, so that no t exists:
        ``log-ratio-sign`` (p = 2^(1-n), the interval of the sign test) and ``log-ratio-permutation``
        (p = 2 / C(n, n_old)), which claim no more than n equal signs can; and ``log-ratio-repeated``
        (p = 2^(1-2r)) of counts that repeat to the bit in r runs of each treatment.
    distribution : Distribution
        Where p and interval come from.
    estimand : str
        What it is an estimate of.
    least_p : float
        No hypothesis has a smaller p, and no interval a level below it: of a ratio of means, the p of a mean
        of 0, since a mean that one value dominates tells nothing of its logarithm.
    one_sided : bool
        Whether values that are only bounds leave one end of the interval open.
    allowances : tuple of {"neighbours", "blocks", "tail", "looks"}
        What p and interval allow for beyond their method: likeness of neighbours, noise of the blocks of
        contexts, the tail of the treatment that varies more, looks.
    """

    log: float
    se: float
    nu: float | None
    n: int
    p: float
    unit: Unit
    kind: str
    distribution: Distribution
    estimand: Estimand = "geomean_ratio"
    least_p: float = 0.0
    one_sided: bool = False
    allowances: tuple[Allowance, ...] = ()

    @property
    def value(self) -> float:
        """The ratio."""
        return math.exp(self.log)

    @property
    def method(self) -> str:
        """Unit and kind in one name: ``block-log-ratio-t``."""
        return f"{self.unit}-{self.kind}"

    @property
    def assumptions(self) -> tuple[str, ...]:
        """Assumptions of p and interval."""
        return assumptions_with(self.unit, self.kind, self.allowances)

    def interval(self, alpha: float = 0.05) -> Interval | None:
        """Return the two-sided interval at level 1 - ``alpha``.

        ``None`` where it has no bound. It excludes 1 exactly when p <= ``alpha``.
        """
        return self.distribution.interval(alpha)

    def p_of(self, ratio: float) -> float:
        """Two-sided p of the hypothesis that the ratio is ``ratio``, which must be positive.

        It is at most alpha exactly when the interval at that level excludes it.
        """
        return self.distribution.p_of(ratio)


class AdjustedSpeedup(msgspec.Struct, frozen=True):
    """The ratio of arithmetic means and two answers to "give or take how much".

    The ratio is S = mean_A / mean_B (Eq. 7 of DOI 10.1145/2851553.2851573).

    Attributes
    ----------
    u : float
        Combined standard uncertainty of S, from the standard uncertainties of the means (Eq. 5 in Eq. 6),
        with their covariance where units are paired. It shrinks with n.
    spread : float
        Eq. 10 with standard deviations of single values, as plotted in the paper: what the ratio of one
        future launch of each varies by. It does not shrink with n.
    nu : float
        Degrees of freedom of ``u``: n - 1 paired, Welch-Satterthwaite unpaired (GUM G.4).
    paired : bool
    ci95 : Interval or None
        S exp(-+ t u / S), the delta method on logarithms: positive, and the reciprocal of what 1 / S would
        get. ``None`` where unbounded.
    """

    value: float
    u: float
    spread: float
    nu: float
    paired: bool
    ci95: Interval | None


class FreshRun(msgspec.Struct, frozen=True):
    """A new run in the same design that would resolve a comparison; nothing of this one is used again.

    Attributes
    ----------
    difference : float
        Relative; the one that was seen, which chance has made larger or smaller.
    margin : float or None
        What it would decide, with 80 % power if the difference is real: on which side of this it lies;
        ``None``: whether there is any.
    blocks : int
        Complete ones; in several passes whole ones.
    seconds : float or None
        At the pace of this record.
    instances : int or None
        As many problem instances, where these are the units; more blocks of fewer would not do.
    machines : int or None
        As many machines, where these are the units, each with as many blocks as here.
    """

    difference: float
    margin: float | None
    blocks: int
    seconds: float | None
    instances: int | None = None
    machines: int | None = None


BetterMethod = Literal["share-of-blocks", "share-of-contexts", "share-of-pairs"]


class Better(msgspec.Struct, frozen=True):
    """Fraction of blocks, of contexts, or of all pairs of launches in which the treatment is better.

    Attributes
    ----------
    value : float
        Equal ones count half.
    p : float or None
        Of pairs of launches: Brunner and Munzel's against 1/2, by permutation (``permuted``) where a sample
        has fewer than 15 launches or nothing overlaps.
    """

    value: float
    ci95: Interval
    method: BetterMethod
    p: float | None = None
    permuted: bool = False


class NoncentralDistribution(Protocol):
    """The distribution of a standardised difference."""

    def interval(self, alpha: float) -> Interval:
        """Two-sided at level 1 - ``alpha``."""


class Standardised(msgspec.Struct, frozen=True):
    """A difference over the standard deviation that it is seen against (Cohen's d)."""

    value: float
    distribution: NoncentralDistribution
    __lines__: ClassVar[Lines] = ("value", "ci95=interval")

    def interval(self, alpha: float = 0.05) -> Interval:
        """All true values under which the observed one is in neither tail (Steiger and Fouladi 1997)."""
        return self.distribution.interval(alpha)


class Typical(msgspec.Struct, frozen=True):
    """Location of the ratio, above 1 where the treatment is better; in no family, and without a verdict.

    Attributes
    ----------
    ci95 : Interval or None
        ``None`` where there are too few units to bound it: below six blocks.
    n : int
        Units looked at: blocks, contexts, or launches of both samples.
    p : float
        Of the rank test that the interval belongs to, two-sided.
    p_method : str
        ``exact``, ``exact-ties`` or ``normal``.
    standardised : Standardised or None
        Mean log-ratio in standard deviations of a unit's log-ratio; without blocks, in the pooled one of
        launches. ``None`` without spread.
    """

    value: float
    ci95: Interval | None
    method: Literal["signed-rank", "rank-sum"]
    n: int
    p: float
    p_method: str
    better: Better
    standardised: Standardised | None = None
    __lines__: ClassVar[Lines] = (
        "value",
        "ci95",
        "method",
        "n",
        "p",
        "p_method",
        "better",
        "standardised",
        "assumptions",
    )

    @property
    def assumptions(self) -> tuple[str, ...]:
        """Assumptions of the method."""
        return assumptions(self.method)


class QuantileSpeedup(msgspec.Struct, frozen=True):
    """The ratio of one quantile of both treatments, above 1 where the treatment is better.

    Attributes
    ----------
    quantile : float
        ``of`` in documents: the fraction of runs that do not exceed it; of what is better higher, that do
        not fall below it.
    ci95 : Interval or None
        ``None`` where so few runs do not bound that quantile.
    """

    quantile: float = msgspec.field(name="of")
    value: float
    ci95: Interval | None


class SlowMode(msgspec.Struct, frozen=True):
    """Slow runs of one treatment, where the other has none.

    Attributes
    ----------
    treatment : Treatment
    runs, n : int
        Slow ones, and all of them.
    share95 : Interval
        Exact interval of the fraction of slow runs.
    times : float
        Median of the slow runs over that of the rest.
    within : float
        Speedup of the rest: the ratio of the medians of the runs that are not slow.
    lowest, highest : float
        Speedup of the geometric means with the fraction of slow runs at either end of its interval.
    """

    treatment: Treatment
    runs: int
    n: int
    share95: Interval
    times: float
    within: float
    lowest: float
    highest: float

    def decides(self, margin: float | None = None) -> bool:
        """Whether the fraction of slow runs decides which treatment is the better one.

        Or whether it decides that both are equal within ``margin``.
        """
        bounds = (1.0,) if margin is None else (1 - margin, 1.0, 1 + margin)
        return any(self.lowest < bound < self.highest for bound in bounds)


class TypicalRatio(msgspec.Struct, frozen=True):
    """The ratio of a typical run, as it is judged beside the mean.

    Attributes
    ----------
    ratio : Speedup
        The Hodges-Lehmann location, by ranks.
    better, worse, n : int
        Blocks or contexts in which the treatment is better, and worse, of all; of pairs of launches where
        nothing pairs them.
    slow : SlowMode or None
        Slow runs that one of both has, a single one included.
    """

    ratio: Speedup
    better: int
    worse: int
    n: int
    slow: SlowMode | None = None


Decider = Literal["mean", "typical", "least"]
"""What decided: the estimand that was declared; the typical run beside it; or, of a limit, the least that a
mean of values that are at least 0 can be."""


class Comparison(msgspec.Struct, frozen=True):
    """One treatment against its baseline.

    Attributes
    ----------
    labels : Mapping[str, Scalar]
        That the program put on the values of both samples.
    blocks : int
        That both have; launches of each in a sequential order; 0 where the ratio is undefined.
    contexts : int or None
        Where contexts are the units of inference.
    speedup : Speedup or Undefined
        Above 1 where the treatment is better.
    ci95 : Interval or None
        Marginal; ``None`` where unbounded or undefined. Where verdicts end the run: over all looks.
    autocorrelation : Autocorrelation or None
        Of the differences of blocks in the order of time; of the worse sample where nothing pairs them.
    ci_family : Interval or None
        At the level at which Holm tested this comparison: excludes 1 exactly when it was rejected. ``None``
        too where not judged.
    ci_relevance : Interval or None
        At the level at which Holm, over the decisions about the margin, judged this one (twice that for
        equivalence by one-sided tests): wholly beyond or wholly inside the margin exactly when that was
        decided, but for ``blocks_to_show``. ``None`` without a margin.
    blocks_to_show : int or None
        Blocks from which on slow runs, up to twice as long, that carry the mean over the margin would have
        shown: it is not called equivalent before.
    p, p_holm : float or None
        ``p_holm`` only where judged: adjusted over the family, by Holm unless false discoveries are what is
        bounded.
    p_relevance : float or None
        Of the decision about the margin, after Holm; ``None`` without a margin.
    difference : {"faster", "slower", "not_resolved"} or None
        By the adjusted test. ``None`` for a metric that is not judged, as are the three fields below.
    relevance : {"above", "inside", "straddles"} or None
        Where a margin m is declared: ``ci_relevance`` wholly beyond 1 + m or 1 - m, between them, or neither.
    verdict : {"faster", "slower", "equivalent", "not_resolved"} or None
        By relevance, in the direction of the ratio; ``difference`` without a margin.
    resolvable : float or None
        The smallest relative difference that this n and spread would have shown with 80 % power at the level
        tested.
    refused : bool
        No verdict because of runs that failed or timed out, had more ranks than CPUs, or of which one
        treatment has slow ones whose share decides.
    exploratory : bool
        What it is judged by was chosen after the run: the verdict is a hint, and counts nowhere.
    instances : int or None
        Where problem instances are the units of inference.
    budget : Budget or None
        What the uncertainty is made of, where it was propagated.
    typical : Typical or None
        What a typical run gains; of the primary metric alone.
    quantiles : tuple of QuantileSpeedup
        The shift function (Doksum 1974, DOI 10.1214/aos/1176342662) as ratios; of the primary metric alone.
    slow : SlowMode or None
        Slow runs that one of both has; where their fraction decides, no mean is judged.
    fresh : FreshRun or None
        What would resolve it, where it is not resolved and a new run could.
    beside : TypicalRatio or None
        The typical run, where it is judged beside the mean.
    decided_by : {"mean", "typical"} or None
        What decided about the margin; ``None`` where nothing did, or without a margin.
    in_one_context : bool
        No context was drawn, so that p and interval hold for the one of all runs.
    """

    baseline: Treatment
    treatment: Treatment
    metric: Metric
    stratum: Mapping[str, Scalar]
    labels: Mapping[str, Scalar]
    blocks: int
    contexts: int | None
    speedup: Speedup | Undefined
    adjusted: AdjustedSpeedup | None
    ci95: Interval | None
    p: float | None
    resolvable: float | None
    flags: tuple[Flag, ...]
    autocorrelation: Autocorrelation | None = None
    ci_family: Interval | None = None
    ci_relevance: Interval | None = None
    p_relevance: float | None = None
    p_holm: float | None = None
    family_size: int | None = None
    difference: Difference | None = None
    relevance: Relevance | None = None
    verdict: Verdict | None = None
    estimand: Estimand = "geomean_ratio"
    refused: bool = False
    exploratory: bool = False
    instances: int | None = None
    budget: Budget | None = None
    typical: Typical | None = None
    fresh: FreshRun | None = None
    slow: SlowMode | None = None
    quantiles: tuple[QuantileSpeedup, ...] = ()
    beside: TypicalRatio | None = None
    decided_by: Decider | None = None
    blocks_to_show: int | None = None
    in_one_context: bool = False
    __lines__: ClassVar[Lines] = (
        *("baseline", "treatment", "metric", "stratum", "labels", "estimand"),
        *("blocks", "contexts", "instances"),
        part(
            "speedup",
            "value=speedup.value",
            *("ci95", "ci_family", "ci_relevance"),
            "method=speedup.method",
            "allowances=speedup.allowances",
            "nu=speedup.nu",
            "n=speedup.n",
            "se_log=speedup.se",
            "assumptions",
            "undefined=speedup.undefined",
        ),
        "adjusted_speedup=adjusted",
        *("p", "p_holm", "p_relevance", "family_size", "difference", "relevance", "verdict", "decided_by"),
        "blocks_to_show",
        *("exploratory", "resolvable", "budget", "flags", "typical", "fresh_run=fresh"),
        *("slow_mode=slow", "quantiles"),
        *("r1=autocorrelation.r1", "n_eff=autocorrelation.n_eff"),
    )

    @property
    def assumptions(self) -> tuple[str, ...]:
        """Assumptions of p and interval, and of those who apply them to other contexts."""
        return _list_assumptions(self.speedup, in_one_context=self.in_one_context)


class SpeedupRatio(msgspec.Struct, frozen=True):
    """The speedup at one level of a factor over that at another.

    Attributes
    ----------
    factor : str
    level, reference : Scalar
        Of the factor: where the speedup of the numerator, and of the denominator, was measured.
    treatment, baseline : Treatment
        Whose speedup it is, at ``level``.
    reference_treatment, reference_baseline : Treatment
        The same at ``reference``.
    labels : Mapping[str, Scalar]
        That the program put on the values.
    ratio : Speedup or Undefined
        Above 1 where the speedup at ``level`` is the larger one.
    p_holm : float or None
        Over all ratios of speedups.
    refused : bool
        Nothing is judged, because of runs of the four that failed, timed out, or had more ranks than CPUs.
    change : {"larger", "smaller", "not_resolved"}
        By the adjusted test, unless refused.
    in_one_context : bool
        No context was drawn, so that p and interval hold for the one of all runs.
    """

    factor: str
    level: Scalar
    reference: Scalar
    treatment: Treatment
    baseline: Treatment
    reference_treatment: Treatment
    reference_baseline: Treatment
    labels: Mapping[str, Scalar]
    ratio: Speedup | Undefined
    ci95: Interval | None = None
    ci_family: Interval | None = None
    p_holm: float | None = None
    refused: bool = False
    change: Literal["larger", "smaller", "not_resolved"] = "not_resolved"
    in_one_context: bool = False
    __lines__: ClassVar[Lines] = (
        *("factor", "level", "reference"),
        *("treatment", "baseline", "reference_treatment", "reference_baseline"),
        *("labels", "value=ratio.value", "ci95", "ci_family"),
        *("method=ratio.method", "nu=ratio.nu", "n=ratio.n", "p=ratio.p", "p_holm", "change"),
        *("assumptions", "undefined=ratio.undefined"),
    )

    @property
    def assumptions(self) -> tuple[str, ...]:
        """Assumptions of p and interval, and of those who apply them to other contexts."""
        return _list_assumptions(self.ratio, in_one_context=self.in_one_context)


def _list_assumptions(ratio: Speedup | Undefined, *, in_one_context: bool) -> tuple[str, ...]:
    if isinstance(ratio, Undefined):
        return ratio.assumptions
    return (*ratio.assumptions, *([ONE_CONTEXT] if in_one_context else []))
