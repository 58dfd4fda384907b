"""``Analysis``: what an experiment declared, before it ran, that it would compare, and how sure one must be.

It is the table ``[analysis]`` of a spec, the part of an ``Experiment``, and what ``stats`` is asked.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal

import msgspec
from msgspec import Meta

from steelyard.core.estimand import Estimand, IntervalKind, OnFailures, Uncertainty
from steelyard.core.units import Scalar

Family = Literal["baseline", "all-pairs"]
_Size = Annotated[float, Meta(gt=0)] | None


class TypeB(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Error of the primary metric's values that repetition does not show.

    It is stated by its standard uncertainty or by one of two sizes: no number of runs averages it out (GUM
    4.3, Type B).
    """

    measured: ClassVar[bool] = False
    """Whether it comes from the record instead of the spec."""

    name: Annotated[str, Meta(description="What it is: `synchronisation of clocks`.")]
    u: Annotated[_Size, Meta(description="Standard uncertainty, in the unit of the metric.")] = None
    half_width: Annotated[
        _Size, Meta(description="The error lies anywhere within this of 0: u = half_width / √3.")
    ] = None
    step: Annotated[_Size, Meta(description="Values come in steps of this: u = step / √12.")] = None
    relative: Annotated[bool, Meta(description="The size is relative to the value.")] = False
    shared: Annotated[
        bool,
        Meta(description="All treatments have the same error, as from one clock, so that it partly cancels."),
    ] = False
    nu: Annotated[_Size, Meta(description="Degrees of freedom of the size; exact by default.")] = None

    @property
    def standard(self) -> float:
        """Standard uncertainty of the error.

        It is a / √3 for a value anywhere within -a to a (GUM 4.3.7), and step / √12 for a rounded one.
        """
        if self.half_width is not None:
            return self.half_width / math.sqrt(3)
        return self.step / math.sqrt(12) if self.step is not None else self.u or 0.0


class MeasuredTypeB(TypeB, frozen=True):
    """Error that the record knows, such as the step of its clock."""

    measured: ClassVar[bool] = True


class Analysis(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Comparisons of an experiment, and how sure one must be.

    In a checked experiment ``family`` and ``strata`` are worked out; with a baseline, each stratum of several
    treatments has exactly one with its levels.
    """

    metric: Annotated[str, Meta(description="The metric that is compared.")] = "wall_s"
    estimand: Annotated[
        Estimand,
        Meta(
            description="What a speedup is: the geometric mean of the blocks' ratios, old over new; the ratio"
            " of arithmetic means; the median of the blocks' ratios; or the ratio of a `quantile`."
        ),
    ] = "geomean_ratio"
    interval: Annotated[
        IntervalKind | None,
        Meta(
            description="How intervals are made, where an estimand has several ways. `geomean_ratio` has"
            " `sign-flip`, the default (of 7 to 64 blocks; else t), `log-delta` (t) and `bootstrap-t`;"
            " `ratio_of_means` has `log-delta`, the default, `fieller`, `gum-s1` and `bootstrap-t`;"
            " `median_ratio` has `sign`, `quantile` has `mover`."
        ),
    ] = None
    quantile: Annotated[
        Annotated[float, Meta(gt=0, lt=1)],
        Meta(description="Which one `quantile` compares: 0.9 is what nine of ten runs do not exceed."),
    ] = 0.9
    uncertainty: Annotated[
        Uncertainty,
        Meta(
            description="What is shown behind an adjusted speedup: the uncertainty of the mean, or the spread"
            " of single runs, as figures of Firoz et al. 2016 do."
        ),
    ] = "mean"
    family: Annotated[
        Family | None,
        Meta(
            description="Compare each treatment with the baseline, or all pairs. The default is the baseline;"
            " under a protocol without `baseline`, all pairs."
        ),
    ] = None
    family_over: Annotated[
        Literal["stratum", "experiment"] | None,
        Meta(
            description="Whether the comparisons of each stratum are one family, or those of all strata. The"
            " default is the stratum, and the experiment where there are four strata or more."
        ),
    ] = None
    error_rate: Annotated[
        Literal["familywise", "false-discovery"],
        Meta(
            description="What `alpha` bounds in a family: the probability of any false finding (Holm), or the"
            " expected fraction of false ones among all findings (Benjamini and Hochberg)."
        ),
    ] = "familywise"
    strata: Annotated[
        tuple[str, ...] | None,
        Meta(description="Compare within these factors' levels; by default all that `baseline` leaves free."),
    ] = None
    baseline: Annotated[
        Mapping[str, Scalar] | None,
        Meta(
            description="Levels that mark what the others are compared with; the first treatment by default."
        ),
    ] = None
    alpha: Annotated[
        float,
        Meta(gt=0, le=0.5, description="Error rate of a family: see `error_rate`."),
    ] = 0.05
    failures: Annotated[
        OnFailures,
        Meta(
            description="Whether runs that failed or timed out leave a comparison without a verdict, are left"
            " out of it, or, where they timed out, count as at least the limit (medians of `wall_s`)."
        ),
    ] = "refuse"
    instances: Annotated[
        str | None,
        Meta(
            description="Factor or label whose levels are problem instances, the same ones in every run:"
            " treatments are compared instance by instance."
        ),
    ] = None
    ratio_across: Annotated[
        str | None,
        Meta(
            description="Factor at whose further levels each speedup is divided by that at the first, to see"
            " whether the speedup depends on it."
        ),
    ] = None
    type_b: Annotated[
        tuple[TypeB, ...],
        Meta(description="Errors that repetition does not show, which enter the uncertainty of speedups."),
    ] = ()
    effects: Annotated[
        tuple[str, ...] | None,
        Meta(
            description="Factors whose effects and interactions are estimated; all by default, or all but"
            " strata where these leave two."
        ),
    ] = None
    contrasts: Annotated[
        Mapping[str, Mapping[str, tuple[float, ...]]],
        Meta(description="Further questions by name: one weight for each level of a factor, of sum 0."),
    ] = {}
    unreplicated: Annotated[
        Literal["none", "lenth"],
        Meta(description="Error term of effects where there is one block: none, or that of Lenth."),
    ] = "none"
    margin: Annotated[
        Annotated[float, Meta(gt=0, lt=1)] | None,
        Meta(description="Smallest relative difference that matters; smaller ones are called equivalent."),
    ] = None
    equivalence: Annotated[
        Literal["two-sided", "one-sided"],
        Meta(
            description="How equivalence within `margin` is shown: by the interval at 1 − `alpha`, each side"
            " with half of it; or by two one-sided tests at `alpha` each, a 90 % interval for 5 %."
        ),
    ] = "two-sided"
    seed: Annotated[
        Annotated[int, Meta(ge=0, le=2**63 - 1)] | None,
        Meta(description="Seed of intervals that draw; that of `[design]` by default."),
    ] = None
    protocol: Annotated[
        Literal["default", "nogueira-matias-2014"],
        Meta(description="Have the published protocol of this name judge the same pairs too."),
    ] = "default"
    alternative: Annotated[
        Literal["two-sided", "faster"],
        Meta(
            description="What the protocol tests: that a treatment differs, or that it is better than its"
            " baseline."
        ),
    ] = "two-sided"
    ks_policy: Annotated[
        Literal["flag", "veto"],
        Meta(
            description="What the protocol does with a rank test where shapes differ (Kolmogorov-Smirnov):"
            " flag it, or not count it."
        ),
    ] = "flag"

    @property
    def interval_seed(self) -> int:
        """Seed of intervals that draw; 1 where nobody chose one."""
        return 1 if self.seed is None else self.seed
