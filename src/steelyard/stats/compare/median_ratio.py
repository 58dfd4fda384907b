"""The median of ratios as a ``Speedup``; of two samples that nothing pairs, the ratio of their medians."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from steelyard.core.arrays import Floats
from steelyard.core.sample import Sample
from steelyard.core.special import binomial_cdf, normal_quantile
from steelyard.results.assumptions import Unit
from steelyard.results.comparison import Speedup
from steelyard.results.undefined import LARGEST_LOG, Undefined
from steelyard.stats.compare.contrast import Contrast, Units, instance_ids
from steelyard.stats.compare.speedup import make_by_t, speedup
from steelyard.stats.distributions.sign_test import SignTest


def median_ratio(contrast: Contrast) -> Speedup | Undefined:
    """Median of the ratios of blocks: half of all blocks have a larger ratio.

    It is judged by the sign test: exact whatever the distribution, and blind to how far away values are.
    """
    if not contrast.paired:
        return _compare_medians(contrast)
    differences = contrast.differences
    if differences.size < 2:
        return Undefined(contrast.too_few)
    return median_of(differences, differences, differences, contrast.unit)


def median_of(values: Floats, lows: Floats, highs: Floats, unit: Unit) -> Speedup | Undefined:
    """Return the median of log ratios, of which some may be known only to lie between two bounds."""
    log = float(np.median(values))
    if abs(log) > LARGEST_LOG:
        return Undefined("out_of_range")
    distribution = SignTest(np.sort(lows), np.sort(highs))
    return Speedup(
        log,
        _standard_error(distribution),
        None,
        values.size,
        distribution.p_of(1.0),
        unit,
        "median-sign",
        distribution,
        "median_ratio",
        one_sided=distribution.one_sided,
    )


def _standard_error(distribution: SignTest) -> float:
    """Half of the 95 % interval over 1.96 (McKean and Schrader 1984, DOI 10.1080/03610918408812413).

    It is 0 where there is none.
    """
    interval = distribution.interval(0.05)
    return math.log(interval.high / interval.low) / (2 * 1.959964) if interval else 0.0


def _compare_medians(contrast: Contrast) -> Speedup | Undefined:
    """Compare medians by Price and Bonett 2002 (DOI 10.1080/00949650212140).

    The variance of the log of a median is from the two order statistics about sqrt(n) from the middle. Theirs
    is a normal distribution; t with n - 2 keeps the coverage of small samples.
    """
    old, new = np.sort(contrast.old.logs), np.sort(contrast.new.logs)
    if min(old.size, new.size) < 2:
        return Undefined("one_value")
    log = contrast.sign * (float(np.median(old)) - float(np.median(new)))
    if abs(log) > LARGEST_LOG:
        return Undefined("out_of_range")
    se = math.hypot(_error_of_median(old), _error_of_median(new))
    if se <= contrast.rounding:
        # Equal about both medians but for rounding; the exact methods say no more than whole samples do.
        paired = speedup(contrast)
        if isinstance(paired, Undefined) or paired.nu is None:
            return paired
        return Undefined("no_spread_at_median")
    n = old.size + new.size
    return make_by_t(log, se, n - 2, n, "unpaired", "medians-log-delta", estimand="median_ratio")


def _error_of_median(ascending: Floats) -> float:
    n = ascending.size
    c = max(1, round((n + 1) / 2 - math.sqrt(n)))
    z = -normal_quantile(binomial_cdf(c - 1, n, 0.5))
    return float(ascending[n - c] - ascending[c - 1]) / (2 * z)


def censored_median_ratio(contrast: Contrast, baseline: Sample, treatment: Sample) -> Speedup | Undefined:
    """Compare medians of times that may be known only to be at least the limit.

    Such a time makes a log ratio that is at most, or at least, what the limit gives; two of them in one block
    make one that can be anything. Order statistics of these bounds hold the median with the probability of
    the sign test, whatever the times would have been.
    """
    if not contrast.paired:
        return Undefined("late_without_pairs")
    values = contrast.differences
    if values.size < 2:
        return Undefined(contrast.too_few)
    # The contrast is of times, of which less is better: a censored baseline makes the ratio larger.
    larger, smaller = _find_late(contrast.old, baseline), _find_late(contrast.new, treatment)
    lows = np.where(smaller, -math.inf, values)
    highs = np.where(larger, math.inf, values)
    if np.count_nonzero(larger & smaller) * 2 >= values.size:
        return Undefined("late_beyond_median")
    return median_of(values, lows, highs, contrast.unit)


def _find_late(units: Units, sample: Sample) -> npt.NDArray[np.bool_]:
    """Mask of the units that hold a run that timed out."""
    if not sample.censored:
        return np.zeros(units.ids.size, dtype=bool)
    at = np.flatnonzero(np.asarray(sample.censored))
    if units.by == "instance":
        return np.isin(units.ids, instance_ids(sample)[at])
    visits_of = sample.contexts if units.by == "context" else sample.blocks
    return np.isin(units.ids, np.asarray(visits_of, dtype=np.int64)[at])
