"""Estimates of samples that no comparison pairs: of two metrics, of two labels, of one treatment alone."""

from __future__ import annotations

import numpy as np

from steelyard.core.estimand import Estimand
from steelyard.core.sample import Sample
from steelyard.results.comparison import Speedup
from steelyard.results.interval import Interval
from steelyard.results.undefined import Undefined
from steelyard.stats.compare.contrast import contrast
from steelyard.stats.compare.estimate import estimate
from steelyard.stats.contexts.across import median_interval


def estimate_ratio(old: Sample, new: Sample, estimand: Estimand) -> Speedup | Undefined:
    """Estimate the ratio of two samples, old over new; launches of one block are compared within it.

    The ratio has no allowance for neighbours in time and belongs to no family: it is no verdict.
    """
    between = contrast(old, new)
    return between if isinstance(between, Undefined) else estimate(between, estimand)


def find_median_interval(sample: Sample, alpha: float) -> Interval | None:
    """Find the interval of the median by the sign test; ``None`` of too few values.

    Thompson 1936, DOI 10.1214/aoms/1177732502. It holds the median of any distribution of independent values
    with a probability of at least 1 − ``alpha``.
    """
    return median_interval(np.sort(np.asarray(sample.values, dtype=np.float64)), alpha)
