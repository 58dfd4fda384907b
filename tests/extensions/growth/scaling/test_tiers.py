"""A second tier of the expected growth: what meets the points better than a power does."""

from __future__ import annotations

import numpy as np
import pytest
from known_growth import kinds
from scipy.optimize import minimize_scalar

from steelyard.extensions.growth.algebra import Growth
from steelyard.extensions.growth.scaling import Expectation, Question, model, model_all, series_of
from steelyard.extensions.growth.scaling.tiers import fit_tier

AT = [float(2**k) for k in range(1, 9)]
LOGARITHM = Growth.make(0, 1)
BOUND = Question(expectations={"*": Expectation("O(log p)", at_most=True)})


def tier(change, steeper=3.0):
    return [2 + np.log2(p) + steeper * max(0.0, np.log2(p / change)) for p in AT]


def repeated(means, noise, rng):
    values = np.array(means)[:, None] * (1 + noise * rng.standard_normal((len(AT), 5)))
    return series_of("f", ["p"], [[p] for p in AT], values.tolist())


def count_failing(series):
    return [answer.validation.rank for answer in model_all(series, BOUND)].count("none")


def test_a_tier_is_fitted_as_by_least_squares_over_its_change():
    values = np.array(tier(45.0)) + 0.05 * np.random.default_rng(2).standard_normal(len(AT))

    def miss(change):
        # Witness: numpy's least squares over hinges, the change by SciPy's scalar search.
        basis = np.stack([np.ones(8), np.log2(AT), np.maximum(np.log2(np.array(AT) / change), 0)], axis=1)
        return float(np.linalg.lstsq(basis, values, rcond=None)[1][0])

    best = minimize_scalar(miss, bounds=(32, 64), method="bounded").fun
    missed, change = fit_tier(LOGARITHM, AT, values, np.ones(8))
    assert 32 <= change <= 64
    assert best <= missed <= 1.1 * best


def test_values_that_become_flatter_are_no_tier():
    missed, _ = fit_tier(LOGARITHM, AT, np.array(tier(16.0, -0.8)), np.ones(8))
    assert missed > 0.1


@pytest.mark.parametrize("beyond", [1, 2, 3])
def test_a_tier_that_begins_between_two_points_does_not_fail_a_logarithm(beyond):
    rng = np.random.default_rng(7)
    change = AT[-beyond - 1] * 2 ** rng.uniform(0.1, 0.9, 40)
    assert count_failing([repeated(tier(s), 0.01, rng) for s in change]) <= 3


def test_a_tier_of_one_value_a_point_does_not_fail_a_logarithm():
    rng = np.random.default_rng(8)
    series = [
        series_of("f", ["p"], [[p] for p in AT], [[v] for v in tier(s)])
        for s in 32 * 2 ** rng.uniform(0, 1, 20)
    ]
    assert count_failing(series) <= 2


def test_what_explains_the_open_bound_is_said():
    answer = model(repeated(tier(90.0), 0.005, np.random.default_rng(3)), BOUND)
    assert answer.validation.rank == "undecided"
    assert "misfit" in kinds(answer)
    assert any("tier" in warning.words or "last points" in warning.words for warning in answer.warnings)


def test_growth_that_is_faster_everywhere_fails_a_logarithm_still():
    rng = np.random.default_rng(9)
    assert count_failing([repeated([5 + p**0.5 for p in AT], 0.01, rng) for _ in range(40)]) >= 36
    assert count_failing([repeated([5 + 0.2 * p for p in AT], 0.02, rng) for _ in range(40)]) >= 38
