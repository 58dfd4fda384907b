from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import shapiro

from steelyard.extensions.protocol_2014.shapiro_wilk import MOST, normality


def test_the_golden_samples_are_normal_lognormal_and_bimodal(quantiles):
    result = {name: normality(values) for name, values in quantiles.items()}
    for name in ("N1", "N2", "N3"):
        assert result[name].w == pytest.approx(0.998815, abs=5e-7)
        assert result[name].p == pytest.approx(1, abs=1e-6)
    for name in ("L1", "L2"):
        assert result[name].w == pytest.approx(0.731015, abs=5e-7)
        assert result[name].p == pytest.approx(4.55913e-6, rel=1e-4)
    assert result["M1"].w == pytest.approx(0.746373, abs=5e-7)
    assert result["M1"].p == pytest.approx(7.9612e-6, rel=1e-4)


def test_table_1_of_firoz_is_not_normal_in_run_2_and_may_be_in_run_5(run_2, run_5):
    two, five = normality(np.array(run_2)), normality(np.array(run_5))
    assert (two.w, two.p) == pytest.approx((0.636713, 0.000425116), rel=1e-5)
    assert (five.w, five.p) == pytest.approx((0.857166, 0.112495), rel=1e-5)


@pytest.mark.parametrize("scale", [1e-300, 1e-9, 1.0, 1e300])
def test_it_is_scipys_at_any_scale(scale):
    values = np.random.default_rng(1).gamma(3, size=40)
    witness = shapiro(values)
    result = normality(values * scale)
    assert (result.w, result.p) == pytest.approx((witness.statistic, witness.pvalue), rel=1e-10)


@pytest.mark.parametrize("values", [[], [1.0], [1.0, 2.0], [3.0] * 10])
def test_where_it_says_nothing_it_does_not_say_normal(values):
    assert normality(np.array(values)) is None


def test_of_many_values_as_many_are_taken_as_its_approximation_allows():
    values = np.random.default_rng(2).normal(size=3 * MOST)
    assert normality(values).n == MOST
    assert normality(values).p > 1e-4
    assert normality(values**2).p < 1e-10
