"""``Described``: one sample, summarised, with what is odd about it."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
import numpy as np

from steelyard.answers.flags import Flag
from steelyard.sample import Failures, Provenance, Sample, Treatment
from steelyard.stats.compare.instances import Drill, drill_down
from steelyard.stats.describe.autocorrelation import Autocorrelation, autocorrelation
from steelyard.stats.describe.bimodality import Gap, gap
from steelyard.stats.describe.clock_step import coarse_step
from steelyard.stats.describe.concentration import dominating_share
from steelyard.stats.describe.outliers import Outliers, outliers
from steelyard.stats.describe.summary import Summary, summarise
from steelyard.stats.describe.trend import Trend, trend
from steelyard.units import Metric, Scalar


class Described(msgspec.Struct, frozen=True):
    """A sample's summary and what its order and its values show.

    Attributes
    ----------
    autocorrelation, trend, outliers, gap, dominating : optional
        ``None`` where there is none to compute; see the types.
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

    @property
    def flags(self) -> tuple[Flag, ...]:
        """In a fixed order."""
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
        }
        return tuple(flag for flag, up in raised.items() if up)


def describe(sample: Sample) -> Described:
    """Summarise one sample."""
    values = np.asarray(sample.values, dtype=np.float64)
    summary = summarise(values)
    if summary.reason in ("no_values", "not_finite"):
        return Described(
            sample.treatment,
            sample.metric,
            sample.labels,
            summary,
            sample.failures,
            provenance=sample.provenance,
        )
    return Described(
        treatment=sample.treatment,
        metric=sample.metric,
        labels=sample.labels,
        summary=summary,
        failures=sample.failures,
        autocorrelation=autocorrelation(values),
        trend=trend(values),
        outliers=outliers(values),
        step=coarse_step(values) if sees_clock(sample.metric) else None,
        drill=drill_down(sample),
        gap=gap(values),
        dominating=dominating_share(values),
        provenance=sample.provenance,
    )


def sees_clock(metric: Metric) -> bool:
    """Whether the metric is a time or a rate, so that equal values mean a coarse clock."""
    return metric.unit in ("s", "1/s", "B/s")
