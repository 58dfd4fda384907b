"""What falls and levels off: what is searched, and what is predicted."""

from __future__ import annotations

import numpy as np
import pytest

from steelyard.extensions.growth.algebra import CONSTANT, Growth
from steelyard.extensions.growth.scaling import Expectation, Question, model, model_all, series_of
from steelyard.extensions.growth.scaling.checks import read
from steelyard.extensions.growth.scaling.levelling import rise_of

P = [float(2**k) for k in range(4, 10)]


def drawn(truth, count, noise, at=P, seed=1):
    rng = np.random.default_rng(seed)
    means = np.array([truth(p) for p in at])[:, None]
    return [
        series_of(
            "f", ["p"], [[p] for p in at], (means * (1 + noise * rng.standard_normal((len(at), 5)))).tolist()
        )
        for _ in range(count)
    ]


@pytest.mark.parametrize(
    ("truth", "rise"),
    [
        (lambda t: 100 / t, "any"),
        (lambda t: 100 / t + t, "any"),
        (lambda t: 100 / t + 0.1 * t, "slow"),
        (lambda t: 100 / min(t, 8), "none"),
    ],
)
def test_growth_is_searched_by_what_the_end_of_a_fall_shows(truth, rise):
    for noise in (0.0, 0.005):
        (series,) = drawn(truth, 1, noise, [1.0, 2.0, 4.0, 8.0, 16.0, 32.0])
        assert rise_of(read(series)) == rise


@pytest.mark.parametrize("at", [[1, 2, 4, 8, 16, 32], [1, 2, 3, 4, 6, 8, 12, 16]], ids=str)
def test_what_falls_and_levels_off_is_not_predicted_to_rise(at):
    # 100 / min(t, 8): no rise was seen, and none is extrapolated.
    series = drawn(lambda t: 100 / min(t, 8), 20, 0.02, at)
    for result in model_all(series, Question(targets=({"p": 64.0},))):
        assert result.lead[0] <= Growth.make(1)
        assert (result.lead[0] > CONSTANT) == any("no rise was seen" in w.words for w in result.warnings)
        (prediction,) = result.predictions
        assert prediction.value < 1.2 * 12.5
        assert prediction.low <= 12.5 <= prediction.high < 8 * 12.5


def test_growth_that_a_fall_hides_is_predicted_and_no_verdict():
    # Contention and coherence (Gunther's law): its least value is between 16 and 32.
    def time(n):
        return (1 + 0.02 * (n - 1) + 2e-3 * n * (n - 1)) / n

    covered = 0
    series = drawn(time, 20, 0.005, [1, 2, 4, 8, 16, 32])
    question = Question(expectations={"*": Expectation("O(1)", at_most=True)}, targets=({"p": 128.0},))
    for result in model_all(series, question):
        covered += result.predictions[0].low <= time(128) <= result.predictions[0].high
        assert result.validation.rank != "none"
    assert covered >= 17


def test_what_falls_and_is_seen_to_rise_again_still_rises():
    (series,) = drawn(lambda t: 100 / t + 0.5 * t, 1, 0.02, [1, 2, 4, 8, 16, 32, 64, 128])
    assert model(series).lead[0] > CONSTANT
