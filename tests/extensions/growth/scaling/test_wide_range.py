"""Values over so many orders of magnitude that squares of the smallest vanish beside those of the largest."""

from __future__ import annotations

import numpy as np
import pytest
from known_growth import series

from steelyard.extensions.growth.algebra import parse_growth
from steelyard.extensions.growth.scaling import Expectation, Question, model

FAR = (1e2, 1e9, 1e16, 1e23, 1e30)


@pytest.mark.parametrize("text", ["p", "p^0.5", "p^2", "p log p", "p^-1"])
def test_an_exact_growth_over_tens_of_orders_is_found(text):
    growth = parse_growth(text)
    result = model(
        series([3 * growth.at(p) for p in FAR], FAR), Question(expectations={"*": Expectation(text)})
    )
    assert (result.lead, result.constant) == ((growth,), 0.0)
    assert result.terms[0].coefficient == pytest.approx(3, rel=1e-6)
    assert result.validation.rank == "match"


@pytest.mark.parametrize("noise", [0.0, 0.03])
def test_a_constant_that_shows_at_the_smallest_point_alone_is_kept(noise):
    truth = np.array([500 + p for p in FAR])[:, None]
    values = truth * (1 + noise * np.random.default_rng(1).standard_normal((5, 5 if noise else 1)))
    result = model(series(values.tolist(), FAR))
    assert result.growth() == "O(p)"
    assert result.constant == pytest.approx(500, rel=0.2)


def test_what_is_constant_over_tens_of_orders_is_constant():
    values = 3 * (1 + 0.03 * np.random.default_rng(2).standard_normal((5, 5)))
    assert model(series(values.tolist(), FAR)).growth() == "O(1)"
