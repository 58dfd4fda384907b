from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import nct, ttest_1samp, ttest_ind

from steelyard.stats.compare.cohens_d import noncentrality, standardise_differences, standardise_two


@pytest.mark.parametrize("nu", [1, 4, 29, 500])
@pytest.mark.parametrize("t", [-3.0, 0.0, 0.7, 12.0])
@pytest.mark.parametrize("share", [0.025, 0.5, 0.975])
def test_scipys_noncentral_t_gives_back_the_share(nu, t, share):
    result = noncentrality(t, nu, share)
    assert nct.cdf(t, nu, result) == pytest.approx(share, abs=1e-3 if nu == 1 else 2e-5)


def test_of_differences_it_is_t_over_the_root_of_n():
    d = np.random.default_rng(1).normal(0.4, size=25)
    result = standardise_differences(d)
    assert result.value * 5 == pytest.approx(ttest_1samp(d, 0).statistic, rel=1e-12)
    assert result.interval().low < result.value < result.interval().high


def test_of_two_samples_it_is_students_t_over_its_scale():
    rng = np.random.default_rng(2)
    a, b = rng.normal(size=10), rng.normal(1, size=15)
    result = standardise_two(a, b)
    assert result.value * result.distribution.scale == pytest.approx(ttest_ind(b, a).statistic, rel=1e-12)
    assert result.distribution.nu == 23


@pytest.mark.parametrize("n", [5, 20])
def test_the_interval_covers_the_truth_in_95_of_100(perfect_passes, n):
    """N = 800, 93 to 97 of 100, true difference 0.8 standard deviations."""
    count, low, high = 800, 740, 779
    assert perfect_passes(count, 0.95, low, high) > 0.98
    rng = np.random.default_rng([3, n])
    covered = sum(
        not standardise_differences(rng.normal(0.8, size=n)).interval().excludes(0.8) for _ in range(count)
    )
    assert low <= covered <= high


def test_without_spread_there_is_none():
    assert standardise_differences(np.ones(5)) is None
    assert standardise_differences(np.ones(1)) is None
    assert standardise_two(np.ones(3), np.zeros(3)) is None
    assert standardise_two(np.ones(1), np.zeros(3)) is None


@pytest.mark.parametrize("alpha", [0.05, 0.2])
def test_at_its_bounds_the_observed_t_is_in_a_tail_of_half_alpha(alpha):
    d = np.random.default_rng(4).normal(0.5, size=12)
    result = standardise_differences(d)
    t, interval = result.value * result.distribution.scale, result.interval(alpha)
    assert nct.cdf(t, 11, interval.low * result.distribution.scale) == pytest.approx(1 - alpha / 2, abs=1e-5)
    assert nct.cdf(t, 11, interval.high * result.distribution.scale) == pytest.approx(alpha / 2, abs=1e-5)
