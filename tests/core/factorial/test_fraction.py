from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.core.factorial import Fraction, Generator
from steelyard.core.factorial.words import name_word, order, sign


@st.composite
def fractions(draw):
    axes = draw(st.integers(3, 5))
    fixed = draw(st.lists(st.integers(0, axes - 1), max_size=axes - 2, unique=True))
    basic = [axis for axis in range(axes) if axis not in fixed]
    generators = [
        Generator(
            axis,
            sum(1 << j for j in draw(st.lists(st.sampled_from(basic), min_size=2, unique=True))),
            draw(st.sampled_from([1, -1])),
        )
        for axis in fixed
    ]
    return Fraction(axes, tuple(generators))


def column(fraction, word):
    return np.array([sign(word, high) for high in fraction.rows()])


def test_the_sign_table_of_two_axes_is_that_of_yates():
    fraction = Fraction(2)
    assert list(fraction.rows()) == [0b00, 0b01, 0b10, 0b11]  # (1), a, b, ab
    assert [list(column(fraction, word)) for word in (1, 2, 3)] == [
        [-1, 1, -1, 1],
        [-1, -1, 1, 1],
        [1, -1, -1, 1],
    ]


@given(fractions())
def test_columns_of_a_fraction_are_balanced_and_orthogonal(fraction):
    contrasts = [aliases[0].word for aliases in fraction.contrasts()]
    table = np.array([column(fraction, word) for word in contrasts])
    assert (table.sum(axis=1) == 0).all()
    assert (table @ table.T == fraction.treatments * np.eye(len(contrasts))).all()


@given(fractions())
def test_aliases_are_the_effects_with_the_same_column(fraction):
    columns = {word: column(fraction, word) for word in range(1 << fraction.axes)}
    for aliases in fraction.contrasts():
        first = aliases[0]
        for alias in aliases:
            assert (columns[alias.word] * alias.sign == columns[first.word] * first.sign).all()
        columns_alike = [
            w for w, c in columns.items() if abs(int(c @ columns[first.word])) == fraction.treatments
        ]
        assert sorted(alias.word for alias in aliases) == sorted(columns_alike)


@given(fractions())
def test_resolution_is_the_fewest_axes_that_two_confounded_effects_have_together(fraction):
    words = range(1, 1 << fraction.axes)
    columns = {word: column(fraction, word) for word in (0, *words)}
    meeting = [
        order(first) + order(second)
        for first, second in itertools.combinations(columns, 2)
        if abs(int(columns[first] @ columns[second])) == fraction.treatments
    ]
    assert fraction.resolution == min(meeting, default=None)


def test_a_half_of_four_factors_is_the_textbook_one():
    # Montgomery, Design and Analysis of Experiments, table 8.3: 2^(4-1) with I = ABCD.
    fraction = Fraction(4, (Generator(3, 0b0111),))
    assert fraction.resolution == 4
    pairs = [[name_word(alias.word, "ABCD", "") for alias in aliases] for aliases in fraction.contrasts()]
    assert pairs == [
        ["A", "BCD"],
        ["B", "ACD"],
        ["AB", "CD"],
        ["C", "ABD"],
        ["AC", "BD"],
        ["AD", "BC"],
        ["D", "ABC"],
    ]


@pytest.mark.parametrize(
    "generators", [(Generator(2, 3), Generator(2, 9)), (Generator(2, 3), Generator(3, 0b0101))]
)
def test_generators_that_contradict_each_other_are_refused(generators):
    with pytest.raises(ValueError, match="generator"):
        Fraction(4, generators)
