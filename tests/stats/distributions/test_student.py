from __future__ import annotations

import pytest
from scipy import stats as witness
from statsmodels.stats.power import TTestPower

from steelyard.stats.distributions.student import detectable, t_quantile, two_sided_normal_p, two_sided_p


@pytest.mark.parametrize("nu", [0.3, 1, 2.5, 7, 29, 1e6])
@pytest.mark.parametrize("alpha", [0.5, 0.05, 0.05 / 28, 1e-9])
def test_the_quantile_is_that_of_scipy(nu, alpha):
    assert t_quantile(nu, alpha) == pytest.approx(witness.t.isf(alpha / 2, nu), rel=1e-8)


def test_the_quantile_of_seven_degrees_is_the_one_in_the_books():
    assert t_quantile(7, 0.05) == pytest.approx(2.364624, abs=5e-7)


@pytest.mark.parametrize("nu", [1, 7, 29.5, 1e5])
@pytest.mark.parametrize("t", [0.0, 0.2, -2.1, 12.0, 60.0])
def test_the_p_value_is_that_of_scipy_also_far_out(nu, t):
    assert two_sided_p(t, nu) == pytest.approx(2 * witness.t.sf(abs(t), nu), rel=1e-8)


@pytest.mark.parametrize("z", [0.0, 1.96, -3.3, 9.0])
def test_the_normal_p_value_is_that_of_scipy(z):
    assert two_sided_normal_p(z) == pytest.approx(2 * witness.norm.sf(abs(z)), rel=1e-10)


@pytest.mark.parametrize("n", [3, 5, 10, 30, 200])
@pytest.mark.parametrize("alpha", [0.05, 0.05 / 6])
def test_the_detectable_difference_has_the_power_that_statsmodels_gives_it(n, alpha):
    effect = detectable(n - 1, alpha) / n**0.5
    assert TTestPower().power(effect, n, alpha) == pytest.approx(0.8, abs=2e-5)


def test_the_detectable_difference_agrees_with_the_noncentral_t_for_other_powers():
    for power in (0.5, 0.9, 0.99):
        shift = detectable(9, 0.05, power)
        assert witness.nct.sf(t_quantile(9, 0.05), 9, shift) == pytest.approx(power, abs=5e-5)


def test_it_ends_where_the_series_of_scipy_does_not():
    assert detectable(1, 1e-8) > detectable(1, 1e-5) > 1e4
