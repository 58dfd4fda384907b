"""Draws of a ratio of two ratios, beside SciPy's, the compiled kernel's and every resample there is."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy.stats import ks_2samp, multivariate_t

from steelyard import _kernels
from steelyard.stats.compare.interaction_estimate import drawn_ratios, studentised_paired, studentised_samples


def rows(n=8, size=0.1, seed=1):
    values = np.exp(np.random.default_rng(seed).normal(0, size, (4, n)))
    return list(values / values.mean(axis=1, keepdims=True))


def t_of(table):
    """Of one resample, by the definition."""
    means = table.mean(axis=1)
    moved = np.log(means[0] * means[3] / means[1] / means[2])
    relative = table / means[:, None]
    effects = relative[0] - relative[1] - relative[2] + relative[3]
    return moved / (effects.std(ddof=1) / np.sqrt(effects.size))


def test_paired_draws_are_those_of_every_resample_there_is():
    result = np.array(rows(5))
    every = [t_of(result[:, list(places)]) for places in product(range(5), repeat=5) if len(set(places)) > 1]
    assert len(every) == 5**5 - 5
    answer = studentised_paired(result, seed=3)
    assert (np.diff(answer[np.isfinite(answer)]) >= 0).all()
    assert ks_2samp(every, answer).statistic < 0.03
    assert np.array_equal(answer, studentised_paired(result, seed=3))


def test_many_units_are_drawn_in_portions():
    result = rows(1500)
    answer = studentised_paired(result, seed=3, resamples=3000)
    assert answer.size == 3000
    assert np.quantile(answer, [0.025, 0.975]) == pytest.approx([-1.96, 1.96], abs=0.25)


@pytest.mark.parametrize("logs", [True, False])
def test_unpaired_draws_are_those_of_the_kernel_where_one_side_is_known(logs):
    first, second, *_ = rows(12, 0.4)
    values = [np.ones(4)] * 2
    result = studentised_samples([first, second, *values], logs=logs, seed=5)
    kernel = (
        _kernels.studentised_difference(first - first.mean(), second - second.mean(), 7)
        if logs
        else _kernels.studentised_log_ratio(first - 1, second - 1, False, 7)
    )
    assert ks_2samp(result, kernel).statistic < 0.03
    turned = studentised_samples([*values, first, second], logs=logs, seed=5)
    assert ks_2samp(-turned, kernel).statistic < 0.03


def test_paired_means_are_drawn_from_the_multivariate_t():
    result = np.array(rows(10))
    shape = np.cov(result) / 10
    drawn = multivariate_t(np.ones(4), shape, df=9, seed=2).rvs(50_000)
    expected = drawn[:, 0] * drawn[:, 3] / drawn[:, 1] / drawn[:, 2]
    assert ks_2samp(expected, drawn_ratios(result, paired=True, seed=1, draws=50_000)).statistic < 0.015
    apart = drawn_ratios(result, paired=False, seed=1, draws=50_000)
    assert np.log(apart).std() == pytest.approx(
        np.sqrt(sum(row.var(ddof=1) / 10 for row in result) * 9 / 7), rel=0.03
    )


def test_fewer_units_than_means_are_drawn_all_the_same():
    result = drawn_ratios(rows(3), paired=True, seed=1, draws=2000)
    assert np.isfinite(result).all()
    assert np.quantile(result, 0.5) == pytest.approx(1.0, abs=0.02)


def test_resamples_without_spread_or_without_a_mean_are_infinitely_far_away():
    alike = [np.array([1.5, 0.5]), *[np.ones(2)] * 3]
    result = studentised_paired(alike, seed=1, resamples=1000)
    assert 0.4 < np.isinf(result).mean() < 0.6
    zeros = [np.array([2.0, 0.0]), np.ones(2), np.array([2.0, 0.0]), np.ones(2)]
    assert not np.isnan(studentised_samples(zeros, logs=False, seed=1, resamples=200)).any()
    assert not np.isnan(studentised_paired(zeros, seed=1, resamples=200)).any()
