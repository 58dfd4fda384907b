from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import permutation_test

from steelyard.stats.paired.sign_flip import MOST, sign_flip_p


@pytest.mark.parametrize("n", [2, 5, 9])
@pytest.mark.parametrize("decimals", [1, 9])
def test_it_is_the_permutation_test_of_scipy(n, decimals):
    d = np.round(np.random.default_rng(n).normal(0.6, size=n), decimals)
    witness = permutation_test(
        (d,), lambda x: abs(np.mean(x)), permutation_type="samples", vectorized=False, alternative="greater"
    )
    assert sign_flip_p(d) == pytest.approx(witness.pvalue)


def test_differences_that_all_agree_reach_two_of_all_patterns():
    assert sign_flip_p(np.full(10, 0.1)) == 2 / 1024
    assert sign_flip_p(np.zeros(4)) == 1
    assert sign_flip_p(np.array([0.3])) == 1


def test_beyond_its_size_and_without_differences_there_is_none():
    assert sign_flip_p(np.ones(MOST)) == 2.0 ** (1 - MOST)
    assert sign_flip_p(np.ones(MOST + 1)) is None
    assert sign_flip_p(np.array([])) is None
