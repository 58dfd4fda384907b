"""``Declared``: what an experiment said, before it ran, that it would compare."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import msgspec

from steelyard.estimand import INTERVALS, Estimand, IntervalKind, OnFailures, Uncertainty
from steelyard.stats.protocol_2014.rules import Rules
from steelyard.stats.uncertainty.type_b import TypeB
from steelyard.units import Scalar

Family = Literal["baseline", "all-pairs"]


class Declared(msgspec.Struct, frozen=True):
    """The comparisons of an experiment, and how sure one must be.

    Attributes
    ----------
    metric : str
        The primary one.
    baseline : Mapping[str, Scalar]
        Levels that mark the baseline; empty: the first treatment of each stratum.
    family : {"baseline", "all-pairs"}
        What Holm adjusts over, within each stratum.
    strata : sequence of str
        Factors or labels within whose levels comparisons stay.
    alpha : float
        Familywise level, between 0 and 1.
    margin : float or None
        The smallest relative difference that matters, between 0 and 1.
    failures : {"refuse", "ignore", "as-limit"}
        ``refuse``: unequal or timed-out shares of failed runs leave a comparison not resolved, since the
        missing values are not missing at random. ``as-limit``: samples hold runs that timed out as values
        that are at least the limit; for a median of ratios.
    protocol : Rules or None
        Have the protocol ``nogueira-matias-2014`` judge the same pairs too.
    estimand : str
        What a speedup is an estimate of.
    interval : str or None
        Kind of interval; ``None``: the first that the estimand has.
    uncertainty : {"mean", "sample"}
        Which reading of the adjusted speedup is shown.
    type_b : tuple of TypeB
        Errors of the primary metric that repetition does not show.
    instances : str or None
        Factor or label whose levels are the same problems in every run.
    ratio_across : str or None
        Factor at whose further levels each speedup is set against that at the first.
    seed : int
        For intervals that draw.
    effects : tuple of str or None
        Factors whose effects and interactions are estimated; ``None``: all, or all but strata where two are
        left.
    contrasts : Mapping[str, Mapping[str, sequence of float]]
        Name to axis to one weight a step, which sum to 0.
    unreplicated : {"none", "lenth"}
        The error term of effects that only one block tells of.
    """

    metric: str = "wall_s"
    baseline: Mapping[str, Scalar] = msgspec.field(default_factory=dict)
    family: Family = "baseline"
    strata: Sequence[str] = ()
    alpha: float = 0.05
    margin: float | None = None
    failures: OnFailures = "refuse"
    protocol: Rules | None = None
    estimand: Estimand = "geomean_ratio"
    interval: IntervalKind | None = None
    uncertainty: Uncertainty = "mean"
    type_b: tuple[TypeB, ...] = ()
    instances: str | None = None
    ratio_across: str | None = None
    seed: int = 1
    effects: tuple[str, ...] | None = None
    contrasts: Mapping[str, Mapping[str, Sequence[float]]] = msgspec.field(default_factory=dict)
    unreplicated: Literal["none", "lenth"] = "none"

    def __post_init__(self) -> None:
        if not 0 < self.alpha < 1:
            raise ValueError(f"alpha must lie between 0 and 1, got {self.alpha}")
        if self.margin is not None and not 0 < self.margin < 1:
            raise ValueError(f"a margin must lie between 0 and 1, got {self.margin}")
        if self.interval is not None and self.interval not in INTERVALS[self.estimand]:
            raise ValueError(f"{self.estimand} has no interval by {self.interval}")
        if self.failures == "as-limit" and self.estimand != "median_ratio":
            raise ValueError("only a median of ratios is known where values are lower bounds")
