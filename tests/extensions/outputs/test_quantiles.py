"""Quantiles of histograms: order statistics by an independent witness, and how often an interval holds."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from steelyard.extensions.outputs.declaration import Histogram
from steelyard.extensions.outputs.quantiles import Bin, estimate_quantile, make_bins
from steelyard.extensions.outputs.rows import Row


def exact(values):
    """A bin for each value."""
    return [Bin(value, value, value, 1) for value in sorted(values)]


@pytest.mark.parametrize("p", [0.5, 0.9, 0.99])
@pytest.mark.parametrize("n", [40, 500, 3000])
def test_ends_are_the_order_statistics_that_scipy_finds(p, n):
    values = np.random.default_rng(7).lognormal(size=n)
    (interval,) = [stats.quantile_test(values, p=p).confidence_interval(0.95)]
    ours = estimate_quantile(exact(values), p)
    for end, of_scipy in ((ours.low, interval.low), (ours.high, interval.high)):
        if end is None:
            assert not np.isfinite(of_scipy)
        else:
            # SciPy's ends may be one rank nearer, where the tail is smaller than it needs to be.
            place, witness = (int(np.searchsorted(np.sort(values), value)) for value in (end, of_scipy))
            assert abs(place - witness) <= 1


def test_intervals_of_a_coarse_histogram_hold_the_quantile_as_often_as_they_say():
    rng = np.random.default_rng(11)
    truth = stats.expon.ppf(0.9)
    held = 0
    for _ in range(1000):
        values = rng.exponential(size=200)
        edges = np.ceil(values * 10) / 10
        ends, counts = np.unique(edges, return_counts=True)
        bins = [Bin(end - 0.1, end, end, int(count)) for end, count in zip(ends, counts, strict=True)]
        quantile = estimate_quantile(bins, 0.9)
        held += quantile.low <= truth <= quantile.high
    # Of 1,000 intervals that hold with 95 % at least, fewer than 930 do with a probability of 0.2 %.
    assert held >= 930


def test_a_quantile_that_no_value_bounds_has_an_open_interval():
    quantile = estimate_quantile(exact(range(1, 51)), 0.99)
    assert (quantile.value, quantile.high) == (50, None)
    with pytest.raises(ValueError, match="a histogram without values"):
        estimate_quantile([], 0.5)


def test_bins_reach_to_the_value_before_or_as_wide_as_is_said():
    row = Row({"bins": {"10": 2, "20": 0, "30": 1, "x": 1}})
    assert make_bins(Histogram("m", "bins", "ns"), row) == [Bin(10, 10, 10, 2), Bin(10, 30, 30, 1)]
    (first, _) = make_bins(Histogram("m", "bins", "ns", 0.1), row)
    assert (first.low, first.high) == (pytest.approx(9.5), pytest.approx(10.5))
    assert make_bins(Histogram("m", "nothing", "ns"), row) == []
