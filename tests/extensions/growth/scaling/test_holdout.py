"""Hold-outs: each of the last points is predicted from all before it."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec.structs import replace

from steelyard.extensions.growth.scaling import Question, model, series_of
from steelyard.extensions.growth.scaling.holdout import describe_miss, hold_out

P = [1, 2, 4, 8, 16, 32, 64]


def series(function, at=P, noise=0.0, runs=1, seed=1, **options):
    rng = np.random.default_rng(seed)
    rows = [[function(p) * (1 + noise * e) for e in rng.standard_normal(runs)] for p in at]
    return series_of("f", ["p"], [[p] for p in at], rows, metric="time", **options)


def test_each_point_is_predicted_by_the_model_of_those_before():
    data = series(lambda p: 3 + 0.5 * p, noise=0.02, runs=4)
    result = hold_out(data)
    assert [point.at for point in result.points] == [16, 32, 64]
    for place, point in zip((4, 5, 6), result.points, strict=True):
        before = replace(data, points=data.points[:place])
        (prediction,) = model(before, Question(targets=({"p": point.at},))).predictions
        assert (point.value, point.low, point.high) == (prediction.value, prediction.low, prediction.high)
        assert point.measured == pytest.approx(np.mean(data.points[place].values))
    assert result.passed
    assert result.error < 0.1


def test_amdahls_law_and_a_power_stand_beside():
    result = hold_out(series(lambda p: 2 + 30 / p))
    assert [point.amdahl for point in result.points] == pytest.approx([2 + 30 / p for p in (16, 32, 64)])
    assert result.error_of("amdahl") < 1e-9 < result.error_of("power")
    power = hold_out(series(lambda p: 5 * p**0.3))
    assert [point.power for point in power.points] == pytest.approx([5 * p**0.3 for p in (16, 32, 64)])


def test_rates_are_predicted_as_rates():
    result = hold_out(replace(series(lambda p: 1 / (2 + 30 / p)), better="higher"))
    assert [point.amdahl for point in result.points] == pytest.approx(
        [1 / (2 + 30 / p) for p in (16, 32, 64)]
    )
    assert result.passed


def test_a_change_at_the_last_point_does_not_pass_and_is_named():
    result = hold_out(series(lambda p: 100 + p if p < 64 else 900.0, noise=0.001, runs=5))
    assert [point.is_held for point in result.points] == [True, True, False]
    assert not result.passed
    assert describe_miss(result).startswith("p = 64 was measured as 90")


@pytest.mark.parametrize(
    ("data", "question", "words"),
    [
        (series(float, P[:4]), None, "4 points; 5 are needed"),
        (series(float), Question(method="seed001"), "no intervals"),
        (series_of("f", ["p", "n"], [[1, 1]], [[1.0]]), None, "several parameters"),
    ],
)
def test_what_cannot_be_held_out_says_why_and_does_not_pass(data, question, words):
    result = hold_out(data, question)
    assert result.points == ()
    assert words in describe_miss(result)
    assert not result.passed
    assert result.error is None


def test_the_uncertainty_of_what_was_measured_is_allowed_for():
    data = series(lambda p: 3 + 0.5 * p, noise=0.02, runs=3, seed=8)
    far = replace(data.points[-1], values=(36.0, 30.0, 60.0))
    assert hold_out(replace(data, points=(*data.points[:-1], far))).points[-1].is_held


def test_extra_p_stands_beside_where_it_is_installed():
    pytest.importorskip("extrap", reason="Extra-P is not installed")
    result = hold_out(series(lambda p: 3 + 0.5 * p))
    assert [point.extra_p for point in result.points] == pytest.approx([11, 19, 35], rel=1e-6)
