from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import ksone, kstwo

from steelyard.extensions.protocol_2014.kolmogorov import expanded_cdf, kolmogorov_sf, one_sided_sf, power_cdf


@pytest.mark.parametrize("n", [1, 2, 3, 10, 100, 140, 141, 1000, 20_000, 100_001])
def test_it_is_scipys_from_the_middle_to_the_end_of_the_range_of_double(n):
    scaled = np.concatenate((np.linspace(0.05, 4.5, 60), [1.48, 1.49, 8, 15, 19]))
    d = scaled[scaled < math.sqrt(n)] / math.sqrt(n)
    ours = [kolmogorov_sf(float(item), n) for item in d]
    np.testing.assert_allclose(ours, kstwo.sf(d, n), rtol=1e-10, atol=1e-300)


def test_of_a_distance_that_cannot_be_or_must_be_it_is_0_or_1():
    assert kolmogorov_sf(1.0, 5) == 0.0
    assert kolmogorov_sf(0.1, 5) == 1.0
    assert kolmogorov_sf(0.5, 100_000) == 0.0


@pytest.mark.parametrize("n", [2, 50, 3000])
def test_the_one_sided_tail_is_scipys(n):
    d = np.array([0.01, 0.1, 0.5, 0.9])
    ours = [one_sided_sf(float(item), n) for item in d]
    np.testing.assert_allclose(ours, ksone.sf(d, n), rtol=1e-11, atol=1e-300)


def test_the_expansion_and_the_power_of_a_matrix_meet():
    for d in (0.0007, 0.0009):
        assert expanded_cdf(d, 50_000) == pytest.approx(power_cdf(d, 50_000), abs=1e-8)
