"""The median of ratios where some runs timed out, so that their times are known to be at least the limit."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from steelyard.answers.undefined import Undefined
from steelyard.sample import Sample
from steelyard.stats.compare.contrast import Contrast, Units, instance_ids
from steelyard.stats.compare.median_ratio import median_of
from steelyard.stats.compare.speedup import Speedup


def median_to_limit(contrast: Contrast, baseline: Sample, treatment: Sample) -> Speedup | Undefined:
    """A time that is at least the limit makes a log ratio that is at most, or at least, what the limit gives;
    two of them in one block make one that can be anything. Order statistics of these bounds hold the median
    with the probability of the sign test, whatever the times would have been.
    """
    if not contrast.paired:
        return Undefined("late_without_pairs")
    values = contrast.differences
    if values.size < 2:
        return Undefined(contrast.too_few)
    # The contrast is of times, of which less is better: a late baseline makes the ratio larger.
    larger, smaller = _late(contrast.old, baseline), _late(contrast.new, treatment)
    lows = np.where(smaller, -math.inf, values)
    highs = np.where(larger, math.inf, values)
    if np.count_nonzero(larger & smaller) * 2 >= values.size:
        return Undefined("late_beyond_median")
    return median_of(values, lows, highs, contrast.unit)


def _late(units: Units, sample: Sample) -> npt.NDArray[np.bool_]:
    """Which units hold a run that timed out."""
    if not sample.late:
        return np.zeros(units.ids.size, dtype=bool)
    at = np.flatnonzero(np.asarray(sample.late))
    if units.by == "instance":
        return np.isin(units.ids, instance_ids(sample)[at])
    of = sample.contexts if units.by == "context" else sample.blocks
    return np.isin(units.ids, np.asarray(of, dtype=np.int64)[at])
