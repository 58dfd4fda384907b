from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats as witness

from steelyard.stats.uncertainty.propagation import effective_freedom, expand, sensitivities


def test_a_function_has_the_sensitivities_of_its_derivative():
    result = sensitivities(lambda x: x[0] / x[1], [6.0, 2.0], [1e-4, 0.0])
    assert result == pytest.approx((0.5, -1.5), rel=1e-6)


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
