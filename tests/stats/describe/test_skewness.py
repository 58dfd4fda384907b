"""Skewness; SciPy is the witness."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats as witness

from steelyard.stats.describe.skewness import skewness


@pytest.mark.parametrize("scale", [1.0, 1e-150, 1e200])
def test_it_is_that_of_scipy_at_any_scale(scale):
    values = np.random.default_rng(1).lognormal(size=40)
    assert skewness(scale * values) == pytest.approx(witness.skew(values), rel=1e-9)
