"""The noise of records around levels that change; closed forms and direct computation are the witnesses."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm, truncnorm

from steelyard.extensions.history.noise import clip, mean_of_smallest, neighbourhood, noise


@pytest.mark.parametrize("fraction", [0.5, 0.8, 0.9])
def test_the_mean_of_the_smallest_squares_is_the_variance_of_a_truncated_normal(fraction):
    bound = norm.ppf((1 + fraction) / 2)
    assert mean_of_smallest(fraction) == pytest.approx(truncnorm.var(-bound, bound), rel=1e-9)


@pytest.mark.parametrize("phi", [0.0, 0.25, 0.45])
def test_noise_and_correlation_are_found_in_spite_of_steps_and_outliers(noise_of, phi):
    rng = np.random.default_rng(1)
    series = 0.02 * noise_of(rng, 4000, phi)
    series[1000:2500] += 0.2
    series[::500] += 1.0
    result = noise(series)
    assert float(result.sd) == pytest.approx(0.02, rel=0.1)
    assert float(result.phi) == pytest.approx(phi, abs=0.06)


def test_the_long_run_deviation_is_that_of_a_long_mean(noise_of):
    rng = np.random.default_rng(2)
    draws = noise_of(rng, 400, 0.5, 2000)
    of_mean = draws.mean(axis=1).std() * np.sqrt(400)
    assert float(noise(noise_of(rng, 20000, 0.5)).long_run) == pytest.approx(of_mean, rel=0.08)


def test_rows_are_judged_each_for_itself(noise_of):
    rows = noise_of(np.random.default_rng(3), 50, 0.3, 4)
    together = noise(rows)
    for place, row in enumerate(rows):
        assert float(together.sd[place]) == pytest.approx(float(noise(row).sd), rel=1e-12)


def test_a_record_knows_its_own_uncertainty_where_the_series_shows_none():
    assert float(noise(np.ones(20), 0.01).sd) == 0.01


def test_the_neighbourhood_is_the_median_of_five_and_of_three_at_the_ends():
    series = np.array([5.0, 1.0, 2.0, 9.0, 4.0, 3.0, 8.0])
    inner = [float(np.median(series[place - 2 : place + 3])) for place in range(2, 5)]
    assert neighbourhood(series).tolist() == [2.0, 2.0, *inner, 4.0, 4.0]


def test_one_record_that_is_far_off_is_pulled_in_and_a_step_is_left_as_it_is():
    series = np.concatenate([np.zeros(10), np.ones(10)])
    assert clip(series, np.asarray(0.01)).tolist() == series.tolist()
    series[4] = 50.0
    assert clip(series, np.asarray(0.01))[4] == pytest.approx(0.03)
