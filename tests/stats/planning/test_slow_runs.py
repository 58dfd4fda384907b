"""Units that show slow runs which carry an equivalence over its margin."""

from __future__ import annotations

import math

import numpy as np
import pytest

from steelyard.stats.planning.slow_runs import units_to_trust

MARGIN = math.log1p(0.03)


@pytest.mark.parametrize("times_the_share", [1, 0])
@pytest.mark.parametrize("s", [0.005, 0.02])
def test_with_so_many_units_slow_runs_show_where_the_estimate_lies_as_it_varies(s, times_the_share):
    estimand = "geomean_ratio" if times_the_share else "ratio_of_means"
    n = units_to_trust(MARGIN, s, 0.9, estimand=estimand)

    def share_of(n):
        logs = np.abs(np.random.default_rng(415).normal(0, s / math.sqrt(n), 4000))
        share = (MARGIN - logs) / math.log(2) if times_the_share else np.expm1(MARGIN - logs)
        # A share that is absent from n runs with a probability of at most 5 %.
        return np.mean((1 - np.clip(share, 0, 1)) ** n <= 0.05)

    assert share_of(n) >= 0.88
    assert share_of(n - 4) < 0.9


def test_contexts_count_their_blocks_and_more_units_stay_more():
    alone = units_to_trust(MARGIN, 1e-9, 0.9)
    assert alone == 69
    assert units_to_trust(MARGIN, 1e-9, 0.9, passes=10) == 7
    assert units_to_trust(MARGIN, 1e-9, 0.9, least=200) == 200
