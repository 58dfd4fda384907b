from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata, tiecorrect

from steelyard.stats.hypothesis.midranks import midranks


@given(st.lists(st.integers(0, 12), min_size=2, max_size=40))
def test_midranks_and_the_tie_term_are_scipys(values):
    result = midranks(np.array(values, dtype=float))
    n = len(values)
    assert list(result.ranks) == list(rankdata(values))
    assert 1 - result.tie_term / (n**3 - n) == pytest.approx(tiecorrect(rankdata(values)), abs=1e-14)
    assert result.tied == (len(set(values)) < n)
