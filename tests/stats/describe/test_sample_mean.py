"""The mean of one treatment and what its interval allows for; SciPy and closed forms are the witnesses."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from scipy import stats as witness

from steelyard.stats.describe.autocorrelation import autocorrelation, make_autocorrelation
from steelyard.stats.describe.sample_mean import SampleMean
from steelyard.stats.describe.skewness import skewness

NARROW = SampleMean(100.0, 0.5, 10, 10, positive=True, slow="above")


def mean_of(values):
    return SampleMean(
        float(values.mean()),
        float(values.std(ddof=1)),
        values.size,
        values.size,
        positive=True,
        correlation=autocorrelation(values),
        skewness=skewness(values),
        slow="above",
    )


@given(
    st.integers(0, 2**32 - 1), st.integers(2, 80), st.floats(0.01, 1.5), st.sampled_from([0.2, 0.05, 0.001])
)
def test_p_is_at_most_alpha_exactly_where_the_interval_leaves_a_bound_out(seed, n, sigma, alpha):
    mean = mean_of(np.random.default_rng(seed).lognormal(0, sigma, n))
    interval = mean.interval(alpha)
    for end, out in ((interval.low, 0.999), (interval.high, 1.001)):
        if end > 0:
            assert mean.p_of(end) == pytest.approx(alpha, rel=1e-6)
            assert mean.p_of(end * out) < alpha < mean.p_of(end / out)


@given(st.integers(0, 2**32 - 1), st.integers(2, 60))
def test_it_is_never_narrower_than_the_interval_of_independent_normal_values(seed, n):
    values = np.random.default_rng(seed).lognormal(0, 0.3, n)
    interval, alone = (
        mean_of(values).observed_interval(),
        witness.ttest_1samp(values, 0).confidence_interval(0.95),
    )
    assert interval.low <= max(alone.low, 0.0) + 1e-9
    assert interval.high >= alone.high - 1e-9


def test_slow_runs_that_can_be_unseen_reach_as_far_as_twice_the_mean():
    share = 1 - 0.025 ** (1 / 10)
    assert NARROW.unseen() == pytest.approx(share)
    assert NARROW.interval().high == pytest.approx(100 * (1 + share))
    # A binomial of so many slow runs shows none as often as p says.
    assert NARROW.p_of(110.0) == pytest.approx(2 * witness.binom.pmf(0, 10, 0.1))
    assert NARROW.p_of(201.0) < 1e-9


def test_slow_runs_of_a_rate_lie_below_it():
    rate = replace(NARROW, slow="below")
    assert rate.interval().low == pytest.approx(100 * (1 - NARROW.unseen() / 2))
    assert rate.interval().high < 101
    assert rate.p_of(90.0) == pytest.approx(2 * witness.binom.pmf(0, 10, 0.2))


@pytest.mark.parametrize("bound", [101.0, 105.0, 110.0, 150.0])
def test_so_many_runs_exclude_what_one_fewer_do_not(bound):
    runs = NARROW.runs_to_exclude(bound)
    enough, fewer = (replace(NARROW, runs=n).p_of_slow(bound) for n in (runs, runs - 1))
    assert enough <= 0.05 < fewer


def test_correlated_neighbours_widen_it_as_their_variance_does():
    """A hundred values with autocorrelations 0.7^k: the standard error is that of their sum, and more."""
    n = 100
    result = replace(NARROW, n=n, runs=n, correlation=make_autocorrelation(0.65, n))
    lags = np.arange(1, n)
    truth = math.sqrt((n + 2 * ((n - lags) * 0.7**lags).sum()) / n)
    alone = replace(result, correlation=None)
    assert result.observed_interval().high - 100 >= truth * (alone.observed_interval().high - 100)


def wrong(draw, truth, n, count, seed=213):
    """Percent of experiments in which a limit holds that the mean is 1 % above."""
    rng = np.random.default_rng(seed)
    held = 0
    for _ in range(count):
        mean = mean_of(draw(rng, n))
        held += mean.value < truth / 1.01 and mean.p_of(truth / 1.01) <= 0.05
    return 100 * held / count


def autoregressive(rng, n):
    x = rng.normal(size=n) * math.sqrt(1 - 0.7**2)
    x[0] /= math.sqrt(1 - 0.7**2)
    for i in range(1, n):
        x[i] += 0.7 * x[i - 1]
    return 1 + 0.2 * x


LIMITS = {
    "lognormal": (lambda rng, n: rng.lognormal(0, 1, n), math.exp(0.5)),
    "slow": (lambda rng, n: (1 + 0.02 * rng.normal(size=n)) * np.where(rng.random(n) < 0.07, 2, 1), 1.07),
    "correlated": (autoregressive, 1.0),
    "gamma": (lambda rng, n: rng.gamma(0.5, 1, n), 0.5),
}


@pytest.mark.parametrize("n", [10, 30])
@pytest.mark.parametrize("name", LIMITS)
def test_a_limit_that_the_mean_exceeds_holds_in_at_most_2_5_percent(name, n, perfect_passes):
    draw, truth = LIMITS[name]
    assert perfect_passes(1000, 0.025, 0, 40) > 0.98
    assert wrong(draw, truth, n, 1000) <= 4


@pytest.mark.parametrize(("below", "n"), [(0.1, 45), (0.05, 85)])
def test_a_mean_that_lies_well_below_its_limit_holds(below, n):
    rng = np.random.default_rng(213)
    held = [mean_of(1 + 0.02 * rng.normal(size=n)).p_of(1 / (1 - below)) <= 0.05 for _ in range(100)]
    assert all(held)
