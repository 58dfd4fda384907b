"""Ranks that a formula states and the data do not: hidden growth, and formulas that miss the points."""

from __future__ import annotations

import numpy as np
import pytest
from known_growth import kinds
from msgspec.structs import replace

from steelyard.extensions.growth.algebra import Growth
from steelyard.extensions.growth.scaling import Expectation, Question, model, model_all, series_of
from steelyard.extensions.growth.scaling.doubts import END, Points, hidden_share
from steelyard.extensions.growth.scaling.model import Term
from steelyard.extensions.growth.scaling.status_quo import accept, read_accepted

P = [float(2**k) for k in range(4, 10)]
LINEAR = Growth.make(1)


def drawn(truth, count, noise, at=P, seed=1):
    rng = np.random.default_rng(seed)
    means = np.array([truth(p) for p in at])[:, None]
    return [
        series_of(
            "f", ["p"], [[p] for p in at], (means * (1 + noise * rng.standard_normal((len(at), 5)))).tolist()
        )
        for _ in range(count)
    ]


def ranks(series, expect, *, at_most=False, scale=None):
    question = Question(
        expectations={"*": Expectation(expect, at_most=at_most)}, scale={"p": scale} if scale else {}
    )
    return [result.validation.rank for result in model_all(series, question)]


def test_what_hides_is_the_upper_bound_of_weighted_least_squares():
    # Witness: the closed form of the slope's variance in simple regression.
    x, values, sd = np.array(P), np.array([7.0, 7.1, 6.9, 7.0, 7.05, 6.95]), 0.1
    points = Points(P, values.tolist(), [sd**2] * 6, 20.0, [sd**2] * 6)
    spread = ((x - x.mean()) ** 2).sum()
    slope = ((x - x.mean()) * (values - values.mean())).sum() / spread
    most = (max(slope, 0.0) + END * sd / np.sqrt(spread)) * (4096 - P[0])
    plain = values.mean() - slope * x.mean()
    assert hidden_share((), LINEAR, points, 4096) == pytest.approx(most / (plain + most), rel=1e-9)


def test_as_many_terms_as_points_leave_nothing_to_tell_a_hidden_one_by():
    points = Points([16.0, 32.0], [1.0, 1.0], [0.01] * 2, 8.0, [0.01] * 2)
    assert hidden_share((), LINEAR, points, 64) == 1


def test_flat_values_are_not_slower_than_linear_where_linear_growth_would_not_show():
    flat = drawn(lambda p: 2e5 + p, 50, 0.05)
    assert ranks(flat, "O(p)").count("none") <= 2
    result = model(flat[0], Question(expectations={"*": Expectation("O(p)")}))
    assert "hidden" in kinds(result)
    assert "O(p) may hide below O(1)" in next(w.words for w in result.warnings if w.kind == "hidden")


def test_flat_values_are_slower_than_linear_where_data_exclude_growth():
    assert ranks(drawn(lambda _: 7.0, 50, 0.002), "O(p)").count("none") >= 48


def test_an_expected_constant_is_open_at_a_scale_that_the_data_do_not_reach():
    flat = drawn(lambda p: 2e5 + p, 50, 0.02)
    assert ranks(flat, "O(1)", scale=1e6).count("match") == 0
    assert ranks(flat, "O(1)", scale=512).count("match") >= 40


def test_constant_time_keeps_every_upper_bound():
    assert ranks(drawn(lambda _: 7.0, 50, 0.05), "O(p)", at_most=True).count("match") >= 48


def test_two_straight_stretches_of_a_logarithm_are_not_faster_than_a_logarithm():
    def tier(p):
        return 2 + np.log2(p) + 3 * max(0.0, np.log2(p) - 5)

    at = [float(2**k) for k in range(1, 9)]
    assert ranks(drawn(tier, 30, 0.02, at), "O(log p)").count("none") <= 1
    result = model(drawn(tier, 1, 0.02, at)[0], Question(expectations={"*": Expectation("O(log p)")}))
    assert "misfit" in kinds(result)


def test_a_cubic_that_no_formula_meets_still_fails_a_quadratic_bound():
    # Of every second size 5 % slower: the misfit is seen, and no quadratic meets the last points.
    def uneven(p):
        return p**3 * (1.05 if int(np.log2(p)) % 2 else 1.0)

    assert ranks(drawn(uneven, 30, 0.002), "O(p^2)", at_most=True).count("none") >= 28


