from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import binomtest
from statsmodels.stats.weightstats import ttost_paired

from steelyard.results.interval import Interval
from steelyard.stats.compare.equivalence import equivalence, equivalence_paired

BOUNDS = Interval(-0.4, 0.5)


@pytest.mark.parametrize("seed", range(5))
def test_paired_it_is_that_of_statsmodels(seed):
    rng = np.random.default_rng(seed)
    a = rng.normal(10, size=12)
    b = a + rng.normal(0.1, 0.5, size=12)
    p, low, high = ttost_paired(a, b, BOUNDS.low, BOUNDS.high)
    result = equivalence_paired(a - b, BOUNDS)
    assert (result.p, result.p_low, result.p_high) == pytest.approx((p, low[1], high[1]), rel=1e-10)
    assert result.nu == low[2]


@given(st.floats(-1, 1), st.floats(1e-3, 1), st.integers(1, 100), st.floats(0.01, 0.2))
def test_its_interval_lies_inside_the_bounds_exactly_when_p_is_below_alpha(estimate, se, nu, alpha):
    result = equivalence(estimate, se, nu, BOUNDS)
    within = result.interval(alpha)
    assume(abs(result.p - alpha) > 1e-9)
    assert (result.p < alpha) == (within.low > BOUNDS.low and within.high < BOUNDS.high)


def test_a_difference_that_is_not_significant_is_no_evidence_of_equivalence():
    few = np.array([-1.0, 0.1, 1.2])
    assert equivalence_paired(few, BOUNDS).p > 0.2


def test_equal_differences_show_what_as_many_equal_signs_can():
    # Witness: SciPy's exact binomial test of n signs, one-sided against either bound.
    for n in (2, 4, 5, 12):
        result = equivalence_paired(np.full(n, 0.1), BOUNDS)
        assert result.p == pytest.approx(binomtest(n, n, 0.5, alternative="greater").pvalue)
        assert (result.interval() is not None) == (result.p < 0.05)
    assert equivalence_paired(np.ones(4), BOUNDS).p == 1
    assert equivalence_paired(np.full(12, BOUNDS.high), BOUNDS).p == 1


def test_two_values_are_enough():
    assert equivalence_paired(np.array([0.0, 0.1]), BOUNDS).nu == 1


def test_one_value_is_too_few():
    with pytest.raises(ValueError, match="two differences"):
        equivalence_paired(np.ones(1), BOUNDS)
