"""Whatever was measured: what can be modelled, and what is said where it cannot."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from known_growth import exact, kinds, series
from msgspec.structs import astuple

from steelyard.core.errors import UsageError
from steelyard.extensions.growth.algebra import Growth
from steelyard.extensions.growth.scaling import (
    Expectation,
    NotModelled,
    Question,
    ScalingModel,
    model,
    model_all,
    series_of,
)


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (series([1, 2], [4, 8], "bad"), "2 points; a model needs at least 3, better 5 or more"),
        (series([1], [4], "bad"), "1 point; "),
        (series([1, float("nan"), 3], [4, 8, 16], "bad"), "value nan at p = 8"),
        (series([1, float("inf"), 3], [4, 8, 16], "bad"), "value inf at p = 8"),
        (series([1, -2, 3], [4, 8, 16], "bad"), "negative"),
        (series([0, 0, 0], [4, 8, 16], "bad"), "all values are 0"),
        (series([1e-300, 2e-300, 3e-300], [4, 8, 16], "bad"), "the largest value is 3e-300"),
        (series([1, 2, 3], [0, 8, 16], "bad"), "above 0"),
        (series([1, 2, 3], [4, 8, 1e300], "bad"), "p = 1e+300; parameters must be at most 1e+30"),
        (series([[1], [], [3]], [4, 8, 16], "bad"), "no value at p = 8"),
    ],
)
def test_a_series_that_cannot_be_modelled_says_why_and_stops_no_other(bad, reason):
    good, failed = model_all([exact("p"), bad])
    assert isinstance(good, ScalingModel)
    assert isinstance(failed, NotModelled)
    assert reason in failed.reason


def test_points_below_one_lose_their_logarithms_and_say_so():
    result = model(series([1 + x for x in (0.5, 1, 2, 4, 8)], [0.5, 1, 2, 4, 8]))
    assert result.lead == (Growth.make(1),)
    assert "no_logarithms" in kinds(result)


def test_a_series_that_starts_at_one_keeps_its_logarithms():
    at = [1, 2, 4, 8, 16, 32]
    result = model(series([3 + 2 * np.log2(p) for p in at], at), Question(targets=({"p": 1},)))
    assert result.lead == (Growth.make(0, 1),)
    assert result.predictions[0].value == pytest.approx(3, rel=1e-3)


@pytest.mark.parametrize(
    ("scale", "targets"),
    [({"p": 1}, ()), ({"p": 0}, ()), ({}, ({"p": 0.5},)), ({}, ({"p": -3},))],
)
def test_a_scale_without_a_value_is_refused(scale, targets):
    with pytest.raises(UsageError, match="not a scale at which growth has a value"):
        model(exact("log p"), Question(scale=scale, targets=targets))


def test_a_scale_beyond_the_largest_is_refused():
    with pytest.raises(UsageError, match=r"p = 1e\+300 is beyond the largest scale, 1e\+30"):
        model(exact("log p"), Question(targets=({"p": 1e300},)))


def test_series_of_different_points_and_launches_are_read_as_each_would_be_alone():
    many = [
        series([1, 2, 3, 4, 5], [4, 8, 16, 32, 64], "a"),
        series([[1, 1.1], [2], [3, 3.1], [4], [5]], [4, 8, 16, 32, 64], "ragged"),
        series([2, 4, 6, 8, 10], [4, 8, 16, 32, 64], "b"),
        series([2, -4, 6, 8, 10], [4, 8, 16, 32, 64], "negative"),
        series([[], [], []], [4, 8, 16], "empty"),
        series_of("u", ["p"], [[4], [8], [16]], [[1.0], [2.0], [3.0]], u=[0.1, 0.1, 0.1], n=[5, 5, 5]),
        series_of("none", ["p"], [], []),
    ]
    assert model_all(many) == tuple(model(item) for item in many)


@pytest.mark.parametrize("launches", [1, 5])
def test_a_logarithm_that_begins_at_one_is_shown_as_one(launches):
    at = [1, 2, 4, 8, 16, 32]
    result = model(series([[np.log2(p)] * launches for p in at], at))
    assert result.lead == (Growth.make(0, 1),)
    assert (result.constant, result.at(1024.0)) == (0.0, pytest.approx(10))


@pytest.mark.parametrize("sigma", [1.5, 3.0])
@pytest.mark.parametrize("start", [1, 16])
def test_noise_over_orders_of_magnitude_settles_no_rank_and_names_no_exponential(sigma, start):
    at = [start * 2**k for k in range(6)]
    rng = np.random.default_rng(11)
    many = [series(rng.lognormal(0, sigma, (6, 5)), at, str(i)) for i in range(40)]
    result = model_all(many, Question(expectations={"*": Expectation("O(1)")}, scale={"p": 4096}))
    ranks = [item.validation.rank for item in result]
    assert "none" not in ranks
    assert ranks.count("undecided") >= 36
    assert not any(growth.exp2 for element in result for growth in element.lead)
    assert sum("noise" in kinds(element) for element in result) >= 36


LATE = [1, 2, 4, 8, 16, 32, 64]


@pytest.mark.parametrize("launches", [1, 5])
@pytest.mark.parametrize("start", [2, 8, 32])
@pytest.mark.parametrize("expect", ["O(1)", "O(p)"])
def test_a_series_that_begins_late_has_no_rank_and_says_why(start, launches, expect):
    data = series([[max(0, p - start)] * launches for p in LATE], LATE)
    result = model(data, Question(expectations={"*": Expectation(expect)}, scale={"p": 128}))
    assert (result.validation.rank, result.validation.rank_at_scale) == ("undecided", "undecided")
    (warning,) = [item for item in result.warnings if item.kind == "zeros"]
    assert "no rank is given" in warning.words


def test_one_huge_value_behind_zeros_overflows_nothing():
    data = series([0, 0, 0, 0, 1e30], [1, 2, 3, 4, 5])
    question = Question(expectations={"*": Expectation("O(p)")}, scale={"p": 1000})
    result = model(data, question)
    (predictions,) = result.predictions
    assert np.isfinite([predictions.low, predictions.value, predictions.high]).all()
    assert result.validation.rank == "undecided"


def test_one_zero_where_nothing_is_to_do_yet_keeps_the_rank():
    data = series([[p - 1] * 5 for p in LATE], LATE)
    result = model(data, Question(expectations={"*": Expectation("O(p)")}))
    assert (result.validation.rank, result.constant) == ("match", pytest.approx(-1))
    assert [item.words for item in result.warnings if item.kind == "zeros"] == ["1 point is 0"]


def test_zeros_are_modelled_and_said():
    result = model(series([0, 1, 2, 3, 4, 5], [1, 2, 3, 4, 5, 6]))
    assert "zeros" in kinds(result)
    assert result.at(6.0) == pytest.approx(5, rel=0.05)


magnitudes = st.floats(0, 1e12, allow_subnormal=False) | st.just(0.0) | st.just(1e-30) | st.just(1e30)


coordinates = st.floats(1e-3, 1e7, allow_subnormal=False) | st.integers(1, 4096).map(float)


@pytest.mark.parametrize(
    ("at", "values"),
    [
        ([0.5, 1.0, 2.0], [[1.0], [1.0], [0.0]]),  # the last point has all weight
        ([1.0, 2.0, 3.0], [[0.0], [0.0], [0.0, 0.0, 0.0, 1e-30]]),
        ([1.0, 2.0, 34.0], [[1e-30], [1e-30, 1e-30], [0.0]]),
        ([1.0, 2.0, 3.0], [[0.0], [0.0], [0.0, 2555.0, 0.0, 0.0]]),
    ],
)
def test_a_point_that_has_all_weight_or_none_gives_finite_numbers(at, values):
    result = model(series_of("f", ["p"], [[x] for x in at], values), Question(scale={"p": 8192}))
    numbers = [result.constant, result.posterior, result.predictions[0].value]
    assert np.isfinite([*numbers, *(term.coefficient for term in result.terms)]).all()


@pytest.mark.parametrize(
    ("at", "values"),
    [([3.0, 0.5, 1.0], [1e-30, 1.0, 1e-30]), ([1.0, 2.0, 0.5], [1e-30, 1.0, 1e30])],
)
def test_values_over_tens_of_orders_are_no_opinion_of_strong_scaling(at, values):
    result = model(
        series_of("f", ["p"], [[x] for x in at], [[y] for y in values]), Question(scale={"p": 8192})
    )
    prediction = result.predictions[0]
    assert prediction.low <= prediction.value <= prediction.high


def test_a_value_whose_square_is_no_number_is_a_reason():
    result = model(series_of("f", ["p"], [[1], [2], [3]], [[5e-208], [5e-208], [0.0, 1e-30, 1.0]]))
    assert isinstance(result, NotModelled)
    assert result.reason == "the smallest value above 0 is 5e-208; models need it above 1e-100"


@settings(max_examples=150)
@given(
    st.lists(coordinates, min_size=1, max_size=9, unique=True),
    st.data(),
)
def test_whatever_is_measured_gets_finite_numbers_or_a_reason(at, data):
    values = [data.draw(st.lists(magnitudes, min_size=1, max_size=4)) for _ in at]
    question = Question(expectations={"*": Expectation("O(p)")}, scale={"p": 8192})
    result = model(series_of("f", ["p"], [[x] for x in at], values), question)
    if isinstance(result, NotModelled):
        assert result.reason
        return
    numbers = [result.constant, result.posterior, *(term.coefficient for term in result.terms)]
    numbers += [astuple(result.validation.probability)[i] for i in range(3)]
    assert np.isfinite(numbers).all()
    prediction = result.predictions[0]
    assert not np.isnan([prediction.value, prediction.low, prediction.high]).any()
    assert prediction.low <= prediction.value <= prediction.high
    assert result.text()
