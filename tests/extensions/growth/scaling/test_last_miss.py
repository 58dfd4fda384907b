"""Intervals beyond the data, by what was missed at the last point. Witness: the arithmetic of one example."""

from __future__ import annotations

import math

import numpy as np
import pytest

from steelyard.core.series import Series, series_of
from steelyard.extensions.growth.scaling import Question, ScalingModel, model
from steelyard.extensions.growth.scaling.last_miss import OF_MISS, last_miss
from steelyard.extensions.growth.scaling.model import Prediction

SCALES = (16, 32, 64, 128, 256, 512)


def make_series(values, scales=SCALES) -> Series:
    return series_of("f", ["p"], [[p] for p in scales], [np.atleast_1d(v).tolist() for v in values])


def predicted(series: Series, scale: float = 1024) -> Prediction:
    answer = model(series, Question(targets=({"p": scale},)))
    assert isinstance(answer, ScalingModel)
    return answer.predictions[0]


def width(prediction: Prediction) -> float:
    return math.log(prediction.high / prediction.low)


def test_an_interval_is_as_wide_as_the_miss_of_the_last_point():
    values = [100, 51, 26, 13.6, 7.2, 5.9]  # what fell by half a doubling levels off at the last point
    missed = abs(math.log(5.9 / predicted(make_series(values[:-1], SCALES[:-1]), 512).value))
    answer = predicted(make_series(values))
    for end in (answer.low, answer.high):
        assert abs(math.log(end / answer.value)) >= OF_MISS * missed - 1e-9


def test_a_miss_counts_for_each_of_its_steps_beyond():
    values = [100, 51, 26, 13.6, 7.2, 5.9]
    near, far = predicted(make_series(values), 1024), predicted(make_series(values), 4096)
    assert width(far) > 2 * width(near)


def test_what_was_predicted_is_not_widened():
    exact = [3 + p / 2 for p in SCALES]
    assert width(predicted(make_series(exact))) < 0.03


def test_noise_that_repetitions_tell_is_no_miss():
    rng = np.random.default_rng(5)
    noisy = [10 * (1 + 0.1 * rng.standard_normal(8)) for _ in SCALES]
    once = [float(values[0]) for values in noisy]
    assert width(predicted(make_series(noisy))) < 0.5 * width(predicted(make_series(once)))


def test_between_points_nothing_is_widened():
    values = [100, 51, 26, 13.6, 7.2, 5.9]
    assert width(predicted(make_series(values), 400)) < 0.5 * width(predicted(make_series(values)))


def test_of_three_points_it_is_how_the_slopes_differ():
    # Slopes -1 and 0 in logarithms.
    assert last_miss(None, (1, 2, 4), (8, 4, 4)) == pytest.approx(1)
    assert last_miss(None, (1, 2, 4), (8, 4, 2)) == pytest.approx(0, abs=1e-12)


def test_series_whose_slopes_wander_are_held():
    """Local exponents that wander, as those of real codes do: 36 of 40 are held without the miss."""
    rng = np.random.default_rng(11)
    scales = [2.0**k for k in range(8)]
    held = 0
    for _ in range(40):
        slopes = 0.1 + np.cumsum(rng.normal(0, 0.2, 7))
        values = [100 * 2**power for power in np.concatenate([[0], np.cumsum(slopes)])]
        answer = predicted(make_series(values[:-1], scales[:-1]), 128)
        held += answer.low <= values[-1] <= answer.high
    assert held >= 38
