from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.core.factorial.words import sign
from steelyard.stats.effects.yates import yates


@given(st.integers(0, 6).flatmap(lambda k: st.lists(st.floats(-1e6, 1e6), min_size=2**k, max_size=2**k)))
def test_the_passes_are_the_product_with_the_sign_table(values):
    size = len(values)
    table = np.array([[sign(word, high) for high in range(size)] for word in range(size)])
    assert yates(np.array(values)) == pytest.approx(table @ np.array(values), rel=1e-12, abs=1e-6)


def test_half_effects_are_those_of_jain():
    # Jain 1991, example 17.1: (1), a, b, ab.
    assert list(yates(np.array([15.0, 45, 25, 75])) / 4) == [40, 20, 10, 5]


def test_every_row_is_taken_for_itself():
    rows = np.array([[15.0, 45, 25, 75], [1, 1, 1, 2]])
    assert (yates(rows) == [yates(row) for row in rows]).all()


@pytest.mark.parametrize("size", [0, 3, 6])
def test_other_numbers_of_treatments_are_refused(size):
    with pytest.raises(ValueError, match="2\\^k treatments"):
        yates(np.zeros(size))
