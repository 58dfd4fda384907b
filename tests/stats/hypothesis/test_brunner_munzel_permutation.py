from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import brunnermunzel, permutation_test

from steelyard.stats.hypothesis.brunner_munzel import relabel


@pytest.mark.parametrize("seed", range(4))
def test_enumerated_it_is_the_permutation_test_of_scipy_on_brunner_munzel(seed):
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=5), rng.normal(0.9, 1.5, size=6)

    def statistic(x, y):
        t = brunnermunzel(x, y, distribution="normal").statistic
        return math.copysign(1e9, t) if math.isinf(t) else t

    with np.errstate(all="ignore"):
        witness = permutation_test((a, b), lambda x, y: abs(statistic(x, y)), alternative="greater")
    result = relabel(a, b)
    assert (result.method, result.arrangements) == ("enumerated", 462)
    assert result.p == pytest.approx(witness.pvalue)


def test_complete_separation_gives_what_two_of_all_arrangements_give():
    result = relabel(np.arange(6.0), np.arange(6.0) + 10)
    assert result.p == pytest.approx(2 / math.comb(12, 6))
    assert relabel(np.arange(300.0), np.arange(300.0) + 1000).p == pytest.approx(2 / math.comb(600, 300))
    assert 0 < relabel(np.arange(3000.0), np.arange(3000.0) + 9999).p < 1e-300


def test_drawn_arrangements_come_near_the_enumerated_ones_and_repeat_themselves():
    rng = np.random.default_rng(8)
    a, b = rng.normal(size=14), rng.normal(0.8, size=14)
    result = relabel(a, b)
    assert (result.method, result.p) == ("drawn", relabel(a, b).p)
    # The t form of the same statistic is near its permutation form at this size.
    assert result.p == pytest.approx(brunnermunzel(a, b).pvalue, abs=0.02)


def test_ties_take_their_own_distribution():
    a, b = np.array([1.0, 1, 2, 3, 3]), np.array([2.0, 3, 4, 4, 5])
    with np.errstate(all="ignore"):
        witness = permutation_test(
            (a, b),
            lambda x, y: abs(np.nan_to_num(brunnermunzel(x, y, distribution="normal").statistic, posinf=1e9)),
            alternative="greater",
        )
    assert relabel(a, b).p == pytest.approx(witness.pvalue)


def test_equal_values_everywhere_show_nothing():
    assert relabel(np.ones(4), np.ones(4)).p == 1


def test_too_few_and_too_many_values_are_not_relabelled():
    assert relabel(np.ones(1), np.ones(4)) is None
    assert relabel(np.arange(150.0), np.arange(150.0)) is None
