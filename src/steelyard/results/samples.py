"""``Described``: one sample, summarised, with what its order and its values show."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import msgspec

from steelyard.core.sample import Failures, Provenance, Treatment
from steelyard.core.units import Metric, Scalar
from steelyard.results.document import Lines, part
from steelyard.results.flags import Flag
from steelyard.results.interval import Interval
from steelyard.results.undefined import REASONS, Reason


class Summary(msgspec.Struct, frozen=True):
    """Location and spread of ``n`` values, in their unit.

    Attributes
    ----------
    mean, median, min, max : float or None
        ``None`` without values, or where one of them is not finite.
    quartiles : Interval or None
        Type 7 of Hyndman and Fan (1996), DOI 10.1080/00031305.1996.10473566.
    s : float or None
        Standard deviation of single values, with n - 1.
    u : float or None
        Standard uncertainty of the mean, s / sqrt(n): Eq. 5 of DOI 10.1145/2851553.2851573. Of contexts or
        machines that return, that of a mean over these.
    cv, rsu : float or None
        s and u over the absolute mean (``rsu`` is Eq. 3 there).
    reason : str or None
        Why the first of the fields above that is ``None`` is so.
    """

    n: int
    mean: float | None = None
    median: float | None = None
    quartiles: Interval | None = None
    min: float | None = None
    max: float | None = None
    s: float | None = None
    u: float | None = None
    cv: float | None = None
    rsu: float | None = None
    reason: Reason | None = None

    @property
    def why(self) -> str | None:
        """The reason as the end of a sentence."""
        return REASONS[self.reason] if self.reason else None


class Autocorrelation(msgspec.Struct, frozen=True):
    """Autocorrelation at lag 1, of values in the order of time.

    Attributes
    ----------
    r1 : float
        Sum of products of neighbouring deviations over the sum of squares.
    corrected : float
        r1 + (1 + 3 r1) / n, within [0, 0.98]: r1 of few values is too low by about that much.
    n_eff : float
        n (1 - r) / (1 + r) with the corrected r; n where nothing is correlated.
    significant : bool
        r1 above 1.96 / sqrt(n). Only neighbours that resemble each other make an interval too narrow, so one
        side counts; with independent values this happens in at most 2.5 % of samples.
    """

    n: int
    r1: float
    corrected: float
    n_eff: float
    significant: bool


class Trend(msgspec.Struct, frozen=True):
    """Kendall's rank correlation with time.

    Attributes
    ----------
    tau : float
        tau-b, from -1 (falls throughout) to 1 (rises throughout).
    p : float
        Two-sided, normal approximation with ties.
    significant : bool
        p below 0.01.
    """

    tau: float
    p: float
    significant: bool


class Outliers(msgspec.Struct, frozen=True):
    """Number of values that are far out, and the ratio of the farthest to the median."""

    count: int
    farthest: float


class Gap(msgspec.Struct, frozen=True):
    """Two groups of values.

    Attributes
    ----------
    share : float
        Of the values, those in the smaller group.
    ratio : float
        Geometric mean of the upper group over that of the lower.
    """

    share: float
    ratio: float


class InstanceShare(msgspec.Struct, frozen=True):
    """One instance: its mean in the unit of the metric, and what it carries of the sum of squares."""

    level: Scalar
    mean: float
    share: float


class Drill(msgspec.Struct, frozen=True):
    """The sum of squares of a sample around its mean, by instance and by run.

    Attributes
    ----------
    shares : tuple of InstanceShare
        n_i (mean_i - mean)^2 over the whole sum, in the order of the design.
    between : float
        All instances together.
    runs : float
        Blocks: what all instances of a run share; 0 where there is one run only.
    rest : float
        Runs that differ from instance to instance.
    """

    factor: str
    shares: tuple[InstanceShare, ...]
    between: float
    runs: float
    rest: float

    @property
    def largest(self) -> InstanceShare:
        """The instance that carries most."""
        return max(self.shares, key=lambda share: share.share)


class Described(msgspec.Struct, frozen=True):
    """A sample's summary and what its order and its values show.

    Attributes
    ----------
    autocorrelation, trend, outliers, gap, dominating : optional
        ``None`` where it cannot be computed; see the types.
    step : float or None
        A step of the clock that shows in the values, in their unit; 0 where all are equal. Times and rates
        only.
    drill : Drill or None
        What each instance carries of the spread, where a sample holds several.
    """

    treatment: Treatment
    metric: Metric
    labels: Mapping[str, Scalar]
    summary: Summary
    failures: Failures
    autocorrelation: Autocorrelation | None = None
    trend: Trend | None = None
    outliers: Outliers | None = None
    step: float | None = None
    provenance: Provenance = "measured"
    gap: Gap | None = None
    dominating: float | None = None
    drill: Drill | None = None
    __lines__: ClassVar[Lines] = (
        part("treatment", "id", "label", "levels", base="treatment"),
        *("metric", "unit=metric.unit", "better=metric.better", "labels", "n=summary.n"),
        *("attempted=failures.attempted", "failed=failures.failed", "timed_out=failures.timed_out"),
        *("mean=summary.mean", "median=summary.median", "s=summary.s", "u=summary.u", "cv=summary.cv"),
        *("rsu=summary.rsu", "quartiles=summary.quartiles", "min=summary.min", "max=summary.max"),
        *("r1=autocorrelation.r1", "n_eff=autocorrelation.n_eff", "trend_p=trend.p"),
        *("reason=summary.why", "flags", "instances=drill"),
    )

    @property
    def flags(self) -> tuple[Flag, ...]:
        """Flags in a fixed order."""
        raised: dict[Flag, bool] = {
            "autocorrelated": self.autocorrelation is not None and self.autocorrelation.significant,
            "trend": self.trend is not None and self.trend.significant,
            "outliers": self.outliers is not None,
            "bimodal": self.gap is not None,
            "dominated": self.dominating is not None,
            "resolution": self.step is not None,
            "not_finite": self.summary.reason == "not_finite",
            "failures": self.failures.failed > 0,
            "timed_out": self.failures.timed_out > 0,
            "simulated": self.provenance == "simulated",
            "crowded": self.provenance == "crowded",
            "one_process": self.provenance == "one_process",
            "other_code": self.provenance == "other_code",
        }
        return tuple(flag for flag, up in raised.items() if up)
