"""Models of data whose formula is known, and what they rest on."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from known_growth import P, exact, kinds, series

from steelyard.core.errors import UsageError
from steelyard.extensions.growth.algebra import Growth, parse_growth
from steelyard.extensions.growth.scaling import (
    Expectation,
    NotModelled,
    Question,
    model,
    model_all,
    series_of,
)
from steelyard.extensions.growth.scaling.modelling import BATCH


@pytest.mark.parametrize(
    "text",
    [
        "log p",
        "log^2 p",
        "p^0.25",
        "p^(1/3) log p",
        "p^0.5",
        "p^(2/3) log^2 p",
        "p",
        "p log p",
        "p^1.25",
        "p^2",
        "p^3 log p",
    ],
)
def test_data_without_noise_give_their_formula_exactly(text):
    result = model(exact(text))
    assert result.lead == (parse_growth(text),)
    assert result.posterior > 0.9
    assert result.constant == pytest.approx(3, rel=1e-3)
    assert result.at(8192.0) == pytest.approx(3 + 0.5 * parse_growth(text).at(8192), rel=1e-3)
    assert not kinds(result) & {"lack_of_fit", "segments", "edge"}


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("p 2^p", range(3, 17)),
        ("p^3 2^p", range(3, 17)),
        ("p^4", [2, 4, 8, 16, 32, 64]),
        ("2^(p/2)", range(4, 20)),
    ],
)
def test_what_grows_faster_than_the_grid_is_found_where_an_exponential_is_expected(text, at):
    result = model(exact(text, list(at)), Question(expectations={"*": Expectation("O(2^p)", at_most=True)}))
    assert result.lead == (parse_growth(text),)
    assert not kinds(result) & {"lack_of_fit", "segments"}


def test_a_falling_series_has_a_falling_term_and_no_negative_coefficient():
    result = model(series([1000 / p for p in P]), Question(targets=({"p": 4096},)))
    assert result.lead == (Growth.make(-1),)
    assert result.terms[0].coefficient == pytest.approx(1000, rel=1e-3)
    assert result.predictions[0].value == pytest.approx(1000 / 4096, rel=0.01)


def test_a_negative_constant_is_allowed_where_the_formula_stays_positive():
    at = [(p, s) for p in (27, 64, 125, 216, 343) for s in (25, 30, 35, 40, 45)]
    visits = [[-218 + 37.3 * p ** (1 / 3) * s] for p, s in at]
    result = model(series_of("visits", ["p", "size"], at, visits, counts=True))
    assert result.lead == (Growth.make("1/3"), Growth.make(1))
    assert result.constant == pytest.approx(-218, rel=0.01)
    assert result.terms[0].coefficient == pytest.approx(37.3, rel=0.01)


def test_five_values_near_a_logarithm_are_not_settled_by_their_closest_fit():
    # 19 … 106 µs at 16 … 4096: log² fits closest, and small powers nearly as well.
    question = Question(expectations={"*": Expectation("O(log^2 p)")})
    result = model(series([19, 37, 55, 81, 106], [16, 64, 256, 1024, 4096]), question)
    assert result.posterior < 0.8
    assert (Growth.make(0, 2),) in [result.lead, *(lead for lead, _ in result.alternatives)]
    assert result.validation.rank == "undecided"
    assert "no_noise" in kinds(result)


def test_two_terms_are_told_from_one_when_the_data_can():
    # c + a log p + b p with the linear part 40 % at the largest p: a single term is confidently wrong here.
    rng = np.random.default_rng(1)
    truth = np.array([1 + 5 * np.log2(p) / 9 + 4 * p / 512 for p in P])
    right = 0
    for _ in range(40):
        values = truth[:, None] * (1 + 0.005 * rng.standard_normal((6, 5)))
        right += model(series(values)).lead == (Growth.make(1),)
    assert right >= 32


def test_constants_are_kept():
    rng = np.random.default_rng(2)
    many = [series(10 * (1 + 0.1 * rng.standard_normal((6, 5))), name=str(i)) for i in range(300)]
    result = sum(m.lead == (Growth(),) for m in model_all(many))
    # A tool that keeps 97 % passes with probability 0.99.
    assert result >= 284


@settings(max_examples=15)
@given(st.floats(1e-9, 1e9), st.integers(0, 10**6))
def test_scaling_all_values_leaves_verdicts_unchanged(factor, seed):
    rng = np.random.default_rng(seed)
    values = np.array([5 + p**0.5 for p in P])[:, None] * (1 + 0.05 * rng.standard_normal((6, 5)))
    question = Question(expectations={"*": Expectation("p^0.5")}, scale={"p": 4096})
    a, b = model(series(values), question), model(series(values * factor), question)
    assert a.lead == b.lead
    assert a.validation.probability.match == pytest.approx(b.validation.probability.match, abs=1e-6)
    assert b.predictions[0].high == pytest.approx(factor * a.predictions[0].high, rel=1e-6)


def test_the_order_of_series_and_their_neighbours_change_nothing():
    rng = np.random.default_rng(4)
    many = [
        series(np.array([1 + p for p in P])[:, None] * (1 + 0.1 * rng.random((6, 5))), name=str(i))
        for i in range(8)
    ]
    question = Question(scale={"p": 4096})
    forward, backward = model_all(many, question), model_all(many[::-1], question)[::-1]
    assert [m.text() for m in forward] == [m.text() for m in backward]
    assert [m.predictions for m in forward] == [m.predictions for m in backward]
    assert model(many[3], question).predictions == forward[3].predictions


def test_how_little_a_model_rests_on_is_said():
    few = model(series([[1, 1.1], [2, 2.1], [4, 4.1]], [4, 8, 16]))
    assert {"few_points", "few_launches"} <= kinds(few)
    summary = series_of(
        "s", ["p"], [[p] for p in P], [[float(p)] for p in P], u=[0.01 * p for p in P], n=[1] * 6
    )
    assert "one_launch" in kinds(model(summary))
    far = model(exact("p"), Question(scale={"p": 10**6}))
    assert "far" in kinds(far)


def test_a_formula_that_is_shown_is_positive_where_asked_and_its_lead_grows():
    rng = np.random.default_rng(6)
    question = Question(targets=({"p": 2},))
    many = []
    for power in (0.25, 0.5, 1.0) * 20:
        for constant in (0.0, 5.0, 50.0):
            noise = 1 + 0.2 * rng.standard_normal((6, 5))
            many.append(series(np.abs((constant + np.array(P) ** power)[:, None] * noise)))
    for result in model_all(many, question):
        assert all(term.coefficient > 0 for term in result.terms if term.growth == result.lead)
        assert all(result.at(float(p)) > 0 for p in (2, *P))
    # -10 + p fits exactly, and is negative at 2.
    assert model(series([p - 10 for p in P])).constant == pytest.approx(-10, rel=0.01)
    assert model(series([p - 10 for p in P]), question).at(2.0) >= 0


def test_the_adjusted_coefficient_of_determination_is_that_of_its_definition():
    values = np.array([5 + p for p in P]) * np.array([1.05, 0.95, 1.02, 0.99, 1.03, 0.98])
    result = model(series(values))
    residual = values - [result.at(float(p)) for p in P]
    freedom = len(P) - 1 - len(result.terms)
    assert result.r2 == pytest.approx(1 - (residual @ residual / freedom) / values.var(ddof=1))


def test_a_stated_uncertainty_widens_and_its_launches_let_a_misfit_be_seen():
    def summary(u, n):
        values = [[5 + p * (1.1 if p == 64 else 1.0)] for p in P]
        at = [[p] for p in P]
        return model(
            series_of("f", ["p"], at, values, u=[u * p for p in P], n=[n] * 6), Question(scale={"p": 2048})
        )

    exact, vague = summary(0.001, 30), summary(0.2, 30)
    assert exact.lack_of_fit < 0.01
    assert vague.lack_of_fit > 0.1
    assert summary(0.001, 1).lack_of_fit is None
    widths = [m.predictions[0].high / m.predictions[0].low for m in (exact, vague)]
    assert widths[1] > 1.5 * widths[0]


def test_a_value_with_its_uncertainty_counts_as_much_as_its_launches():
    rng = np.random.default_rng(5)
    values = np.array([5 + p for p in P])[:, None] * (1 + 0.05 * rng.standard_normal((6, 8)))
    u = values.std(axis=1, ddof=1) / np.sqrt(8)
    raw = model(series(values), Question(scale={"p": 2048}))
    summary = series_of("f", ["p"], [[p] for p in P], values.mean(axis=1)[:, None].tolist(), u=u, n=[8] * 6)
    summed = model(summary, Question(scale={"p": 2048}))
    assert summed.launches == 8
    assert summed.predictions[0].value == pytest.approx(raw.predictions[0].value, rel=0.1)


def test_a_model_at_the_edge_of_its_space_is_flagged():
    result = model(exact("p^2"), Question(space=("log p", "p", "p^1.5")))
    assert result.lead == (Growth.make("3/2"),)
    assert {"edge", "lack_of_fit"} & kinds(result)


def test_the_published_method_stays_beside_ours():
    question = Question(method="seed001", expectations={"*": Expectation("O(p)")}, scale={"p": 8192})
    result = model(exact("p"), question)
    assert (result.method, result.validation.rank, result.predictions[0].low) == ("seed001", "match", None)
    assert isinstance(
        model(series_of("two", ["p", "q"], [(p, q) for p in P[:3] for q in P[:3]], [[1.0]] * 9), question),
        NotModelled,
    )


@pytest.mark.parametrize(
    ("question", "message"),
    [
        (lambda: Question(scale={"q": 4}), "no series has a parameter 'q'"),
        (lambda: Question(expectations={"*": Expectation("O(log")}), "column"),
        (lambda: Question(expectations={"*": Expectation("p", "q^")}), "column"),
        (lambda: Question(method="guess"), "not a method"),
        (lambda: Question(aggregate="mode"), "not an aggregate"),
        (lambda: Question(space="huge"), "not a search space"),
        (lambda: Question(space="seed001"), "built around an expectation"),
    ],
)
def test_a_wrong_question_is_an_error_with_a_hint(question, message):
    with pytest.raises(UsageError, match=message) as caught:
        model(exact("p"), question())
    assert caught.value.hint


def test_progress_counts_to_the_end():
    calls = []
    model_all(
        [exact("p"), series([1, 2], [4, 8], "bad"), exact("log p")],
        progress=lambda done, total: calls.append((done, total)),
    )
    assert calls[-1] == (3, 3)


def test_observations_of_the_same_point_are_put_together():
    merged = series_of("f", ["p"], [[8], [4], [8]], [[2.0], [1.0], [3.0]])
    assert [(point.at, point.values) for point in merged.points] == [((4.0,), (1.0,)), ((8.0,), (2.0, 3.0))]
    with pytest.raises(UsageError, match="lists of values"):
        series_of("f", ["p"], [[8]], [[1.0], [2.0]])


def test_modelling_imports_no_scipy_stats(steelyard_env):
    # scipy.stats takes 0.8 s to import, which is more than modelling a thousand functions.
    probe = (
        "import sys; from steelyard.extensions.growth.scaling import Question, model, series_of;"
        "model(series_of('f', ['p'], [[4], [8], [16], [32], [64]], [[1.], [2.], [4.], [8.], [16.]]),"
        " Question(scale={'p': 512}));"
        "print('scipy.stats' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", probe], capture_output=True, text=True, check=True, env=steelyard_env
    )
    assert done.stdout.strip() == "False"


def test_a_misfit_of_several_parameters_says_that_no_change_was_looked_for():
    at = [(p, n) for p in (2, 4, 8, 16, 32) for n in (10, 20, 40, 80, 160)]
    values = [[(p if p < 8 else 100 * p) * n * e for e in (0.999, 1.0, 1.001)] for p, n in at]
    (answer,) = model_all([series_of("f", ("p", "n"), at, values)])
    words = " ".join(warning.words for warning in answer.warnings)
    assert "changes of behaviour are searched only with one parameter" in words


def test_answers_do_not_depend_on_threads():
    rng = np.random.default_rng(4)
    p = [16, 32, 64, 128, 256, 512]
    many = [
        series_of(
            f"f{i}",
            ("p",),
            [(x,) for x in p],
            [[(5 + i % 7 * x) * e for e in rng.uniform(0.95, 1.05, 3)] for x in p],
        )
        for i in range(2 * BATCH + 10)
    ]
    first, second = model_all(many, Question(threads=1)), model_all(many, Question(threads=2))
    assert first == second
