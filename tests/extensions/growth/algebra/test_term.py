"""The algebra against closed forms: order by limits of ratios, values by direct evaluation."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.extensions.growth.algebra import CONSTANT, Growth, GrowthClass, parse_growth

exponents = st.fractions(min_value=-3, max_value=4, max_denominator=12)
growths = st.builds(Growth, exponents, exponents, st.fractions(min_value=0, max_value=2, max_denominator=4))


@given(growths, growths)
def test_a_quotient_undoes_a_product(a, b):
    assert (a * b) / b == a


@given(growths, growths, growths)
def test_the_order_is_kept_under_multiplication(a, b, c):
    assert (a < b) == (a * c < b * c)


@given(growths)
def test_text_reads_back_as_the_same_growth(growth):
    assert parse_growth(growth.big_o("p"), "p") == growth


def test_the_order_agrees_with_values_at_a_very_large_scale():
    ladder = [Growth.make(i, j) for i, j in itertools.product(("0", "1/4", "1/2", "1", "2"), (0, 1, 2))]
    for a, b in itertools.combinations(ladder, 2):
        # Values at 2^500, in doublings, computed here from the definition.
        bits = [float(g.power) * 500 + float(g.log) * math.log2(500) for g in (a, b)]
        assert (a < b) == (bits[0] < bits[1])


def test_values_are_those_of_the_formula():
    assert Growth.make("3/2", 2).at(64) == pytest.approx(64**1.5 * 36)
    assert Growth.make(3, 0, 1).at(10) == pytest.approx(1000 * 1024)
    assert CONSTANT.at(7) == 1
    assert Growth.make(2, 1).at(1) == 0
    assert Growth.make(0, 0, 1).at(2000) == math.inf


@pytest.mark.parametrize(
    ("growth", "x"), [(Growth.make(1), 0), (Growth.make(1, -1), 1), (Growth.make(0, 1), 0.5)]
)
def test_a_growth_without_a_value_is_refused(growth, x):
    with pytest.raises(ValueError, match="has no value"):
        growth.at(x)


@pytest.mark.parametrize(
    ("text", "kind"),
    [("1", 1), ("log p", 1), ("p", 2), ("p log p", 2), ("p^-1", 2), ("2^p", 3), ("p^3 2^p", 3)],
)
def test_the_fastest_factor_decides_the_class(text, kind):
    assert parse_growth(text).kind == GrowthClass(kind)


def test_exponents_are_exact():
    third = parse_growth("p^(1/3)")
    assert third * third * third == Growth.make(1)
    assert parse_growth("p^0.1").power == Fraction(1, 10)
