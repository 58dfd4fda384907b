"""What only the last point shows is a third of three explanations, and no rank."""

from __future__ import annotations

import numpy as np
import pytest

from steelyard.extensions.growth.algebra import CONSTANT, Growth, GrowthClass, parse_rule
from steelyard.extensions.growth.scaling import Expectation, Question, model, series_of
from steelyard.extensions.growth.scaling.model import Term
from steelyard.extensions.growth.scaling.one_point import rests_on_last, shows_before_last
from steelyard.extensions.growth.scaling.rules import judge

P = [2.0, 4.0, 8.0, 16.0, 32.0, 64.0]
# Five equal values, and twice as much at the largest scale.
HEAP = [65536] * 5 + [131072]


def make_question(expect):
    return Question(expectations={"*": Expectation(expect)}, targets=({"p": 128.0},), scale={"p": 1024.0})


def make_series(values, *, counts=True, name="f"):
    rows = [[float(v)] if np.isscalar(v) else list(v) for v in values]
    return series_of(name, ("p",), [(p,) for p in P[: len(rows)]], rows, counts=counts)


@pytest.mark.parametrize("expect", ["O(1)", "O(log p)", "O(p)", "O(p^3)", "O(2^p)"])
def test_five_flat_points_and_a_jump_at_the_last_are_no_exponential(expect):
    result = model(make_series(HEAP), make_question(expect))
    assert result.lead[0].kind is GrowthClass.POLYNOMIAL
    assert result.posterior < 1 / 3
    assert result.alternatives[0] == ((CONSTANT,), pytest.approx(1 / 3, abs=1e-3))
    assert (result.validation.rank, result.validation.rank_at_scale) == ("undecided", "undecided")
    probability = result.validation.probability
    assert probability.match + probability.approximate + probability.none == pytest.approx(1)
    (warning,) = [item for item in result.warnings if item.kind == "one_point"]
    assert warning.words == f"{result.growth()} rests on p = 64 alone: without it, O(1)"
    interval = result.predictions[-1]
    assert interval.low <= min(HEAP)
    assert interval.high > max(HEAP)


def test_without_the_jump_nothing_is_said_of_it():
    result = model(make_series([65536] * 6), make_question("O(1)"))
    assert result.validation.rank == "match"
    assert "one_point" not in {item.kind for item in result.warnings}


@pytest.mark.parametrize("base", [1.5, 2.0])
def test_an_exponential_that_shows_before_the_last_point_is_one(base):
    points = [(float(p),) for p in range(2, 16, 2)]
    result = model(
        series_of("f", ("p",), points, [[3 * base**p] for (p,) in points], counts=True), make_question("O(p)")
    )
    assert result.validation.rank == "none"
    assert "one_point" not in {item.kind for item in result.warnings}


@pytest.mark.parametrize("seed", range(5))
def test_a_power_that_shows_at_several_points_keeps_its_certainty(seed):
    noise = np.random.default_rng(seed).normal(1, 0.02, (6, 5))
    result = model(
        make_series([row * (5 + 2 * p) for row, p in zip(noise, P, strict=True)], counts=False),
        make_question("O(p)"),
    )
    assert "one_point" not in {item.kind for item in result.warnings}
    assert result.validation.probability.none < 0.2


def test_a_point_off_a_line_leaves_the_line_among_the_explanations():
    result = model(make_series([1, 2, 4, 8, 16, 40]), make_question("O(p)"))
    assert (Growth.make(1),) in [lead for lead, _ in result.alternatives]
    assert result.validation.rank == "undecided"


@pytest.mark.parametrize("launches", [1, 5])
@pytest.mark.parametrize(
    ("at", "values"),
    [
        (P, [5, 5, 5, 5, 5, 5e5]),
        ([16.0, 32, 64, 128, 256, 512], [5, 5, 5, 5, 5, 50]),
        ([16.0, 32, 64, 128, 256, 512], [16, 32, 64, 128, 256, 55]),
        ([2.0, 4, 8, 16, 32, 1e6], [2, 4, 8, 16, 32, 3e6]),
    ],
    ids=["far", "cancelled", "below", "beyond"],
)
def test_one_point_far_off_in_values_without_noise_settles_no_rank(at, values, launches):
    data = series_of("f", ("p",), [(p,) for p in at], [[float(v)] * launches for v in values])
    result = model(data, make_question("O(log p)"))
    assert (result.validation.rank, result.validation.rank_at_scale) == ("undecided", "undecided")
    assert "one_point" in {item.kind for item in result.warnings}


def test_a_rule_over_such_a_function_is_open():
    flat, jumps = model(make_series([65536] * 6, name="flat")), model(make_series(HEAP, name="jumps"))
    result = judge(parse_rule("jumps <= flat"), {"flat": flat, "jumps": jumps}, 2.0, 64.0)
    assert result.verdict == "not_resolved"


def test_a_term_rests_on_the_last_point_where_it_shows_there_and_nowhere_else():
    scales, values = np.array(P), np.full(6, 100.0)
    linear = Term(1.0, (Growth.make(1),))
    # 2 u: the term is 64 at the last point and 32 before it.
    for u, expected in ((15.9, False), (16.1, True), (31.9, True), (32.1, False)):
        assert rests_on_last([linear], scales, values, np.full(6, u**2), values) == expected
    # Without uncertainty, a thousandth of the value is nothing.
    exact = np.zeros(6)
    assert rests_on_last([linear], scales, values * 400, exact, values * 400)
    assert not rests_on_last([linear], scales, values * 300, exact, values * 300)
    assert not rests_on_last([linear], scales, values * 700, exact, values * 700)
    # Three points have no model without one of them.
    assert not rests_on_last([linear], scales[:3], values[:3] * 60, exact[:3], values[:3] * 60)
    assert rests_on_last([linear], scales[:4], values[:4] * 100, exact[:4], values[:4] * 100)
    # Nor is what the formula misses by.
    fitted = values + np.array([0, 0, 0, 0, 17.0, 0])
    assert rests_on_last([linear], scales, values, np.full(6, 1.0), fitted) is False
    assert rests_on_last([linear], scales[:6], values, np.array([256.0] * 4 + [1.0, 1.0]), fitted)


def test_a_term_that_plainly_shows_before_the_last_point_never_rests_on_it():
    rng = np.random.default_rng(4)
    term = Term(1.0, (Growth.make(1),))
    scales = np.array(P)
    plain = []
    for _ in range(200):
        values = rng.uniform(0, 300) + scales
        u2, fitted = rng.uniform(0, 20, 6) ** 2, values + rng.normal(0, 10, 6)
        last_but_one = (np.array([item[-2]]) for item in (scales, values, u2, fitted))
        plain.append(bool(shows_before_last(*last_but_one)[0]))
        if plain[-1]:
            assert not rests_on_last([term], P, values, u2, fitted)
    assert 20 < sum(plain) < 180
