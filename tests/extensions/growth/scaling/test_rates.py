"""Rates are modelled as the time of a unit of work, and bounds of them are from below."""

from __future__ import annotations

import math

import numpy as np
import pytest
from msgspec.structs import replace

from steelyard.core.errors import UsageError
from steelyard.extensions.growth.algebra import Growth
from steelyard.extensions.growth.scaling import (
    Expectation,
    NotModelled,
    Question,
    model,
    model_all,
    series_of,
)
from steelyard.extensions.growth.scaling.model import Term
from steelyard.extensions.growth.scaling.rates import judged_in_doubt, peak, reciprocal
from steelyard.extensions.growth.scaling.suggest import advise
from steelyard.extensions.growth.scaling.versus import versus

N = [1, 2, 4, 8, 16, 32, 64]


def drawn(rate, at=N, noise=0.01, seed=1, runs=3, better="higher", metric="fom"):
    rng = np.random.default_rng(seed)
    values = [[rate(n) * float(1 + noise * rng.standard_normal()) for _ in range(runs)] for n in at]
    series = series_of("f", ["n"], [[n] for n in at], values, metric=metric)
    return replace(series, better=better)


def usl(n, sigma=0.02, kappa=0.002):
    return 60 * n / (1 + sigma * (n - 1) + kappa * n * (n - 1))


def rank(series, **stated):
    key = next(iter(stated))
    text = stated[key]
    question = Question(expectations={"*": Expectation(text, **({} if key == "expect" else {key: True}))})
    return model(series, question).validation.rank


def test_an_upper_bound_of_o1_fails_a_rate_that_falls():
    falls = drawn(lambda n: 7e6 * n**-0.25)
    assert rank(falls, at_most="O(1)") == "none"
    assert rank(falls, at_least="O(1)") == "none"
    # The same values are a cost that keeps it.
    assert rank(replace(falls, better="lower"), at_most="O(1)") == "match"


def test_a_rate_that_stays_or_grows_keeps_the_bound():
    assert rank(drawn(lambda _: 7e6), at_most="O(1)") == "match"
    assert rank(drawn(lambda n: 50.0 * n), at_most="O(1)") == "match"
    assert rank(drawn(lambda n: 50.0 * n), at_least="O(n)") == "match"
    assert rank(drawn(lambda n: 50.0 * n**0.5), at_least="O(n)") == "none"
    assert rank(drawn(lambda n: 50.0 * n), expect="O(n)") == "match"


def test_a_rate_may_not_be_bounded_from_above_nor_a_cost_from_below():
    with pytest.raises(UsageError, match="of which higher is better"):
        rank(drawn(lambda n: 50.0 * n), at_most="O(n)")
    with pytest.raises(UsageError, match="of which lower is better"):
        rank(drawn(lambda n: 50.0 * n, better="lower"), at_least="O(n)")


def test_throughput_with_contention_and_coherence_has_its_peak():
    at = [1, 2, 4, 8, 16, 32, 48]
    question = Question(targets=({"n": 64.0}, {"n": 128.0}))
    near, far = [], []
    for seed in range(20):
        result = model(drawn(usl, at, seed=seed), question)
        assert result.rate
        near.append(result.predictions[0])
        far.append(result.predictions[1])
        top = peak(result, 1.0, 48.0)
        # n* = sqrt((1 - sigma) / kappa) = 22.1
        assert top is not None
        assert top[0] == pytest.approx(22.1, rel=0.15)
        assert top[1] == pytest.approx(usl(22.1), rel=0.05)
        assert any(warning.kind == "peak" for warning in result.warnings)
    for predictions, n in ((near, 64), (far, 128)):
        assert np.median([p.value for p in predictions]) == pytest.approx(usl(n), rel=0.05)
        assert sum(p.low <= usl(n) <= p.high for p in predictions) >= 18


def test_formula_growth_and_values_of_one_line_are_of_the_rate():
    result = model(drawn(lambda n: 50.0 * n, noise=0), Question(targets=({"n": 128.0},)))
    assert result.lead == (Growth.make(1),)
    assert result.growth() == "O(n)"
    assert result.text().startswith("1 / (")
    assert result.at(128.0) == pytest.approx(6400, rel=1e-6)
    (prediction,) = result.predictions
    assert prediction.low <= result.at(128.0) <= prediction.high


def test_a_rate_of_zero_is_refused_with_its_place():
    zero = drawn(lambda n: 0.0 if n == 4 else 1.0, noise=0)
    result = model(zero)
    assert isinstance(result, NotModelled)
    assert "n = 4" in result.reason
    assert isinstance(reciprocal(zero), NotModelled)


def test_a_rate_that_cannot_be_modelled_leaves_the_others_in_their_places():
    zero = drawn(lambda n: 0.0 if n == 4 else 1.0, noise=0)
    answers = model_all([drawn(lambda n: 5.0 * n), zero, drawn(lambda n: 3.0 * n, better="lower")])
    assert [isinstance(answer, NotModelled) for answer in answers] == [False, True, False]
    assert [answer.rate for answer in answers if not isinstance(answer, NotModelled)] == [True, False]


def test_summaries_keep_their_relative_uncertainty():
    series = series_of("f", ["n"], [[1], [2], [4]], [[10.0], [20.0], [40.0]], u=[1.0, 2.0, 4.0], n=[5, 5, 5])
    times = reciprocal(replace(series, better="higher"))
    assert [point.u / point.values[0] for point in times.points] == pytest.approx([0.1, 0.1, 0.1])


def test_an_upper_bound_of_what_falls_and_may_be_either_is_open():
    falls = drawn(lambda n: 100 * n**-0.25, better=None, metric="score")
    question = Question(expectations={"*": Expectation("O(1)", at_most=True)})
    result = model(falls, question)
    assert result.validation.rank == "undecided"
    assert any("--better lower" in warning.words for warning in result.warnings)
    assert model(replace(falls, metric="time"), question).validation.rank == "match"
    assert model(replace(falls, better="neither"), question).validation.rank == "match"


def test_what_looks_like_a_rate_and_is_declared_a_cost_is_not_judged_where_it_falls():
    question = Question(expectations={"*": Expectation("O(1)", at_most=True)})
    falls = drawn(lambda n: 100 * n**-0.25, better="lower")
    assert "looks like a rate" in judged_in_doubt(falls, model(falls, question))
    flat = drawn(lambda _: 100.0, better="lower", noise=0.05)
    assert judged_in_doubt(flat, model(flat, question)) is None
    neither = replace(falls, better="neither")
    assert judged_in_doubt(neither, model(neither, question)) is None


def test_two_rates_are_compared_as_rates():
    result = versus(drawn(lambda n: 100.0 * n), drawn(lambda n: 50.0 * n, seed=2))
    assert result.ratio == pytest.approx(2, rel=0.05)
    assert result.low <= 2 <= result.high
    assert result.larger > 0.99


def test_points_are_suggested_for_rates_as_for_times():
    question = Question(expectations={"*": Expectation("O(n)", at_least=True)})
    assert advise(drawn(lambda n: 50.0 * n**0.9, N[:4], noise=0.05), question)


def test_a_time_that_falls_to_nothing_is_no_peak_of_the_rate():
    line = Term(-1.0, (Growth.make(1),))
    rate = replace(model(drawn(usl)), constant=100.0, terms=(line,), segments=())
    assert rate.at(200.0) == math.inf
    assert peak(rate, 1, 400) is None