@pytest.mark.parametrize(
    ("count", "lead"),
    [
        (lambda k: 3 * (k * 2 ** (k - 1) - k), Growth.make(1, 0, 1)),
        (lambda k: 2**k - k - 1, Growth.make(0, 0, 1)),
        (lambda k: k**3 - 6 * k + 5, Growth.make(3)),
    ],
)
def test_exact_counts_of_a_power_less_a_smaller_term_have_no_change_point(count, lead):
    at = range(3, 15)
    bound = Question(expectations={"*": Expectation("O(k 2^k)", at_most=True)})
    result = model(series_of("f", ["k"], [[k] for k in at], [[float(count(k))] for k in at]), bound)
    assert result.segments == ()
    assert result.lead == (lead,)
    assert result.at(20.0) == pytest.approx(count(20), rel=1e-6)


def test_an_expected_constant_is_open_where_a_logarithm_that_counts_would_not_show():
    assert ranks(drawn(lambda _: 7.0, 50, 0.2), "O(1)", at_most=True).count("match") <= 10
    assert ranks(drawn(lambda _: 7.0, 50, 0.02), "O(1)", at_most=True).count("match") >= 45


def test_three_last_points_of_a_second_tier_keep_a_bound_of_one_logarithm_open():
    at = [float(2**k) for k in range(4, 12)]
    tiers = drawn(lambda p: 1 + np.log2(p) + 2 * max(np.log2(p / at[-3]), 0.0), 30, 0.02, at)
    assert ranks(tiers, "O(log p)", at_most=True).count("none") <= 9


def falling(serial, count, noise, seed=4):
    at = [float(2**k) for k in range(8)]
    return [
        replace(function, better="lower")
        for function in drawn(lambda p: serial + (100 - serial) / p, count, noise, at, seed)
    ]


def test_strong_scaling_keeps_a_bound_that_it_would_keep_with_hidden_growth():
    # c log p that noise hides beside 100/p is less than what 100/p falls on to.
    assert ranks(falling(2.0, 40, 0.02), "O(1)", at_most=True).count("match") >= 34
    assert ranks(falling(2.0, 40, 0.005), "O(1)").count("match") >= 36


def test_a_rise_that_noise_may_hide_leaves_a_bound_of_strong_scaling_open():
    rising = [replace(f, better="lower") for f in drawn(lambda p: 2 + 100 / p + 0.02 * p, 40, 0.05, P)]
    assert ranks(rising, "O(1)", at_most=True).count("match") <= 4


def test_of_a_fall_only_what_is_above_the_last_value_counts_as_hidden():
    # Witness: values of the same least squares, by numpy.
    x = np.array(P)
    values, sd = 2 + 100 / x + np.array([0.02, -0.03, 0.01, 0.02, -0.01, 0.0]), 0.05
    points = Points(P, values.tolist(), [sd**2] * 6, 20.0, [sd**2] * 6)
    basis = np.stack([np.ones(6), 1 / x, np.log2(x)], axis=1)
    coefficient = np.linalg.lstsq(basis, values, rcond=None)[0]
    u = sd * np.sqrt(np.linalg.inv(basis.T @ basis)[2, 2])
    part = (max(coefficient[2], 0.0) + END * u) * (np.log2(4096) - np.log2(x[0]))
    plain, last = (coefficient[0] + coefficient[1] / at for at in (4096, x[-1]))
    terms = (Term(1.0, (Growth.make(-1),)),)
    share = hidden_share(terms, Growth.make(0, 1), points, 4096, over_last=True)
    assert share == pytest.approx(max(part - (last - plain), 0) / (plain + part), rel=1e-9)
    assert share < hidden_share(terms, Growth.make(0, 1), points, 4096)


def test_accepted_strong_scaling_passes_on_the_data_that_it_was_accepted_from():
    series = [replace(f, name=f"f{n}") for n, f in enumerate(falling(2.0, 6, 0.01))]
    text, left_out = accept(model_all(series), series)
    assert len(left_out) <= 1
    answers = model_all(series, Question(expectations=read_accepted(text, "accepted.json")))
    assert [a.validation.rank for a in answers if a.validation].count("match") >= 5
