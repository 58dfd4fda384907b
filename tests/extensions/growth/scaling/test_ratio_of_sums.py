"""Uncertainties of points and ratios of sums: closed forms and SciPy are the witnesses."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats as witness

from steelyard.core.series import series_of
from steelyard.extensions.growth.scaling.ratio_of_sums import Uncertain, ratio_of_sums, uncertain_points

P = [2**k for k in range(3, 23)]


def series(values, **keys):
    return series_of("f", ["p"], [[p] for p in P[: len(values)]], values, **keys)


def test_launches_of_a_point_give_its_standard_error():
    values = [[1.0, 1.2, 1.4], [2.0, 2.1, 2.6]]
    for result, sample in zip(uncertain_points(series(values)).values(), values, strict=True):
        assert result.mean == pytest.approx(np.mean(sample))
        assert result.relative == pytest.approx(witness.sem(sample) / np.mean(sample))
        assert (result.nu, result.n, result.kind) == (2, 3, "launches")


def test_single_values_are_as_uncertain_as_their_roughness_says():
    # White noise of 5 % about a power of p: pseudo-residuals have its standard deviation.
    rng = np.random.default_rng(7)
    estimates = []
    for _ in range(100):
        values = [[3 * p**0.7 * np.exp(0.05 * rng.standard_normal())] for p in P]
        result = next(iter(uncertain_points(series(values)).values()))
        assert result.kind == "roughness"
        estimates.append(result.relative**2)
    assert np.sqrt(np.mean(estimates)) == pytest.approx(0.05, rel=0.05)
    # The spread of a variance over its mean is sqrt(2 / nu).
    assert 2 / np.var(np.array(estimates) / 0.05**2) == pytest.approx(result.nu, rel=0.35)


def test_a_power_of_the_parameter_is_not_rough():
    (result, *_) = uncertain_points(series([[3 * p**0.7] for p in P])).values()
    assert result.relative == pytest.approx(0, abs=1e-9)


def test_a_ratio_of_means_is_fiellers():
    uncertain = Uncertain(4.0, 0.1, 9.0, 10, "launches")
    right = Uncertain(2.0, 0.05, 9.0, 10, "launches")
    result = ratio_of_sums([uncertain], [right, right])
    assert (result.value, result.n, result.kind) == (1.0, 10, "launches")
    # The bottom is the sum of two, so that its relative uncertainty is smaller by sqrt 2.
    u = np.hypot(0.1, 0.05 / np.sqrt(2))
    nu = u**4 / (0.1**4 / 9 + 2 * 0.025**4 / 9)
    low, high = result.distribution.interval(0.05).low, result.distribution.interval(0.05).high
    t = witness.t.ppf(0.975, nu)
    for end in (low, high):
        # An end is where the t test of top - end * bottom just does not reject.
        assert abs(4 - end * 4) / np.hypot(0.4, end * 4 * 0.05 / np.sqrt(2)) == pytest.approx(t)


def test_without_any_noise_the_ratio_is_exact_and_unknown_noise_is_no_noise():
    exact = Uncertain(4.0, 0.0, 1e6, 1, "exact")
    unknown = Uncertain(2.0, 0.0, 1e6, 1, "unknown")
    assert ratio_of_sums([exact], [exact]).kind == "exact"
    assert ratio_of_sums([exact], [unknown]).kind == "unknown"
    assert ratio_of_sums([exact], [unknown]).distribution is None


@pytest.mark.parametrize("values", [[[4.0], [], [7.0]], [[4.0, 4.1], [], [7.0, 7.2]]])
def test_a_point_whose_runs_all_failed_has_no_mean(values):
    series = series_of("a", ["p"], [[1], [2], [4]], values)
    assert uncertain_points(series).keys() == {(1.0,), (4.0,)}
