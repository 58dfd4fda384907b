"""Ranks against an expectation, and what is said at a scale."""

from __future__ import annotations

import numpy as np
import pytest
from known_growth import P, exact, series
from msgspec.structs import astuple

from steelyard.core.errors import UsageError
from steelyard.extensions.growth.scaling import Expectation, Question, model


def test_the_rank_is_undecided_unless_none_or_what_is_allowed_reaches_four_fifths():
    rng = np.random.default_rng(3)
    for noise in (0.01, 0.1, 0.3):
        values = np.array([5 + np.log2(p) for p in P])[:, None] * (1 + noise * rng.standard_normal((6, 5)))
        v = model(
            series(np.abs(values)), Question(expectations={"*": Expectation("O(log p)", "p^0.5")})
        ).validation
        stated = astuple(v.probability)
        assert sum(stated) == pytest.approx(1)
        assert (v.rank == "undecided") == (max(stated[0] + stated[1], stated[2]) < 0.8)


def test_a_match_has_a_divergence_of_one_and_a_prediction_has_an_interval():
    result = model(
        exact("log p"),
        Question(expectations={"f": Expectation("p"), "*": Expectation("log p")}, scale={"p": 8192}),
    )
    assert result.validation.rank == result.validation.rank_at_scale == "match"
    assert result.validation.divergence.is_constant
    prediction = result.predictions[0]
    assert prediction.at == (8192.0,)
    assert prediction.low <= prediction.value <= prediction.high


def test_an_expectation_reduces_to_the_parameter_that_varies():
    stated = Expectation("O(n/p log(n/p) + p^2 log p)")
    weak = Question(expectations={"*": stated}, along={"n": "p"})
    assert model(exact("p^2 log p"), weak).validation.rank == "match"


def test_growth_below_a_tenth_of_the_value_is_none_against_a_constant_expectation():
    flat = series([1000 + 0.01 * p for p in P])
    v = model(flat, Question(expectations={"*": Expectation("O(1)")}, scale={"p": 1024})).validation
    assert (v.rank, v.rank_at_scale) == ("none", "match")
    v = model(flat, Question(expectations={"*": Expectation("O(1)")}, scale={"p": 10**6})).validation
    assert v.rank_at_scale == "none"


def test_an_expectation_over_what_does_not_vary_is_an_error_and_no_constant():
    growing = series(1e-6 * np.array(P))
    with pytest.raises(UsageError, match=r"O\(m\) depends on m, which does not vary here") as error:
        model(growing, Question(expectations={"*": Expectation("O(m)")}))
    assert error.value.hint == "write it over one of: p; what stays constant is O(1)"
    weak = Question(expectations={"*": Expectation("O(n)")}, along={"n": "p"})
    assert model(growing, weak).validation is not None
    assert model(growing, Question(expectations={"*": Expectation("O(n p)")})).validation is not None
