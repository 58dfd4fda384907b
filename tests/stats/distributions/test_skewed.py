"""Hall's transformation of t: its polynomial written out, SciPy's t and a root finder."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import optimize, stats

from steelyard.stats.distributions.skewed import SkewedT
from steelyard.stats.distributions.student import LogT


def hall(t, a):
    """Hall 1992, with a = skewness / sqrt(n)."""
    return t + a * t**2 / 3 + a**2 * t**3 / 27 + a / 6


@pytest.mark.parametrize("a", [-0.8, -0.05, 0.2, 0.9])
@pytest.mark.parametrize("at", [0.9, 0.99, 1.0, 1.02, 1.3])
def test_p_is_that_of_the_transformed_t(a, at):
    result = SkewedT(0.01, 0.02, 9, a)
    t = (0.01 - math.log(at)) / 0.02
    assert result.p_of(at) == pytest.approx(2 * stats.t.sf(abs(hall(t, a)), 9), rel=1e-9)


@pytest.mark.parametrize("a", [-0.8, -0.05, 0.2, 0.9])
@pytest.mark.parametrize("alpha", [0.3, 0.05, 0.002])
def test_an_interval_ends_where_the_transformed_t_meets_its_quantiles(a, alpha):
    result = SkewedT(0.01, 0.02, 9, a).interval(alpha)
    reach = stats.t.isf(alpha / 2, 9)
    ends = [
        0.01 - 0.02 * optimize.brentq(lambda t, y=y: hall(t, a) - y, -1e4, 1e4, xtol=1e-12)
        for y in (reach, -reach)
    ]
    assert (math.log(result.low), math.log(result.high)) == pytest.approx(ends, rel=1e-7)
    for at in (0.8, 0.97, 1.0, 1.05, 1.4):
        assert (SkewedT(0.01, 0.02, 9, a).p_of(at) <= alpha) == result.excludes(at)


def test_without_skewness_it_is_t():
    first, second = SkewedT(0.01, 0.02, 9, 1e-7).interval(0.05), LogT(0.01, 0.02, 9).interval(0.05)
    assert (first.low, first.high) == pytest.approx((second.low, second.high), rel=1e-6)


def test_an_interval_that_leaves_the_range_of_numbers_is_none():
    assert SkewedT(0.0, 100.0, 1, 0.5).interval(1e-6) is None


def test_a_mean_of_skewed_values_is_missed_equally_often_on_either_side(perfect_passes):
    """N = 4000 means of 30 exponential values, skewness 2, at 5 %: t misses four times as often from above
    as from below, this at most twice.
    """
    n, count = 30, 4000
    d = np.random.default_rng(6).exponential(size=(count, n))
    log, se = d.mean(axis=1), d.std(axis=1, ddof=1) / math.sqrt(n)
    missed = np.zeros((2, 2), int)
    for mean, spread in zip(log, se, strict=True):
        skewed = SkewedT(mean, spread, n - 1, 2 / math.sqrt(n))
        for row, result in enumerate((LogT(mean, spread, n - 1), skewed)):
            if result.p_of(math.e) <= 0.05:
                missed[row, int(mean > 1)] += 1
    assert missed[0, 0] > 4 * missed[0, 1]
    assert missed[1, 0] <= 2 * missed[1, 1]
    assert perfect_passes(count, 0.05, 0, 230) > 0.98
    assert missed[1].sum() <= 230 < missed[0].sum()
