"""``Described``: one sample, summarised, with what is odd about it."""

from __future__ import annotations

import numpy as np

from steelyard.core.sample import Sample
from steelyard.core.units import Metric
from steelyard.results.samples import Described
from steelyard.stats.describe.autocorrelation import autocorrelation
from steelyard.stats.describe.bimodality import gap
from steelyard.stats.describe.clock_step import coarse_step
from steelyard.stats.describe.concentration import dominating_share
from steelyard.stats.describe.instances import drill_down
from steelyard.stats.describe.outliers import outliers
from steelyard.stats.describe.summary import summarise
from steelyard.stats.describe.trend import trend


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
