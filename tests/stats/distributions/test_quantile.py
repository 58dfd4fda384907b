"""Quantiles by order statistics: SciPy's binomial test of the median's and other quantiles is the witness."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as witness

from steelyard.stats.distributions.quantile import Quantile


@pytest.mark.parametrize("of", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("n", [40, 400])
def test_the_interval_is_that_of_scipys_quantile_test(of, n):
    x = np.random.default_rng(n).exponential(size=n)
    ours = Quantile(np.sort(x), of)
    for alpha in (0.2, 0.05):
        tested = witness.quantile_test(x, p=of)
        interval = tested.confidence_interval(confidence_level=1 - alpha)
        assert (ours.interval(alpha).low, ours.interval(alpha).high) == (interval.low, interval.high)


@pytest.mark.parametrize("at", [0.3, 1.0, 2.2, 5.0])
def test_p_is_that_of_scipys_quantile_test(at):
    x = np.random.default_rng(5).exponential(size=60)
    tested = witness.quantile_test(x, q=at, p=0.9)
    assert Quantile(np.sort(x), 0.9).p_of(at) == pytest.approx(min(1.0, tested.pvalue), rel=1e-9)


@given(
    st.lists(st.integers(0, 9), min_size=2, max_size=60),
    st.floats(0.02, 0.98),
    st.floats(0.001, 0.6),
    st.integers(-1, 10),
)
def test_p_is_at_most_alpha_exactly_where_a_bounded_interval_leaves_the_bound_out(values, of, alpha, bound):
    quantile = Quantile(np.sort(np.array(values, dtype=float)), of)
    interval = quantile.interval(alpha)
    if interval is not None and abs(quantile.p_of(bound) - alpha) > 1e-9:
        assert (quantile.p_of(bound) <= alpha) == interval.excludes(bound)


def test_p99_needs_368_values_to_be_bounded_and_p90_36():
    for share, least in ((0.99, 368), (0.9, 36)):
        assert Quantile(np.arange(least - 1.0), share).interval() is None
        assert Quantile(np.arange(float(least)), share).interval() is not None


def test_it_covers_as_promised(perfect_passes):
    """N = 1,000 of 60 exponential values, p90: at most 67 intervals miss."""
    count = 1000
    assert perfect_passes(count, 0.05, 0, 67) > 0.98
    x = np.sort(np.random.default_rng(9).exponential(size=(count, 60)), axis=1)
    truth = -np.log(0.1)
    missed = sum(Quantile(row, 0.9).interval().excludes(truth) for row in x)
    assert missed <= 67


@pytest.mark.parametrize("of", [0.1, 0.25, 1 / 3, 0.5, 0.9, 0.99, 1.0])
@pytest.mark.parametrize("n", [1, 2, 7, 30, 101])
def test_the_value_is_that_of_numpy_to_the_last_bit(n, of):
    values = np.sort(np.exp(np.random.default_rng([5, n]).normal(size=n)))
    assert Quantile(values, of).value == np.quantile(values, of)
