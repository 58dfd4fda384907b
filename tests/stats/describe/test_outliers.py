from __future__ import annotations

import numpy as np
import pytest

from steelyard.stats.describe.outliers import outliers


def test_values_far_out_are_counted_and_the_farthest_has_its_ratio_to_the_median():
    values = np.array([1.00, 1.01, 0.99, 1.02, 0.98, 1.00, 1.01, 0.99, 1.0, 1.5, 8.7])
    result = outliers(values)
    assert result.count == 2
    assert result.farthest == pytest.approx(8.7 / np.median(values))


def test_a_value_far_below_counts_too():
    result = outliers(np.array([1.0, 1.1, 0.9, 1.05, 0.95, 1.0, 1.02, 0.1]))
    assert (result.count, round(result.farthest, 2)) == (1, 0.1)


def test_the_farthest_is_the_farthest_on_either_side():
    result = outliers(np.array([1.0, 1.01, 0.99, 1.02, 0.98, 1.0, 1.01, 0.99, 2.0, 0.1]))
    assert (result.count, round(result.farthest, 2)) == (2, 0.1)


@pytest.mark.parametrize(
    "values", [np.ones(9), np.array([1.0, 9.0]), np.array([0.0, *range(1, 9)]), -np.arange(1.0, 9)]
)
def test_where_there_are_no_fences_nothing_is_out(values):
    assert outliers(values) is None


@pytest.mark.parametrize("n", [8, 10, 30])
def test_of_samples_of_normal_values_about_one_in_a_hundred_has_one_far_out(n, perfect_passes):
    """N = 4000 at a rate of 1.1 %; a tool at that rate passes with the probability asserted first."""
    count, most = 4000, 60
    assert perfect_passes(count, 0.011, 0, most) > 0.98
    rng = np.random.default_rng(n)
    assert sum(outliers(np.exp(0.05 * rng.normal(size=n))) is not None for _ in range(count)) <= most


def test_the_unit_does_not_matter():
    values = np.array([1.0, 1.1, 0.9, 1.05, 0.95, 1.0, 1.02, 40.0])
    assert outliers(1e-6 * values).count == outliers(values).count == 1
