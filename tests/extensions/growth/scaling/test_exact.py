"""Exact formulas of counts. Witnesses: closed forms (Faulhaber's sums, messages of textbook algorithms)."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import pytest

from steelyard.core.series import Series, series_of
from steelyard.extensions.growth.algebra import CONSTANT, Growth
from steelyard.extensions.growth.scaling import Question, ScalingModel, model
from steelyard.extensions.growth.scaling.exact import exact_formula
from steelyard.extensions.growth.scaling.exact_models import is_exact
from steelyard.extensions.growth.scaling.question import Expectation

POWERS = (2, 4, 8, 16, 32, 64)
PLAIN = (3, 5, 6, 7, 9, 12, 20)


def growths(scales, function):
    formula = exact_formula(scales, [function(p) for p in scales])
    return None if formula is None else dict(formula.terms)


@pytest.mark.parametrize(
    ("scales", "function", "terms"),
    [
        (POWERS, lambda p: 2 * p * (p - 1), {Growth.make(2): 2, Growth.make(1): -2}),
        (POWERS, lambda p: p * int(math.log2(p)), {Growth.make(1, 1): 1}),
        (POWERS, lambda p: 3 * p * int(math.log2(p)) + 5, {Growth.make(1, 1): 3, CONSTANT: 5}),
        (PLAIN, lambda p: 7 * p + 3, {Growth.make(1): 7, CONSTANT: 3}),
        (
            PLAIN,
            lambda p: sum(i * i for i in range(p + 1)),
            {Growth.make(3): Fraction(1, 3), Growth.make(2): Fraction(1, 2), Growth.make(1): Fraction(1, 6)},
        ),
        ((4, 9, 16, 25, 36, 49), lambda p: 4 * math.isqrt(p), {Growth.make(Fraction(1, 2)): 4}),
        (POWERS, lambda p: 1024 // p, {Growth.make(-1): 1024}),
        (PLAIN, lambda _: 5, {CONSTANT: 5}),
    ],
)
def test_counts_of_a_closed_form_give_it_back(scales, function, terms):
    assert growths(scales, function) == terms


def test_a_count_that_is_one_off_has_no_formula():
    values = [2 * p * (p - 1) for p in POWERS]
    values[3] += 1
    assert exact_formula(POWERS, values) is None


def test_logarithms_of_other_scales_than_powers_of_two_are_no_whole_numbers():
    assert growths(PLAIN, lambda p: math.ceil(math.log2(p))) is None


@pytest.mark.parametrize("values", [(0, 0, 0, 0, 0, 0), (1.5, 2, 3, 4, 5, 6), (-1, 2, 3, 4, 5, 6)])
def test_values_that_are_no_counts_have_no_formula(values):
    assert exact_formula(POWERS, values) is None


def test_two_points_more_than_terms_are_needed():
    assert exact_formula((2, 4, 8), [4, 24, 112]) is None
    assert exact_formula((2, 4, 8, 16), [4, 24, 112, 480]) is not None


def test_counts_of_chance_are_seldom_met_by_a_formula():
    rng = random.Random(1)
    draws = [sorted(rng.randint(0, rng.choice((5, 20, 1000))) for _ in POWERS) for _ in range(300)]
    assert sum(exact_formula(POWERS, values) is not None for values in draws) <= 4  # 1/256 of each, at most


def counts(values, *, repetitions: int = 1, flagged: bool = True) -> Series:
    return series_of(
        "messages", ["p"], [[p] for p in POWERS], [[v] * repetitions for v in values], counts=flagged
    )


def ask(series: Series, bound: str = "O(p^2)") -> ScalingModel:
    question = Question(expectations={"*": Expectation(bound, at_most=True)}, targets=({"p": 128},))
    answer = model(series, question)
    assert isinstance(answer, ScalingModel)
    return answer


def test_a_model_of_counts_is_exact_beyond_them():
    answer = ask(counts([2 * p * (p - 1) for p in POWERS], repetitions=3))
    (prediction,) = answer.predictions
    assert (prediction.low, prediction.value, prediction.high) == (32512, 32512, 32512)
    assert [term.coefficient for term in answer.terms] == [2, -2]
    assert "exact: 2 of 6 counts determine the formula" in answer.warnings[-1].words


@pytest.mark.parametrize(("bound", "rank"), [("O(p^2)", "match"), ("O(p)", "none"), ("O(p^3)", "match")])
def test_the_rank_of_an_exact_formula_is_certain(bound, rank):
    validation = ask(counts([2 * p * (p - 1) for p in POWERS]), bound).validation
    assert validation is not None
    assert validation.rank == rank
    assert validation.probability.probability(rank) == 1


def test_counts_without_a_formula_keep_their_posterior():
    answer = ask(counts([5, 23, 118, 470, 2001, 8050]))
    (prediction,) = answer.predictions
    assert prediction.low < prediction.value < prediction.high
    assert all(warning.kind != "exact" for warning in answer.warnings)


def test_times_are_no_counts_even_where_they_are_whole():
    answer = ask(counts([2 * p * (p - 1) for p in POWERS], flagged=False))
    assert all(warning.kind != "exact" for warning in answer.warnings)


def test_repetitions_that_differ_are_no_exact_counts():
    differing = series_of("f", ["p"], [[p] for p in POWERS], [[p, p + 1] for p in POWERS], counts=True)
    assert not is_exact(differing)
    assert is_exact(counts(POWERS, repetitions=2))
