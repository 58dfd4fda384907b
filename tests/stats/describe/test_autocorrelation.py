from __future__ import annotations

import numpy as np
import pytest
from statsmodels.tsa.stattools import acf

from steelyard.stats.describe.autocorrelation import autocorrelation


@pytest.mark.parametrize("n", [3, 10, 57])
def test_r1_is_that_of_statsmodels(n):
    values = np.cumsum(np.random.default_rng(n).normal(size=n))
    assert autocorrelation(values).r1 == pytest.approx(acf(values, nlags=1, fft=False)[1])


def test_the_effective_number_follows_the_small_sample_formula():
    values = np.array([1.0, 2, 3, 2, 2, 4, 5, 4, 3, 4, 2, 1, 2, 0, 1, 2, 3, 3, 4, 3])
    result = autocorrelation(values)
    r = result.r1 + (1 + 3 * result.r1) / 20
    assert 0.44 < result.r1 < r < 0.98
    assert result.corrected == pytest.approx(r)
    assert result.n_eff == pytest.approx(20 * (1 - r) / (1 + r))
    assert result.significant


def test_neighbours_that_differ_cost_nothing():
    result = autocorrelation(np.array([1.0, 2] * 10))
    assert result.r1 < -0.9
    assert (result.corrected, result.n_eff, result.significant) == (0.0, 20.0, False)


def test_the_corrected_value_never_reaches_1():
    result = autocorrelation(np.arange(2000.0))
    assert result.corrected == 0.98
    assert result.n_eff == pytest.approx(2000 * 0.02 / 1.98)


@pytest.mark.parametrize("values", [[], [1.0], [1.0, 2.0], [3.0] * 9])
def test_too_few_or_equal_values_have_none(values):
    assert autocorrelation(np.array(values)) is None


def test_scale_and_offset_do_not_matter():
    values = np.random.default_rng(6).normal(size=30)
    result = autocorrelation(values)
    for series in (
        autocorrelation(1e-200 * values),
        autocorrelation(1e200 * values),
        autocorrelation(values + 1e3),
    ):
        assert series.r1 == pytest.approx(result.r1, abs=1e-9)


@pytest.mark.parametrize("n", [10, 30, 100])
def test_independent_values_are_flagged_in_at_most_one_of_forty(n, perfect_passes):
    """N = 4000; the bound is what a rate of exactly 2.5 % stays below with the probability asserted first."""
    count, most = 4000, 123
    assert perfect_passes(count, 0.025, 0, most) > 0.98
    rng = np.random.default_rng(n)
    flagged = sum(autocorrelation(rng.normal(size=n)).significant for _ in range(count))
    assert flagged <= most


def test_neighbours_that_resemble_each_other_are_found():
    rng = np.random.default_rng(7)
    result = 0
    for _ in range(200):
        values = np.empty(60)
        values[0] = rng.normal()
        for i in range(1, 60):
            values[i] = 0.6 * values[i - 1] + rng.normal()
        result += autocorrelation(values).significant
    assert result > 190
