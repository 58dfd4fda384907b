"""Draws that show a rare value; SciPy's binomial distribution is the witness."""

from __future__ import annotations

import pytest
from scipy.stats import binom

from steelyard.stats.distributions.absence import runs_to_show
from steelyard.stats.planning.unseen import unseen_share


@pytest.mark.parametrize("share", [0.001, 0.0426, 0.05, 0.3, 0.96])
def test_a_value_is_absent_from_that_many_draws_in_five_percent_and_no_fewer(share):
    n = runs_to_show(share)
    assert binom.pmf(0, n, share) <= 0.05
    assert n == 1 or binom.pmf(0, n - 1, share) > 0.05
    assert unseen_share(n) <= share


def test_what_always_shows_takes_one_draw():
    assert runs_to_show(1.0) == 1
