"""Quartiles against NumPy's."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from steelyard.stats.describe.quartiles import quartiles

FINITE = st.floats(-1e300, 1e300)


@given(arrays(np.float64, st.integers(1, 50), elements=FINITE))
def test_quartiles_are_those_of_numpys_linear_method(values: np.ndarray) -> None:
    expected = np.quantile(values / 4, (0.25, 0.5, 0.75))
    assert quartiles(values / 4) == pytest.approx(expected, rel=1e-14, abs=1e-300)


@given(FINITE, st.integers(1, 9))
def test_equal_values_are_their_own_quartiles(value: float, n: int) -> None:
    assert quartiles(np.full(n, value)) == (value, value, value)
