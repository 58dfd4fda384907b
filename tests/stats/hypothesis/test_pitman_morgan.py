"""Equal variances of pairs: SciPy's test of the correlation of sums and differences."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats as witness

from steelyard.stats.hypothesis.pitman_morgan import pitman_morgan


@pytest.mark.parametrize("n", [4, 12, 50])
def test_p_is_that_of_the_correlation_of_sums_and_differences(n):
    rng = np.random.default_rng(n)
    shared = rng.normal(0, 3, n)
    first, second = shared + rng.normal(0, 2, n), shared + rng.normal(0, 1, n)
    expected = witness.pearsonr(first + second, first - second)
    result = pitman_morgan(first, second)
    assert (result.r, result.p) == pytest.approx((expected.statistic, expected.pvalue), rel=1e-9)


def test_the_sample_that_varies_more_gives_the_sign():
    x = np.random.default_rng(1).normal(size=40)
    y = np.random.default_rng(2).normal(0, 0.1, 40)
    assert pitman_morgan(x, y).r > 0.9
    assert pitman_morgan(y, x).r == pytest.approx(-pitman_morgan(x, y).r)
    assert pitman_morgan(x, y).p < 1e-6


def test_a_sample_that_does_not_vary_has_no_part_in_the_other_s_spread():
    result = pitman_morgan(np.random.default_rng(3).normal(size=9), np.ones(9))
    assert (result.r, result.p) == pytest.approx((1, 0), abs=1e-12)


@pytest.mark.parametrize(
    ("first", "second"), [([1, 2], [1, 3]), ([1, 2, 3], [1, 2, 3]), ([1, 1, 1], [2, 2, 2])]
)
def test_too_few_pairs_and_equal_ones_have_no_test(first, second):
    assert pitman_morgan(np.array(first, float), np.array(second, float)) is None


def test_pairs_that_vary_equally_differ_in_5_of_100_whatever_they_share(perfect_passes):
    """N = 2000 of 10 pairs."""
    count, low, high = 2000, 78, 123
    assert perfect_passes(count, 0.05, low, high) > 0.97
    rng = np.random.default_rng(4)
    shared = rng.normal(0, 5, (count, 10))
    first, second = (shared + rng.normal(size=(count, 10)) for _ in range(2))
    assert low <= sum(pitman_morgan(x, y).p <= 0.05 for x, y in zip(first, second, strict=True)) <= high
