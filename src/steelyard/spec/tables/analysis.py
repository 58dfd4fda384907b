"""``[analysis]``: what is compared with what, and how sure one must be."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from steelyard.estimand import Estimand, IntervalKind, OnFailures, Uncertainty
from steelyard.units import Scalar


class TypeBTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An error of the metric's values that repetition does not show; its size is one of three keys."""

    name: Annotated[str, Meta(description="What it is: `synchronisation of clocks`.")]
    u: Annotated[
        Annotated[float, Meta(gt=0)] | None,
        Meta(description="Standard uncertainty, in the unit of the metric."),
    ] = None
    half_width: Annotated[
        Annotated[float, Meta(gt=0)] | None,
        Meta(description="The error lies anywhere within this of 0: u = half_width / √3."),
    ] = None
    step: Annotated[
        Annotated[float, Meta(gt=0)] | None,
        Meta(description="Values come in steps of this: u = step / √12."),
    ] = None
    relative: Annotated[bool, Meta(description="The size is relative to the value.")] = False
    shared: Annotated[
        bool,
        Meta(description="All treatments have the same error, as from one clock, so that it partly cancels."),
    ] = False
    nu: Annotated[
        Annotated[float, Meta(gt=0)] | None,
        Meta(description="Degrees of freedom of the size; exact by default."),
    ] = None


class AnalysisTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is compared, and how sure one must be."""

    metric: Annotated[str, Meta(description="The metric that is compared.")] = "wall_s"
    estimand: Annotated[
        Estimand,
        Meta(
            description="What a speedup is: the geometric mean of the blocks' ratios, old over new; the ratio"
            " of arithmetic means; or the median of the blocks' ratios."
        ),
    ] = "geomean_ratio"
    interval: Annotated[
        IntervalKind | None,
        Meta(
            description="How intervals are made, where an estimand has several ways. `geomean_ratio` has"
            " `sign-flip`, the default (of 7 to 64 blocks; else t), `log-delta` (t) and `bootstrap-t`;"
            " `ratio_of_means` has `log-delta`, the default, `fieller`, `gum-s1` and `bootstrap-t`;"
            " `median_ratio` has `sign`."
        ),
    ] = None
    uncertainty: Annotated[
        Uncertainty,
        Meta(
            description="What is shown behind an adjusted speedup: the uncertainty of the mean, or the spread"
            " of single runs, as figures of Firoz et al. 2016 do."
        ),
    ] = "mean"
    family: Annotated[
        Literal["baseline", "all-pairs"] | None,
        Meta(
            description="Compare each treatment with the baseline, or all pairs. The default is the baseline;"
            " under a protocol without `baseline`, all pairs."
        ),
    ] = None
    strata: Annotated[
        list[str] | None,
        Meta(description="Compare within these factors' levels; by default all that `baseline` leaves free."),
    ] = None
    baseline: Annotated[
        dict[str, Scalar] | None,
        Meta(
            description="Levels that mark what the others are compared with; the first treatment by default."
        ),
    ] = None
    alpha: Annotated[
        float,
        Meta(gt=0, le=0.5, description="Probability of one false finding or more in the family, after Holm."),
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
        list[TypeBTable],
        Meta(description="Errors that repetition does not show, which enter the uncertainty of speedups."),
    ] = []
    effects: Annotated[
        list[str] | None,
        Meta(
            description="Factors whose effects and interactions are estimated; all by default, or all but"
            " strata where these leave two."
        ),
    ] = None
    contrasts: Annotated[
        dict[str, dict[str, list[float]]],
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
