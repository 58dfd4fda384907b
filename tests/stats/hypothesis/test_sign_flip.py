from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.stats import permutation_test

from steelyard.stats.hypothesis.sign_flip import ENUMERATED, MOST, flipped_p, sign_flip_p, subset_means


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


def test_beyond_its_size_and_without_differences_there_is_no_p_by_all_patterns():
    assert sign_flip_p(np.ones(ENUMERATED)) == 2.0 ** (1 - ENUMERATED)
    assert sign_flip_p(np.ones(ENUMERATED + 1)) is None
    assert sign_flip_p(np.array([])) is None


@pytest.mark.parametrize("n", [1, 2, 8, 9, 11])
def test_up_to_14_differences_every_subset_has_its_mean(n):
    d = np.random.default_rng(n).normal(size=n)
    subsets = (c for size in range(1, n + 1) for c in itertools.combinations(d, size))
    assert subset_means(d) == pytest.approx(sorted(np.mean(subset) for subset in subsets))


@pytest.mark.parametrize("n", [15, 33, 64])
def test_beyond_that_a_difference_is_in_half_of_the_subsets_and_pairs_in_a_quarter(n):
    """N = 16,383: five standard errors, for all of at most 2,080 shares .999."""
    drawn = [subset_means(np.eye(n)[i], 3) > 0 for i in range(n)]
    assert drawn[0].size == 2**14 - 1
    # The order of the means hides which subset is which; sizes and pairs show in values chosen for that.
    assert [item.mean() for item in drawn] == pytest.approx([0.5] * n, abs=5 * 0.5 / 128)
    for i, j in itertools.islice(itertools.combinations(range(n), 2), 200):
        both = subset_means(np.eye(n)[i] - np.eye(n)[j], 3)
        assert np.mean(both == 0) == pytest.approx(0.5, abs=5 * 0.5 / 128)


def test_no_seed_moves_a_count_and_one_seed_draws_the_same_subsets_of_ties():
    d = np.random.default_rng(1).normal(size=30)
    assert np.array_equal(subset_means(d, 1), subset_means(d, 2))
    tied = np.round(d, 1)
    assert np.array_equal(subset_means(tied, 1), subset_means(tied, 1))
    assert not np.array_equal(subset_means(tied, 1), subset_means(tied, 2))


@pytest.mark.parametrize("n", [10, 40])
def test_means_of_subsets_move_and_stretch_with_the_differences(n):
    d = np.random.default_rng(n).normal(size=n)
    assert subset_means(3 + 2 * d) == pytest.approx(3 + 2 * subset_means(d))
    assert subset_means(-d)[::-1] == pytest.approx(-subset_means(d))


@pytest.mark.parametrize("n", [0, MOST + 1])
def test_no_differences_and_more_than_a_word_has_bits_are_refused(n):
    with pytest.raises(ValueError, match=f"1 to 64 differences are needed, got {n}"):
        subset_means(np.ones(n))


@pytest.mark.parametrize(("n", "shift"), [(20, 0.3), (100, 0.2), (300, 0.0)])
def test_drawn_signs_have_the_p_of_scipys_permutation_test(n, shift):
    d = np.random.default_rng(n).standard_t(3, size=n) + shift
    witness = permutation_test(
        (d,),
        lambda x, axis: np.abs(np.mean(x, axis=axis)),
        permutation_type="samples",
        n_resamples=20_000,
        vectorized=True,
        alternative="greater",
        rng=np.random.default_rng(1),
    )
    assert flipped_p(d) == pytest.approx(witness.pvalue, abs=4 * np.sqrt(0.25 / 16_384))
    assert flipped_p(d) == flipped_p(-d)


def test_differences_of_zero_have_no_sign_to_flip():
    d = np.random.default_rng(4).normal(0.5, size=9)
    assert flipped_p(np.concatenate([d, np.zeros(200)])) == sign_flip_p(d)
    assert flipped_p(np.zeros(30)) == 1
