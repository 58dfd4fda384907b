from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as witness
from uncertainties import correlated_values, umath

from steelyard.stats.uncertainty.propagation import effective_freedom, expand, propagate, sensitivities


@given(
    st.lists(st.floats(0.5, 5), min_size=2, max_size=4),
    st.lists(st.floats(-1, 1), min_size=16, max_size=16),
)
def test_the_law_with_covariances_is_what_the_package_uncertainties_propagates(values, entries):
    k = len(values)
    half = np.array(entries[: k * k]).reshape(k, k)
    covariances = half @ half.T * 1e-4 + 1e-8 * np.eye(k)
    covariances = (covariances + covariances.T) / 2
    x = correlated_values(values, covariances)
    result = umath.log(x[0]) * x[-1] + sum(item * item for item in x)
    c = [result.derivatives[part] for part in result.derivatives]
    # The package keeps independent parts; sensitivities to the correlated values themselves, by hand.
    by_hand = [2 * v for v in values]
    by_hand[0] += values[-1] / values[0]
    by_hand[-1] += math.log(values[0])
    assert len(c) >= k
    u = np.sqrt(np.diag(covariances))
    assert propagate(by_hand, u, covariances) == pytest.approx(result.s, rel=1e-6)


def test_independent_estimates_add_in_quadrature():
    assert propagate([2.0, -1.0], [3.0, 8.0]) == 10.0


def test_a_function_has_the_sensitivities_of_its_derivative():
    result = sensitivities(lambda x: x[0] / x[1], [6.0, 2.0], [1e-4, 0.0])
    assert result == pytest.approx((0.5, -1.5), rel=1e-6)


def test_full_correlation_cancels_in_a_difference_and_doubles_in_a_sum():
    covariances = [[0, 4.0], [4.0, 0]]
    assert propagate([1, -1], [2, 2], covariances) == 0.0
    assert propagate([1, 1], [2, 2], covariances) == 4.0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1.0], [1.0, 2.0]), "1 sensitivities for 2 uncertainties"),
        (([1.0], [-1.0]), "not negative"),
        (([1.0, 1.0], [1.0, 1.0], [[0.0]]), "2 x 2 entries"),
        (([1.0, 1.0], [1.0, 1.0], [[0, 1.0], [0, 0]]), "symmetric"),
        (([1.0, 1.0], [1.0, 1.0], [[0, 2.0], [2.0, 0]]), "larger than the product"),
        (
            ([1.0] * 3, [1.0] * 3, [[0, -1.0, -1.0], [-1.0, 0, -1.0], [-1.0, -1.0, 0]]),
            "make a variance negative",
        ),
    ],
)
def test_what_no_measurement_can_have_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        propagate(*arguments)


def test_effective_degrees_of_freedom_are_those_of_welchs_t():
    rng = np.random.default_rng(3)
    x, y = rng.normal(0, 1, 6), rng.normal(0, 3, 11)
    result = effective_freedom((witness.sem(x), witness.sem(y)), (5, 10))
    assert result == pytest.approx(witness.ttest_ind(x, y, equal_var=False).df, rel=1e-12)


def test_a_component_that_is_stated_has_infinite_degrees_of_freedom_and_so_have_none():
    assert effective_freedom((1.0, 1.0), (4, None)) == pytest.approx(16.0)
    assert effective_freedom((1.0, 1.0), (None, None)) is None
    assert effective_freedom((0.0,), (4,)) is None


def test_the_expanded_uncertainty_has_the_quantile_of_t_or_of_the_normal():
    assert expand(2.0, 7).k == pytest.approx(2.364624, abs=5e-7)
    assert expand(2.0, 7).expanded == pytest.approx(2 * 2.364624, abs=1e-6)
    assert expand(2.0, None).k == pytest.approx(witness.norm.isf(0.025), rel=1e-9)


def test_without_an_uncertainty_the_step_follows_the_value_and_is_not_0_at_0():
    # (exp(h) - exp(-h)) / 2 h = 1 + h^2 / 6; for a square the difference quotient is exact.
    assert sensitivities(lambda x: float(np.exp(x[0])), [0.0], [0.0]) == (pytest.approx(1.0, rel=1e-9),)
    assert sensitivities(lambda x: x[0] ** 2, [1e9], [0.0]) == (pytest.approx(2e9),)
    # A step of 1 would leave the numbers that have a logarithm.
    assert sensitivities(lambda x: math.log(x[0]), [1e-3], [0.0]) == (pytest.approx(1000.0, rel=1e-6),)


def test_what_is_certain_has_no_covariance_and_is_not_refused_for_it():
    assert propagate([1, 1], [0, 2], [[0, 0], [0, 4]]) == 2.0
