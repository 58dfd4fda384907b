"""Groups and single values that a mean hides; how often they are seen where there are none."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats as witness

from steelyard.stats.describe.bimodality import MOST, gap
from steelyard.stats.describe.concentration import dominating_share
from steelyard.stats.describe.described import describe


def test_two_groups_are_found_with_their_shares_and_their_distance():
    values = np.exp(np.random.default_rng(1).normal(0, 0.01, 30))
    values[::5] *= 1.5
    result = gap(values)
    assert result.share == pytest.approx(0.2)
    assert result.ratio == pytest.approx(1.5, rel=0.02)


def test_values_that_come_in_steps_and_equal_values_are_no_groups():
    assert gap(np.array([1.0] * 6 + [2.0] * 6)) is None
    assert gap(1e6 + 4096.0 * np.array([0, 1, 0, 0, 1, 1, 0, 1, 0, 1, 1, 0])) is None
    near = np.array([1.0 + 1e-9 * i for i in range(6)] + [2.0 + 1e-9 * i for i in range(6)])
    assert gap(near).ratio == pytest.approx(2)
    assert gap(np.full(12, 0.3)) is None
    assert gap(np.full(12, 1.0)) is None


@pytest.mark.parametrize("values", [[1.0] * 4 + [2.0] * 3, [0.0] * 6 + [1.0] * 6, [-1.0] * 6 + [1.0] * 6])
def test_too_few_values_or_values_without_a_logarithm_have_no_groups(values):
    assert gap(np.array(values)) is None
    assert dominating_share(np.array(values)) is None


def test_one_far_value_is_no_group_and_dominates_instead():
    values = np.exp(np.random.default_rng(2).normal(0, 0.01, 20))
    values[3] *= 2
    assert gap(values) is None
    share = dominating_share(values)
    # Grubbs' statistic G is the largest deviation over s: share = G^2 / (n - 1).
    logs = np.log(values)
    assert share == pytest.approx(np.abs(witness.zscore(logs, ddof=1)).max() ** 2 / 19)
    assert share > 0.6


def test_groups_of_many_values_are_found_in_a_part_of_them():
    values = np.exp(np.random.default_rng(3).normal(0, 0.01, 50 * MOST))
    values[: values.size // 4] *= 2
    assert gap(np.random.default_rng(4).permutation(values)).share == pytest.approx(0.25, abs=0.03)


@pytest.mark.parametrize("n", [8, 10, 20, 50])
def test_values_without_groups_show_one_in_at_most_1_of_100(n, perfect_passes):
    """N = 1000 each; 18 pass."""
    count, most = 1000, 18
    assert perfect_passes(count, 0.01, 0, most) > 0.98
    rng = np.random.default_rng(n)
    logs = rng.normal(0, 0.1, (count, n))
    assert sum(gap(item) is not None for item in np.exp(logs)) <= most
    assert sum(dominating_share(element) is not None for element in np.exp(logs)) <= most


def test_a_sample_carries_both_as_flags(sample):
    values = np.exp(np.random.default_rng(5).normal(0, 0.01, 20))
    assert not {"bimodal", "dominated"} & set(describe(sample(values)).flags)
    values[:5] *= 3
    assert "bimodal" in describe(sample(values)).flags
    values[:5] /= 3
    values[0] *= 3
    assert "dominated" in describe(sample(values)).flags


@pytest.mark.parametrize(("wider", "seen"), [(0.99, False), (1.01, True)])
def test_groups_are_as_far_apart_as_promised_in_pooled_standard_deviations(wider, seen):
    lower, upper = np.array([0.0, 0.013, 0.021, 0.038, 0.05]), np.array([0.0, 0.011, 0.029, 0.034, 0.047])
    within = np.sqrt((4 * lower.var(ddof=1) + 4 * upper.var(ddof=1)) / 8)
    values = np.exp(np.concatenate((lower, lower[-1] + wider * (1 + 40 / 10) * within + upper)))
    assert (gap(values) is not None) == seen
