"""The location by ranks and signs: SciPy's tests are the witness, and p and interval agree."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as witness

from steelyard.stats.hypothesis.rank_location import locate_paired, locate_unpaired

LOGS = st.lists(st.integers(-40, 40).map(lambda k: k / 100), min_size=1, max_size=24).map(np.array)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("n", [6, 13, 30, 80])
def test_p_of_blocks_is_twice_the_smaller_of_signed_rank_and_sign_test(seed, n):
    logs = np.random.default_rng(seed).normal(0.02, 0.05, n)
    location = locate_paired(logs)
    for bound in (-0.03, 0.0, 0.03, 0.1):
        moved = logs - bound
        mode = "exact" if n <= 50 else "approx"
        by_ranks = witness.wilcoxon(moved, mode=mode, correction=False).pvalue
        side = int((moved > 0).sum() if location.log > bound else (moved < 0).sum())
        by_signs = 2 * witness.binom.sf(side - 1, n, 0.5)
        assert location.p_of(math.exp(bound)) == pytest.approx(min(1, 2 * by_ranks, 2 * by_signs), rel=1e-9)


def test_p_of_launches_is_that_of_the_rank_sum_test():
    rng = np.random.default_rng(3)
    old, new = rng.normal(0, 0.05, 14), rng.normal(0.03, 0.05, 17)
    location = locate_unpaired(old, new)
    for bound in (-0.02, 0.0, 0.04):
        expected = witness.mannwhitneyu(new - bound, old, method="exact").pvalue
        assert location.p_of(math.exp(bound)) == pytest.approx(expected, rel=1e-9)
    differences = np.median(new[:, np.newaxis] - old)
    assert location.log == pytest.approx(differences)


def test_the_location_is_the_median_of_averages_of_two():
    logs = np.random.default_rng(5).exponential(1, 15)
    averages = [(a + b) / 2 for i, a in enumerate(logs) for b in logs[i:]]
    assert locate_paired(logs).log == pytest.approx(np.median(averages))


@given(LOGS, st.sampled_from([0.2, 0.05, 0.01]), st.integers(-50, 50), st.sampled_from([(1, 0), (2, 0.013)]))
def test_p_is_at_most_alpha_exactly_where_the_interval_leaves_the_ratio_out(logs, alpha, place, allowance):
    location = locate_paired(logs)
    location = type(location)(location.pairs, location.test, location.sizes, location.log, *allowance)
    ratio, interval = math.exp(place / 100 + 1e-4), location.interval(alpha)
    is_outside = interval is not None and interval.excludes(ratio)
    assert (location.p_of(ratio) <= alpha * (1 + 1e-9)) == is_outside


@given(LOGS, LOGS, st.sampled_from([0.2, 0.05, 0.01]), st.integers(-50, 50))
def test_so_it_is_of_launches(old, new, alpha, place):
    location = locate_unpaired(old, new)
    ratio, interval = math.exp(place / 100 + 1e-4), location.interval(alpha)
    is_outside = interval is not None and interval.excludes(ratio)
    assert (location.p_of(ratio) <= alpha * (1 + 1e-9)) == is_outside


def test_three_far_runs_of_twenty_hide_nothing_and_a_pair_at_the_bound_is_neutral():
    logs = np.full(20, math.log(3)) + 0.01 * np.arange(20)
    logs[:3] = -5.0
    assert locate_paired(logs).p_of(1.05) < 0.01
    assert locate_paired(np.full(9, 0.25)).p_of(math.exp(0.25)) == 1.0


def test_nothing_has_no_location():
    assert locate_paired(np.array([])) is None
    assert locate_unpaired(np.array([]), np.array([1.0])) is None
