"""Adding blocks until something shows: what the level after an extension does against it."""

from __future__ import annotations

import math
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as witness

from steelyard.stats.planning.alpha_spending import level_after, level_before


def test_all_extensions_together_add_a_tenth_of_alpha():
    assert level_after(0.05, 0) == 0.05
    assert [level_after(0.05, k) for k in (1, 2, 3)] == [0.0025, 0.00125, 0.000625]
    assert sum(level_after(0.05, k) for k in range(1, 60)) == pytest.approx(0.005)


@given(st.integers(1, 500), st.integers(0, 12))
def test_the_level_is_the_decimal_number_next_to_the_quotient_and_leads_back(thousandths, extensions):
    declared = thousandths / 1000
    level = level_after(declared, extensions)
    parts = 10 * 2**extensions if extensions else 1
    assert level == float(Decimal(thousandths) / 1000 / parts)
    assert level_before(level, extensions) == declared


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
