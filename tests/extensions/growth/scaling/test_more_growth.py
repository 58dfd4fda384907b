"""Upper ends with one growth more than the formula has."""

from __future__ import annotations

import numpy as np
import pytest

from steelyard.extensions.growth.scaling import Question, model_all, series_of
from steelyard.extensions.growth.scaling.more_growth import _bound

P = 2.0 ** np.arange(4, 13)


def test_the_bound_is_that_of_weighted_least_squares():
    rng = np.random.default_rng(3)
    basis = np.stack([np.ones(9), P / P[-1], (P / P[-1]) ** 2])
    variance = rng.uniform(0.5, 2, 9)
    values = 2 + 3 * basis[1] + rng.standard_normal(9)
    far = np.array([[1.0], [4.0], [16.0]])
    result = _bound(basis[None], far[None], values[None], variance[None])
    weighted = basis / variance
    covariance = np.linalg.inv(weighted @ basis.T)
    middle = far[:, 0] @ covariance @ weighted @ values
    assert result[0, 0] == pytest.approx(middle + 1.645 * np.sqrt(far[:, 0] @ covariance @ far[:, 0]))


@pytest.mark.simulates
def test_a_small_square_below_a_line_is_covered():
    rng = np.random.default_rng(249)
    truths, series = [], []
    for number in range(300):
        part = np.exp(rng.uniform(np.log(0.01), np.log(0.3)))

        def value(x, part=part):
            return (1 - part) * x / P[-1] + part * (x / P[-1]) ** 2

        drawn = value(P)[:, None] * (1 + 0.01 * rng.standard_normal((9, 3)))
        series.append(series_of(str(number), ["p"], P[:, None].tolist(), drawn.tolist()))
        truths.append(value(4 * P[-1]))
    answers = model_all(series, Question(targets=({"p": 4 * P[-1]},)))
    held = [a.predictions[0].low <= t <= a.predictions[0].high for a, t in zip(answers, truths, strict=True)]
    assert np.mean(held) >= 0.9


def test_a_straight_line_keeps_a_narrow_interval():
    rng = np.random.default_rng(5)
    drawn = (10 + P)[:, None] * (1 + 0.005 * rng.standard_normal((9, 5)))
    (result,) = model_all(
        [series_of("f", ["p"], P[:, None].tolist(), drawn.tolist())], Question(targets=({"p": 4 * P[-1]},))
    )
    assert result.predictions[0].high / result.predictions[0].low < 1.25
