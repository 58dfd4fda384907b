"""On axes from 1 an exponential hides before the last point: none is searched that nobody asked for."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from steelyard.extensions.growth.algebra import CONSTANT, Growth, GrowthClass
from steelyard.extensions.growth.scaling import Expectation, Question, model_all, series_of
from steelyard.extensions.growth.scaling.doubts import Points, chance
from steelyard.extensions.growth.scaling.model import Term

TO_16, TO_32, TO_64 = ([2**k for k in range(last)] for last in (5, 6, 7))


def drawn(axis, count, runs, noise, jobs=0.0, share=0.0, seed=68):
    """Return ``count`` series 1 - share + share p; ``jobs`` is the spread that the runs of a point share."""
    rng = np.random.default_rng(seed)
    series = []
    for number in range(count):
        rows = []
        for p in axis:
            factor = 1 + jobs * rng.standard_normal() + noise * rng.standard_normal(runs)
            rows.append([float(value) for value in np.maximum(factor, 0.01) * (1 - share + share * p)])
        series.append(series_of(f"f{number}", ["threads"], [[p] for p in axis], rows))
    return series


def make_question(growth, *targets, at_most=True):
    expectation = Expectation(growth, at_most=at_most)
    return Question(
        expectations={"*": expectation},
        targets=tuple({"threads": target} for target in targets),
    )


@pytest.mark.parametrize(
    ("axis", "runs", "noise", "jobs"),
    [
        (TO_16, 1, 0.1, 0),
        (TO_32, 1, 0.1, 0),
        (TO_64, 1, 0.03, 0),
        (TO_32, 5, 0.05, 0),
        (TO_16, 10, 0.03, 0.1),
        (TO_32, 10, 0.03, 0.1),
    ],
)
@pytest.mark.parametrize(("share", "growth"), [(0.0, "O(1)"), (0.3, "O(threads)")])
def test_constants_and_lines_from_one_keep_their_own_bound(axis, runs, noise, jobs, share, growth):
    models = model_all(drawn(axis, 200, runs, noise, jobs, share), make_question(growth, 2 * axis[-1]))
    assert sum(model.validation.rank == "none" for model in models) <= 5
    truth = 1 - share + share * 2 * axis[-1]
    held = sum(model.predictions[0].low <= truth <= model.predictions[0].high for model in models)
    assert held >= 184
    for model in models:
        (prediction,) = model.predictions
        assert model.lead[0].exp2 == 0
        assert prediction.value < 30 * truth
        assert prediction.low <= model.at(2.0 * axis[-1]) <= prediction.high
        assert prediction.low <= prediction.value <= prediction.high


def test_an_expected_exponential_is_not_shown_where_all_but_the_last_point_need_none():
    models = model_all(drawn(TO_32, 60, 1, 0.1), make_question("O(2^threads)", 64, at_most=False))
    assert sum(model.lead[0].kind is GrowthClass.EXPONENTIAL for model in models) <= 3
    assert sum(model.validation.rank == "match" for model in models) == 0


def test_an_expected_exponential_that_shows_at_several_points_is_shown():
    rng = np.random.default_rng(3)
    at = range(2, 13)
    rows = [[[3 * 2.0**p * (1 + 0.02 * rng.standard_normal())] for p in at] for _ in range(20)]
    series = [series_of(f"f{n}", ["threads"], [[p] for p in at], row) for n, row in enumerate(rows)]
    models = model_all(series, make_question("O(2^threads)", at_most=False))
    assert sum(model.validation.rank == "match" for model in models) >= 19


@pytest.mark.parametrize("bound", ["O(threads)", "O(threads^2)"])
def test_a_bound_of_a_power_still_fails_what_doubles_at_every_step(bound):
    at = range(3, 14)
    series = series_of("f", ["threads"], [[p] for p in at], [[2.0**p] for p in at])
    (model,) = model_all([series], make_question(bound))
    assert model.validation.rank == "none"
    assert any("--expect 'O(2^threads)'" in warning.words for warning in model.warnings)


def test_the_test_of_an_added_term_is_that_of_its_coefficient():
    rng = np.random.default_rng(5)
    x = np.array([1.0, 2, 4, 8, 16, 32, 64])
    for _ in range(20):
        variance = rng.uniform(0.5, 2, len(x))
        y = 5 + 0.1 * x + rng.normal(0, np.sqrt(variance))
        points = Points(list(x), list(y), [0.0] * 7, 0.0, list(variance))
        # Witness: Student's t of the last coefficient, by normal equations.
        basis = np.column_stack([np.ones(7), x, x**2]) / np.sqrt(variance)[:, None]
        inverse = np.linalg.inv(basis.T @ basis)
        coefficient = inverse @ basis.T @ (y / np.sqrt(variance))
        residual = y / np.sqrt(variance) - basis @ coefficient
        t = coefficient[2] / math.sqrt(inverse[2, 2] * (residual @ residual) / 4)
        result = chance([Term(1.0, (Growth.make(2),))], Growth.make(1), points)
        assert result == pytest.approx(stats.t.sf(abs(t), 4), rel=1e-6)


def test_a_term_that_no_point_is_left_to_tell_is_chance_and_an_exact_one_is_none():
    line = Points([1.0, 2.0, 4.0], [1.0, 2.1, 4.3], [0.0] * 3, 0.0, [0.01] * 3)
    assert chance([Term(1.0, (Growth.make(2),))], Growth.make(1), line) == 1
    x = [1.0, 2.0, 4.0, 8.0, 16.0]
    squares = Points(x, [3 + value**2 for value in x], [0.0] * 5, 0.0, [0.01] * 5)
    assert chance([Term(1.0, (Growth.make(2),))], CONSTANT, squares) == 0
