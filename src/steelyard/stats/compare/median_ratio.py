"""The median of ratios as a ``Speedup``; of two samples that nothing pairs, the ratio of their medians."""

from __future__ import annotations

import math

import numpy as np

from steelyard.answers.undefined import LARGEST_LOG, Undefined
from steelyard.arrays import Floats
from steelyard.stats.compare.contrast import Contrast
from steelyard.stats.compare.speedup import Speedup, speedup
from steelyard.stats.distributions.sign_test import Signs
from steelyard.stats.distributions.student import two_sided_p


def median_ratio(contrast: Contrast) -> Speedup | Undefined:
    """Half of all blocks have a larger ratio. By the sign test: exact whatever the distribution, and blind to
    how far away values are.
    """
    if not contrast.paired:
        return _of_medians(contrast)
    differences = contrast.differences
    if differences.size < 2:
        return Undefined(contrast.too_few)
    return median_of(differences, differences, differences, contrast.unit)


def median_of(values: Floats, lows: Floats, highs: Floats, unit: str) -> Speedup | Undefined:
    """The median of log ratios, of which some may be known only to lie between two bounds."""
    log = float(np.median(values))
    if abs(log) > LARGEST_LOG:
        return Undefined("out_of_range")
    law = Signs(np.sort(lows), np.sort(highs))
    return Speedup(
        log,
        _standard_error(law),
        None,
        values.size,
        law.p_of(1.0),
        f"{unit}-median-sign",
        "median_ratio",
        law,
    )


def _standard_error(law: Signs) -> float:
    """Half of the 95 % interval over 1.96 (McKean and Schrader 1984, DOI 10.1080/03610918408812413); 0 where
    there is none.
    """
    interval = law.interval(0.05)
    return math.log(interval.high / interval.low) / (2 * 1.959964) if interval else 0.0


def _of_medians(contrast: Contrast) -> Speedup | Undefined:
    """Price and Bonett 2002 (DOI 10.1080/00949650212140): the variance of the log of a median from the two
    order statistics about sqrt(n) from the middle. Theirs is a normal law; t with n - 2 keeps the coverage of
    small samples.
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
        same = speedup(contrast)
        if isinstance(same, Undefined) or same.nu is None:
            return same
        return Undefined("no_spread_at_median")
    n = old.size + new.size
    return Speedup(
        log, se, n - 2, n, two_sided_p(log / se, n - 2), "unpaired-medians-log-delta", "median_ratio"
    )


def _error_of_median(ascending: Floats) -> float:
    from scipy.special import bdtr, ndtri

    n = ascending.size
    c = max(1, round((n + 1) / 2 - math.sqrt(n)))
    z = -float(ndtri(bdtr(c - 1, n, 0.5)))
    return float(ascending[n - c] - ascending[c - 1]) / (2 * z)
