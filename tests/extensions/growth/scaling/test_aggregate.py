"""Aggregates against NumPy, noise laws against the law that made the data."""

from __future__ import annotations

import numpy as np
import pytest

from steelyard.extensions.growth.scaling.aggregate import aggregate

TRUTH = np.array([1.0, 4.0, 16.0, 64.0, 256.0, 1024.0])


def test_each_aggregate_is_what_it_says_also_with_launches_missing():
    rng = np.random.default_rng(1)
    values = rng.uniform(1, 2, (3, 4, 7))
    values[0, 1, 5:] = np.nan
    values[2, 3, 2] = np.nan
    witnesses = {
        "mean": np.mean,
        "median": np.median,
        "first-quartile": lambda v: np.quantile(v, 0.25),
        "lower-half": lambda v: np.sort(v)[: max(len(v) // 2, 1)].mean(),
    }
    for how, witness in witnesses.items():
        value = aggregate(values, how).value
        for i in range(3):
            for k in range(4):
                point = values[i, k]
                assert value[i, k] == pytest.approx(witness(point[np.isfinite(point)]))


@pytest.mark.parametrize("law", [0.0, 0.5, 1.0])
def test_the_noise_law_is_found_from_repetitions(law):
    rng = np.random.default_rng(2)
    values = TRUTH[None, :, None] + 0.05 * TRUTH[None, :, None] ** law * rng.standard_normal((200, 6, 5))
    result = aggregate(values, "mean")
    assert (result.law == law).mean() > 0.97
    expected = (0.05 * TRUTH**law) ** 2 / 5
    assert np.median(result.u2, axis=0) == pytest.approx(expected, rel=0.1)
    assert (result.freedom == 24).all()


def test_one_sided_noise_is_modelled_by_its_lower_half_and_symmetric_by_its_mean():
    rng = np.random.default_rng(3)
    shape = (400, 6, 5)
    symmetric = TRUTH[None, :, None] * (1 + 0.05 * rng.standard_normal(shape))
    spiky = TRUTH[None, :, None] * (1 + 0.02 * rng.standard_normal(shape))
    spiky *= 1 + (rng.random(shape) < 0.2) * rng.exponential(0.5, shape)
    # A perfect test at 1 % would pass 400 of these with 12 or fewer errors in 99.9 %.
    assert sum(how != "mean" for how in aggregate(symmetric).aggregate) <= 12
    assert sum(how == "lower-half" for how in aggregate(spiky).aggregate) >= 380


def test_the_uncertainty_of_an_aggregate_is_its_spread_over_experiments():
    rng = np.random.default_rng(4)
    values = 100 * (1 + 0.1 * rng.standard_normal((600, 6, 8)))
    for how in ("mean", "median", "first-quartile", "lower-half"):
        result = aggregate(values, how)
        assert np.sqrt(result.u2.mean()) == pytest.approx(result.value.std(), rel=0.2), how


def test_single_values_have_the_stated_floor_and_no_degrees_of_freedom():
    result = aggregate(TRUTH[None, :, None], "auto", floor=1e-3)
    assert (result.freedom == 0).all()
    assert np.sqrt(result.u2[0]) == pytest.approx(1e-3 * TRUTH)


def test_scaling_all_values_scales_everything():
    values = TRUTH[None, :, None] * (1 + 0.1 * np.random.default_rng(5).standard_normal((20, 6, 5)))
    small, large = aggregate(values), aggregate(1000 * values)
    assert large.value == pytest.approx(1000 * small.value)
    assert large.u2 == pytest.approx(1e6 * small.u2)
    assert np.array_equal(large.law, small.law)


def test_a_zero_is_known_no_better_than_the_smallest_value_above_it():
    values = np.repeat([[0.0, 0.0, 8.0, 24.0]], 5, axis=0).T[None]
    result = aggregate(values, floor=1e-3)
    assert np.sqrt(result.u2[0]) == pytest.approx([8e-3, 8e-3, 8e-3, 24e-3])
