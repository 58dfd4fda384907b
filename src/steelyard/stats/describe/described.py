"""``Described``: one sample, summarised, with what is odd about it."""

from __future__ import annotations

import math

import numpy as np
from msgspec.structs import replace

from steelyard.core.sample import Sample
from steelyard.core.units import Metric
from steelyard.results.samples import Described, Summary
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
        summary=_count_contexts(summary, sample),
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


def _count_contexts(summary: Summary, sample: Sample) -> Summary:
    """Return the summary with the uncertainty of a mean over contexts, or machines, that return.

    Runs of one context share what it does to them: u^2 = K / (K - 1) sum_k (n_k / n)^2 (mean_k - mean)^2 over
    K contexts of n_k runs (Liang and Zeger 1986, DOI 10.1093/biomet/73.1.13, of a mean). It is no less than
    that of independent runs.
    """
    contexts = np.asarray(sample.contexts, dtype=np.int64)
    if summary.u is None or summary.mean is None or not contexts.all():
        return summary
    _, place, counts = np.unique(contexts, return_inverse=True, return_counts=True)
    if counts.size < 2 or np.unique(np.asarray(sample.blocks, dtype=np.int64)).size == counts.size:
        return summary
    away = np.bincount(place, np.asarray(sample.values) - summary.mean) / contexts.size
    u = max(summary.u, math.sqrt(counts.size / (counts.size - 1) * float(away @ away)))
    return replace(summary, u=u, rsu=u / abs(summary.mean) if summary.rsu is not None else None)


def sees_clock(metric: Metric) -> bool:
    """Whether the metric is a time or a rate, so that equal values mean a coarse clock."""
    return metric.unit in ("s", "1/s", "B/s")
