"""Units at a bound, by how often the test that allows for likeness decides; witness: scipy.stats."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats

from steelyard.stats.describe.dependence import AT_BOUND, FEWEST, allowance_under
from steelyard.stats.planning.at_bound import units_at_bound
from steelyard.stats.planning.sample_size import n_paired


def share_decided(n, effect, experiments=4000):
    """Share of experiments of n independent units that a two-sided test at 5 % decides as it is done."""
    d = np.random.default_rng(n).normal(effect, 1, size=(experiments, n))
    allowed = allowance_under(AT_BOUND, n) if n < FEWEST else None
    factor, nu = (allowed.factor, allowed.nu) if allowed else (1.0, n - 1)
    t = d.mean(axis=1) / (factor * d.std(axis=1, ddof=1) / np.sqrt(n))
    return np.mean(t > scipy.stats.t.isf(0.025, nu))


@pytest.mark.parametrize("effect", [0.5, 0.8, 1.0, 1.5, 2.5, 4.0])
def test_the_units_decide_as_often_as_they_say_although_few_are_allowed_for(effect):
    units = units_at_bound(lambda times: n_paired(effect / times))
    assert share_decided(units, effect) >= 0.79
    if units == FEWEST:
        assert share_decided(units - 1, effect) < 0.79


def test_many_units_are_as_many_as_without_a_bound():
    assert units_at_bound(lambda times: n_paired(0.3 / times)) == n_paired(0.3)
    assert units_at_bound(lambda times: None) is None
    assert units_at_bound(lambda times: 6 if times == 1 else None) == FEWEST
