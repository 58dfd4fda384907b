"""Ratios of quantiles: coverage by simulation, and the promise of p and interval."""

from __future__ import annotations

import math

import numpy as np
import pytest

from steelyard.core.analysis import Analysis
from steelyard.stats.compare.comparison import compare
from steelyard.stats.compare.contrast import contrast
from steelyard.stats.compare.quantile_ratio import quantile_ratio, quantile_speedups


def pair(sample, rng, n, ratio=1.0, slow=0.0, **options):
    old, new = np.exp(rng.normal(0, 0.1, (2, n)))
    old = old * np.where(rng.random(n) < slow, 2.0, 1.0)
    return [sample(ratio * old, **options), sample(new, treatment=2, **options)]


@pytest.mark.parametrize(("of", "n"), [(0.5, 30), (0.9, 60)])
@pytest.mark.parametrize("order", ["randomized-blocks", "sequential"])
def test_95_percent_intervals_cover_and_do_not_reach_far_beyond(sample, perfect_passes, of, n, order):
    """N = 400: at most 31 miss; the mean width is at most 1.5 times that of a bootstrap's."""
    count = 400
    assert perfect_passes(count, 0.05, 0, 31) > 0.98
    rng = np.random.default_rng([1, n])
    declared = Analysis(estimand="quantile", quantile=of)
    result = [compare(pair(sample, rng, n, 1.2), declared, order=order)[0] for _ in range(count)]
    missed = sum(element.ci95.excludes(1.2) for element in result)
    assert missed <= 31
    widths = [math.log(item.ci95.high / item.ci95.low) / 2 for item in result]
    values = [element.speedup.log for element in result]
    assert np.mean(widths) < 1.6 * 1.96 * np.std(values)


def test_a_slow_tenth_shows_at_p99_and_not_in_the_median(sample):
    rng = np.random.default_rng(2)
    output = {
        speedup.quantile: speedup
        for speedup in quantile_speedups(contrast(*pair(sample, rng, 1000, slow=0.1)))
    }
    assert output[0.5].ci95.low < 1.05
    assert output[0.99].ci95.low > 1.5
    assert list(output) == [0.1, 0.25, 0.5, 0.75, 0.9, 0.99]


@pytest.mark.parametrize("level", [0.3, 0.05, 0.01])
@pytest.mark.parametrize("at", [0.9, 1.0, 1.1, 1.3])
def test_p_is_at_most_alpha_exactly_where_the_interval_leaves_the_ratio_out(sample, level, at):
    ratio = quantile_ratio(contrast(*pair(sample, np.random.default_rng(3), 80, 1.1)), 0.5)
    assert (ratio.p_of(at) <= level * (1 + 1e-9)) == ratio.interval(level).excludes(at)


def test_quantiles_of_rates_count_from_the_better_end(sample):
    rng = np.random.default_rng(4)
    times = pair(sample, rng, 200, slow=0.2)
    rates = [
        sample(1 / np.asarray(item.values), treatment=i, metric="rate", unit="1/s", better="higher")
        for i, item in enumerate(times, 1)
    ]
    for value in (0.5, 0.9):
        by_time, by_rate = (quantile_ratio(contrast(*both), value) for both in (times, rates))
        assert by_rate.value == pytest.approx(by_time.value, rel=0.01)


def test_too_few_values_leave_the_interval_open_and_the_comparison_unresolved(sample):
    (result,) = compare(
        pair(sample, np.random.default_rng(5), 20, 3.0), Analysis(estimand="quantile", quantile=0.9)
    )
    assert result.ci95 is None
    assert result.verdict == "not_resolved"
