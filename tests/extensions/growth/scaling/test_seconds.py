"""Second opinions beyond the data: what each says, and which stands."""

from __future__ import annotations

import numpy as np
import pytest

from steelyard.extensions.growth.scaling import Expectation, Question, model, model_all, series_of
from steelyard.extensions.growth.scaling.seconds import Seconds, compare_answers

P = 2.0 ** np.arange(2, 10)


def ask(values, noise=0.0, seed=1, at=4096.0):
    """Five repetitions of each value, modelled and asked for at a scale beyond them."""
    drawn = np.asarray(values)[:, None] * (
        1 + noise * np.random.default_rng(seed).standard_normal((len(values), 5))
    )
    return model(
        series_of("f", ["p"], P[: len(values), None].tolist(), drawn.tolist()), Question(targets=({"p": at},))
    )


def test_the_simplest_fit_leaves_out_each_point_as_refitting_without_it_does():
    values = np.array([5 + 0.3 * P**0.5 * np.log2(P) + np.cos(P)])
    target = np.array([[2048.0]])
    result = compare_answers(P[:, None], values, np.full(values.shape, 1e-4), target)
    misses = {}
    for power in (k / 4 for k in range(1, 13)):
        for log in range(3):
            f = P**power * np.log2(P) ** log
            relative = []
            for left_out in range(len(P)):
                is_kept = np.arange(len(P)) != left_out
                a, b = np.polyfit(f[is_kept], values[0, is_kept], 1)
                predicted = a * f[left_out] + b
                relative.append(abs(predicted - values[0, left_out]) / (predicted + values[0, left_out]))
            a, b = np.polyfit(f, values[0], 1)
            misses[np.mean(relative), a * 2048**power * 11**log + b] = power, log
    best = min(misses)
    # The space has thirds, too, so that its best may be better, and never worse.
    assert result.simplest[0, 0] == pytest.approx(best[1], rel=0.1)


def test_a_power_goes_on_along_the_slope_of_its_end():
    values = np.array([3 * P**1.7])
    result = compare_answers(P[:, None], values, np.full(values.shape, 1e-4), np.array([[4096.0]]))
    assert result.slope[0, 0] == pytest.approx(3 * 4096**1.7)


def test_where_the_formula_misses_the_middle_one_of_three_answers_stands():
    seconds = Seconds(np.array([[3.0]]), np.array([[2.0]]), np.array([True]))
    assert seconds.convert(0, 0, 9.0, misfit=True) == 3.0
    assert seconds.convert(0, 0, 2.5, misfit=True) == 2.5
    assert seconds.convert(0, 0, 1.0, misfit=True) == 2.0


def test_simplest_fit_that_misses_points_is_no_evidence_against_one_that_meets_them():
    seconds = Seconds(np.array([[3.0]]), np.array([[2.0]]), np.array([False]))
    assert seconds.convert(0, 0, 9.0, misfit=False) == 9.0


def test_a_cache_that_fills_is_predicted_by_the_points_beyond_it():
    dearer = P * (1 + 4 / (1 + (32 / P) ** 3))
    prediction = ask(dearer, 0.01).predictions[0]
    assert prediction.value == pytest.approx(4096 * 5, rel=0.15)
    assert prediction.low <= prediction.value <= prediction.high


def test_three_points_beyond_a_jump_predict_and_rank_nothing():
    jumped = np.where(P < 64, 10 + P, 3 * (10 + P))
    result = ask(jumped, 0.005)
    assert result.predictions[0].value == pytest.approx(3 * 4106, rel=0.15)


@pytest.mark.simulates
def test_scaling_that_ends_in_contention_is_covered_far_out():
    rng = np.random.default_rng(248)
    series, truths = [], []
    for number in range(300):
        sigma, kappa = 10 ** rng.uniform(-3, -0.5), 10 ** rng.uniform(-5, -2)

        def value(n, sigma=sigma, kappa=kappa):
            return (1 + sigma * (n - 1) + kappa * n * (n - 1)) / n

        drawn = value(P)[:, None] * (1 + 0.02 * rng.standard_normal((len(P), 5)))
        series.append(series_of(str(number), ["p"], P[:, None].tolist(), drawn.tolist()))
        truths.append(value(2048.0))
    answers = model_all(series, Question(targets=({"p": 2048.0},)))
    held = [a.predictions[0].low <= t <= a.predictions[0].high for a, t in zip(answers, truths, strict=True)]
    assert np.mean(held) >= 0.9


def test_sure_is_the_probability_that_the_rank_is_decided_by():
    drawn = (100 + P)[:, None] * (1 + 0.01 * np.random.default_rng(4).standard_normal((8, 5)))
    question = Question(expectations={"*": Expectation("O(p)")})
    result = model(series_of("f", ["p"], P[:, None].tolist(), drawn.tolist()), question)
    assert result.validation.rank == "match"
    assert result.rank_probability == result.validation.probability.within
