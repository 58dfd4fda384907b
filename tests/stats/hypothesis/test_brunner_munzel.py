from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import brunnermunzel

from steelyard.stats.hypothesis.brunner_munzel import newcombe, relabel, superiority


def test_table_1_of_firoz(run_2, run_5):
    result = superiority(np.array(run_2), np.array(run_5)).test()
    assert (result.statistic, result.p) == pytest.approx((0.505076, 0.621401), rel=1e-5)


@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
@pytest.mark.parametrize("decimals", [1, 9])
@pytest.mark.parametrize(("m", "n"), [(5, 7), (30, 30)])
def test_the_test_is_scipys_brunner_munzel(m, n, decimals, alternative):
    rng = np.random.default_rng([m, decimals])
    a, b = np.round(rng.normal(size=m), decimals), np.round(rng.normal(0.4, 2, size=n), decimals)
    witness = brunnermunzel(a, b, alternative=alternative)
    result = superiority(a, b).test(alternative)
    assert (result.statistic, result.p) == pytest.approx((witness.statistic, witness.pvalue), rel=1e-10)


def test_complete_separation_has_no_t_instead_of_a_nan_and_still_an_interval():
    low, high = np.arange(10.0), np.arange(10.0) + 100
    result = superiority(low, high)
    assert (result.value, result.test()) == (1, None)
    assert 0.7 < result.interval().low < 0.9
    assert result.interval().high == 1
    backwards = superiority(high, low)
    assert backwards.interval().low == 0
    assert backwards.interval().high == pytest.approx(1 - result.interval().low)


def test_equal_constants_are_level():
    result = superiority(np.ones(6), np.ones(6))
    assert (result.value, result.test()) == (0.5, None)
    assert result.interval().low < 0.5 < result.interval().high


@given(st.integers(2, 40), st.integers(2, 40), st.floats(0, 1))
def test_the_bounds_of_the_score_interval_lie_z_standard_errors_away(m, n, value):
    result = newcombe(value, m, n)
    assert 0 <= result.low <= value <= result.high <= 1
    for bound in (result.low, result.high):
        if 1e-9 < bound < 1 - 1e-9 and abs(bound - value) > 1e-9:
            h = (m + n) / 2 - 1
            variance = bound * (1 - bound) / (m * n)
            variance *= 1 + h * (1 - bound) / (2 - bound) + h * bound / (1 + bound)
            assert abs(bound - value) == pytest.approx(1.959963984540054 * variance**0.5, rel=1e-6)


@pytest.mark.parametrize(("m", "n"), [(10, 10), (30, 30)])
def test_intervals_cover_the_truth_about_as_often_as_they_say(m, n, perfect_passes):
    """N = 1000 normal pairs half a standard deviation apart, 93 to 97 of 100; P = Phi(0.5 / sqrt 2)."""
    count, low, high = 1000, 930, 970
    assert perfect_passes(count, 0.95, low, high) > 0.99
    rng = np.random.default_rng([5, m])
    truth = 0.6381631950841185
    covered = 0
    for _ in range(count):
        covered += not superiority(rng.normal(size=m), rng.normal(0.5, size=n)).interval().excludes(truth)
    assert low <= covered <= high


@given(
    st.lists(st.floats(0.1, 10), min_size=2, max_size=8), st.lists(st.floats(0.1, 10), min_size=2, max_size=8)
)
def test_it_knows_order_alone(a, b):
    a, b = np.array(a), np.array(b)
    result, swapped = superiority(a, b), superiority(b, a)
    assert result.value == superiority(a * 4, b * 4).value
    assert result.value + swapped.value == pytest.approx(1)
    assert result.se == pytest.approx(swapped.se, abs=1e-9)


def test_separate_samples_have_the_p_of_two_arrangements_of_all():
    low, high = np.arange(4.0), np.arange(5.0) + 100
    for pair in ((low, high), (high, low)):
        result = relabel(*pair)
        assert (result.p, result.method, result.arrangements) == (2 / 126, "closed-form", 126)
