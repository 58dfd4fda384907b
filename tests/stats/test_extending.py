"""Adding blocks until something shows: what the level after an extension does against it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats as witness

from steelyard.stats.extending import level_after


def test_all_extensions_together_add_a_tenth_of_alpha():
    assert level_after(0.05, 0) == 0.05
    assert [level_after(0.05, k) for k in (1, 2, 3)] == pytest.approx([0.0025, 0.00125, 0.000625])
    assert sum(level_after(0.05, k) for k in range(1, 60)) == pytest.approx(0.005)


@pytest.mark.parametrize(("first", "step"), [(10, 10), (30, 100)])
def test_extending_what_is_not_resolved_finds_hardly_more_than_chance(first, step, perfect_passes):
    """N = 4000 of equal programs, extended up to five times while nothing shows; 5.5 % is the bound. Judged
    at 5 % each time, as if nothing had happened, it is 8 to 9 % after one and 16 to 18 % after five.
    """
    count, most = 4000, 250
    assert perfect_passes(count, 0.055, 0, most) > 0.98
    d = np.random.default_rng(first).normal(size=(count, first + 5 * step))
    found = {True: np.zeros(count, bool), False: np.zeros(count, bool)}
    for k in range(6):
        n = first + k * step
        t = d[:, :n].mean(axis=1) / d[:, :n].std(axis=1, ddof=1) * math.sqrt(n)
        p = 2 * witness.t.sf(np.abs(t), n - 1)
        found[True] |= p <= level_after(0.05, k)
        found[False] |= p <= 0.05
    assert found[True].sum() <= most
    assert found[False].sum() > 500
