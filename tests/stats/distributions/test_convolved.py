"""Values with an error of their own; SciPy's distributions and root finder are the witnesses."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize
from scipy import stats as witness

from steelyard.stats.distributions.convolved import Convolved


def law_of(nu):
    return witness.norm if math.isinf(nu) else witness.t(nu)


@pytest.mark.parametrize("nu", [math.inf, 30.0, 3.0, 1.0])
@pytest.mark.parametrize("u", [1e-3, 0.1, 5.0])
def test_ends_are_where_the_sum_of_all_shares_is_half_a_value_short_of_the_kth(nu, u):
    values = np.sort(np.random.default_rng(1).standard_t(2, 127))

    def below(at):
        return float(law_of(nu).cdf((at - values) / u).sum())

    result = Convolved(values, u, nu).ends(0.05)
    for bound, expected in ((result.low, 3 - 0.5), (result.high, 127 - 3 + 0.5)):
        far = 1e4 * (u + 1)
        assert bound == pytest.approx(
            optimize.brentq(lambda at, k=expected: below(at) - k, -far, far), rel=1e-3
        )


def test_squares_add_where_the_values_are_those_of_a_normal_distribution():
    values = witness.norm.ppf((np.arange(1, 16384) - 0.5) / 16383)
    result = Convolved(values, 0.75, math.inf).ends(0.05)
    assert result.high == pytest.approx(1.25 * witness.norm.ppf(0.975), rel=1e-3)
    assert result.low == pytest.approx(-result.high)


def test_the_end_of_a_group_of_values_moves_as_far_as_the_error_and_not_by_squares():
    """One far value is in half of all subsets: half of the means lie about 0 and half about 1. Of 5 % in the
    lower group 1.645 u are below, while the square of 1.96 u adds next to nothing to that of 1/2.
    """
    values = np.repeat([0.0, 1.0], 8191)
    result = Convolved(values, 0.02, math.inf).ends(0.05)
    assert result.low == pytest.approx(0.02 * witness.norm.ppf(0.05), rel=2e-3)
    assert result.high == pytest.approx(1 - result.low)


@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from([0, 1, 9]),
    st.floats(1e-9, 10),
    st.just(math.inf) | st.floats(1, 30),
    st.floats(-5, 5),
    st.floats(0.06, 1),
)
def test_p_is_at_most_alpha_outside_of_the_ends_alone_from_either_side(seed, decimals, u, nu, at, alpha):
    values = np.sort(np.random.default_rng(seed).uniform(-3, 3, 40 + seed % 100).round(decimals))
    blurred = Convolved(values, u, nu)
    ends = blurred.ends(alpha)
    tolerance = 1e-8 * u + 1e-12
    for place in (at, ends.low - 2 * tolerance, ends.high + 2 * tolerance, ends.low + 2 * tolerance):
        if not ends.low - tolerance < place < ends.high + tolerance:
            assert blurred.two_sided(place) <= alpha * (1 + 1e-9)
        elif ends.low + tolerance < place < ends.high - tolerance:
            assert blurred.two_sided(place) > alpha
    turned = Convolved(-values[::-1], u, nu).ends(alpha)
    assert turned.low == pytest.approx(-ends.high, abs=2 * tolerance, rel=1e-9)
