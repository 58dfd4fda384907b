"""Shapes that one growing term does not have: valleys, bounds, negative parts, steps, sums of parameters."""

from __future__ import annotations

import numpy as np
import pytest
from known_growth import kinds

from steelyard.extensions.growth.algebra import CONSTANT, Growth
from steelyard.extensions.growth.scaling import Expectation, Question, model, model_all, series_of

P = [float(2**k) for k in range(4, 12)]


def noisy(truth, seed, noise=0.02, at=P, name="f"):
    values = np.array([truth(p) for p in at])[:, None]
    rows = values * (1 + noise * np.random.default_rng(seed).standard_normal((len(at), 5)))
    return series_of(name, ["p"], [[p] for p in at], rows.tolist())


@pytest.mark.parametrize("seed", range(3))
def test_strong_scaling_with_overhead_is_a_falling_and_a_growing_term(seed):
    def truth(p):
        return 1600 / p + 0.5 * p**0.5 + 2

    result = model(noisy(truth, seed), Question(scale={"p": 8192}))
    assert result.lead[0].kind.name == "POLYNOMIAL"
    assert result.lead[0] > CONSTANT
    assert any(term.growth[0] < CONSTANT for term in result.terms)
    prediction = result.predictions[0]
    assert prediction.low <= truth(8192) <= prediction.high
    assert prediction.value == pytest.approx(truth(8192), rel=0.15)


@pytest.mark.parametrize("expect", ["O(1/p + p^0.5)", "O(p^0.5 + 1/p)"])
def test_an_expectation_may_fall_and_grow(expect):
    question = Question(expectations={"*": Expectation(expect)})
    result = model(noisy(lambda p: 1600 / p + 0.5 * p**0.5 + 2, 1), question)
    assert result.validation.rank in ("match", "approximate")


def test_what_falls_to_a_serial_part_is_constant_in_the_end_and_both_parts_are_named():
    question = Question(expectations={"*": Expectation("O(1)")})
    result = model(noisy(lambda p: 10 + 800 / p, 2), question)
    assert result.lead == (CONSTANT,)
    assert result.growth() == "O(1)"
    assert result.terms[0].growth == (Growth.make(-1),)
    assert result.validation.rank == "match"
    (warning,) = [item for item in result.warnings if item.kind == "bounded"]
    assert warning.words.startswith("falls to ")
    assert warning.words.endswith("the difference is p^-1")


def test_what_falls_to_nothing_keeps_its_falling_lead():
    result = model(noisy(lambda p: 800 / p, 2))
    assert result.lead == (Growth.make(-1),)
    assert "bounded" not in kinds(result)


def test_what_rises_towards_a_bound_is_constant_in_the_end():
    result = model(noisy(lambda p: 10 * p / (p + 60), 3, noise=0.003), Question(scale={"p": 8192}))
    assert result.lead == (CONSTANT,)
    prediction = result.predictions[0]
    assert prediction.low <= 10 * 8192 / 8252 <= prediction.high


def test_a_product_with_a_negative_part_keeps_it():
    at = [(p, n) for p in (16, 32, 64, 128, 256) for n in (10, 20, 40, 80, 160)]
    values = [[n * (3 * np.log2(p) - 9)] for p, n in at]
    question = Question(targets=({"p": 2048, "n": 160},))
    result = model(series_of("f", ["p", "n"], at, values, counts=True), question)
    assert result.lead == (Growth.make(0, 1), Growth.make(1))
    assert {round(term.coefficient, 2) for term in result.terms} == {3.0, -9.0}
    assert result.predictions[0].value == pytest.approx(160 * (3 * 11 - 9), rel=0.01)


def test_a_step_above_a_thousand_is_no_exponential():
    # A hash set doubles its table once: 2^n is a step there, and so is every term that is steep enough.
    at = [1000.0, 2000.0, 4000.0, 8000.0, 16000.0, 32000.0]
    values = [[v] for v in (3.0, 3.0, 3.0, 3.0, 3.0, 6.0)]
    result = model(series_of("f", ["n"], [[n] for n in at], values), Question(targets=({"n": 64000},)))
    assert all(not growth.exp2 for lead in [result.lead, *(lead for lead, _ in result.alternatives)]
               for growth in lead)  # fmt: skip
    assert np.isfinite(result.at(64000.0))
    assert np.isfinite(result.predictions[0].high)


def test_sums_of_parameters_are_told_from_products():
    at = [(p, n) for p in (2, 4, 8, 16, 32) for n in (10, 20, 40, 80, 160)]
    added = model(series_of("f", ["p", "n"], at, [[1.0 + p + 2 * n] for p, n in at]))
    assert added.growth() == "O(p + n)"
    multiplied = model(series_of("f", ["p", "n"], at, [[1.0 + 2 * p * n] for p, n in at]))
    assert multiplied.growth() == "O(p n)"


def test_constants_with_much_noise_are_stated_and_hardly_ever_called_growing():
    # 10 % at six points of five launches. A method that keeps 98 % calls at most 9 growing with 0.99.
    at = P[:6]
    many = [noisy(lambda _: 7.0, seed, noise=0.1, at=at, name=str(seed)) for seed in range(200)]
    result = model_all(many, Question(expectations={"*": Expectation("O(1)")}))
    ranks = [item.validation.rank for item in result]
    # Of a third a logarithm could be 15 % of the value at four times the range, and they are open.
    assert ranks.count("match") >= 125
    assert ranks.count("none") <= 4
    assert sum(element.lead != (CONSTANT,) for element in result) <= 9


def test_where_no_formula_makes_sense_nothing_is_known_but_what_was_measured():
    at = [10.0, 20.0, 30.0, 40.0, 50.0, 60.0]
    falling = series_of("f", ["p"], [[p] for p in at], [[100 - p] for p in at])
    result = model(falling, Question(expectations={"*": Expectation("O(p)")}, scale={"p": 8192}))
    assert "no_formula" in kinds(result)
    assert result.validation.rank == "undecided"
    assert result.posterior < 0.35
    assert result.predictions[0].low <= 40
    assert result.predictions[0].high >= 90


def test_of_a_value_after_zeros_alone_the_interval_holds_that_value():
    late = series_of("f", ["p"], [[p] for p in P], [[0.0]] * 7 + [[1.0]])
    result = model(late, Question(expectations={"*": Expectation("O(1)")}, scale={"p": 8192}))
    assert result.validation.rank == "undecided"
    assert result.posterior < 0.35
    assert result.predictions[0].low == 0
    assert result.predictions[0].high >= 1


def test_a_steep_fall_is_searched_where_nothing_else_fits():
    result = model(series_of("f", ["p"], [[p] for p in P], [[p**-4] for p in P]))
    assert result.lead == (Growth.make(-4),)
    assert "no_formula" not in kinds(result)
