from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import ks_2samp

from steelyard.extensions.protocol_2014.kolmogorov_smirnov import MOST_EXACT, kolmogorov_smirnov, same_shape


def test_the_golden_pairs(quantiles, run_2, run_5):
    raw = {
        names: kolmogorov_smirnov(*(np.sort(quantiles[name]) for name in names)).p
        for names in (("N1", "N2"), ("N1", "N3"))
    }
    assert raw["N1", "N2"] == pytest.approx(0.594071, rel=1e-5)
    assert raw["N1", "N3"] == pytest.approx(0.000899578, rel=1e-5)
    n1, n2, n3 = (np.sort(quantiles[name]) for name in ("N1", "N2", "N3"))
    result = same_shape(n1, n2)
    assert (result.d, result.p) == (0, 1)
    assert same_shape(n1, n3).p == pytest.approx(0.239073, rel=1e-5)
    table_1 = kolmogorov_smirnov(np.sort(run_2), np.sort(run_5))
    assert (table_1.d, table_1.p) == pytest.approx((0.25, 0.980109), rel=1e-5)


@pytest.mark.parametrize(("m", "n"), [(3, 3), (5, 8), (30, 30), (17, 40), (100, 100), (90, 160)])
@pytest.mark.parametrize("shift", [0.0, 0.7, 5.0])
def test_without_ties_it_is_scipys_exact_test(m, n, shift):
    rng = np.random.default_rng([m, n])
    a, b = np.sort(rng.normal(size=m)), np.sort(rng.normal(shift, size=n))
    witness = ks_2samp(a, b, method="exact")
    result = kolmogorov_smirnov(a, b)
    assert result.method == "exact"
    assert result.d == pytest.approx(witness.statistic, abs=1e-14)
    assert result.p == pytest.approx(witness.pvalue, rel=1e-9, abs=1e-15)


def test_of_many_values_it_is_scipys_limit():
    rng = np.random.default_rng(9)
    a, b = np.sort(rng.normal(size=600)), np.sort(rng.normal(0.1, size=900))
    witness = ks_2samp(a, b, method="asymp")
    result = kolmogorov_smirnov(a, b)
    assert result.method == "limit"
    assert (result.d, result.p) == pytest.approx((witness.statistic, witness.pvalue))


@settings(max_examples=40)
@given(
    st.lists(st.integers(0, 3), min_size=1, max_size=4), st.lists(st.integers(0, 3), min_size=1, max_size=4)
)
def test_with_ties_p_is_the_share_of_all_relabellings_that_lie_as_far_apart(a, b):
    """The witness is the definition, written out."""
    result = kolmogorov_smirnov(np.sort(np.array(a, float)), np.sort(np.array(b, float)))
    pooled = np.array([*a, *b], float)

    def distance(first):
        chosen = np.zeros(pooled.size, bool)
        chosen[list(first)] = True
        return max(abs((pooled[chosen] <= x).mean() - (pooled[~chosen] <= x).mean()) for x in pooled)

    every = [distance(first) for first in itertools.combinations(range(pooled.size), len(a))]
    observed = distance(range(len(a)))
    assert result.d == pytest.approx(observed)
    assert result.p == pytest.approx(np.mean([item >= observed - 1e-12 for item in every]))


@given(st.floats(-1e6, 1e6), st.integers(0, 3))
def test_centring_hides_where_a_sample_lies_and_nothing_else(moved, seed):
    values = np.sort(np.round(np.random.default_rng(seed).gamma(2, 100, size=21), 3))
    assert same_shape(values, values + round(moved, 3)).d == 0
    assert same_shape(values, values * 3 + moved).d > 0


def test_no_values_no_test():
    assert kolmogorov_smirnov(np.array([]), np.array([1.0])) is None
    assert same_shape(np.array([]), np.array([1.0])) is None


def test_it_is_exact_up_to_the_product_of_sizes_that_is_documented():
    rng = np.random.default_rng(10)
    size = int(MOST_EXACT**0.5)
    a, b = np.sort(rng.normal(size=size)), np.sort(rng.normal(size=size + 1))
    assert kolmogorov_smirnov(a, b[:-1]).method == "exact"
    assert kolmogorov_smirnov(a, b).method == "limit"
