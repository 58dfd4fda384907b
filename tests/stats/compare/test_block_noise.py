"""Contexts that agree by chance: the interval is never narrower than their blocks alone make it."""

from __future__ import annotations

import math
import sys
from pathlib import Path

import numpy as np
import pytest
import statsmodels.api as sm
from scipy import stats as witness

from steelyard.core.analysis import Analysis
from steelyard.stats.compare.block_noise import find_block_noise
from steelyard.stats.compare.comparison import compare
from steelyard.stats.contexts.across import compare_across_contexts

sys.path.insert(0, str(Path(__file__).parents[3] / "benchmarks" / "coverage"))

import machines
from machines import World


def compare_world(rng, world):
    old, new = machines.pair(*machines.draw(rng, world))
    (result,) = compare([old, new], Analysis())
    return old, new, result.speedup


def test_the_noise_of_blocks_is_that_of_a_regression_on_contexts():
    """Least squares of statsmodels: standard error of the mean of the effects of three contexts."""
    rng = np.random.default_rng(1)
    contexts = np.repeat([1, 2, 3], [4, 2, 6])
    values = rng.normal(size=12)
    fit = sm.OLS(values, (contexts[:, None] == [1, 2, 3]).astype(float)).fit()
    of_mean = np.full(3, 1 / 3)
    noise = find_block_noise(values, contexts)
    assert noise.se == pytest.approx(math.sqrt(of_mean @ fit.cov_params() @ of_mean), rel=1e-12)
    assert noise.nu == fit.df_resid


def test_one_block_of_each_context_has_no_noise_of_its_own():
    assert find_block_noise(np.array([1.0, 2.0]), np.array([1, 2])) is None
    assert find_block_noise(np.array([1.0, -math.inf, 0.0]), np.array([1, 1, 2])) is None


def test_two_machines_that_agree_have_the_interval_of_their_blocks():
    logs = np.concatenate((np.tile([0.03, -0.01], 5), np.tile([0.031, -0.009], 5)))
    old, new = machines.pair(logs, np.repeat([1.0, 2.0], 10))
    (result,) = compare([old, new], Analysis())
    noise = find_block_noise(logs, np.repeat([1, 2], 10))
    half = witness.t.ppf(0.975, noise.nu) * noise.se
    interval = result.speedup.interval()
    assert np.log([interval.low, interval.high]) == pytest.approx([logs.mean() - half, logs.mean() + half])
    assert "blocks" in result.speedup.allowances
    assert result.speedup.assumptions[-1] == "blocks of one context are independent and equally noisy in all"
    across = compare_across_contexts(old, new)
    assert (across.interval.low, across.interval.high) == pytest.approx((interval.low, interval.high))
    assert math.log(across.prediction.high) == pytest.approx(logs.mean() + half * math.sqrt(3))


def test_intervals_of_two_machines_hold_where_these_agree_by_chance(perfect_passes):
    """300 experiments of two machines that do not differ; before, 60 % held where blocks leave more."""
    rng, held, narrow = np.random.default_rng(476), 0, 0
    for _ in range(300):
        old, new, ratio = compare_world(rng, World(2, 10, between=0.0))
        logs = np.log(np.array(old.values) / np.array(new.values)).reshape(2, 10)
        noise = find_block_noise(logs.ravel(), np.repeat([1, 2], 10))
        means = logs.mean(axis=1)
        if witness.t.ppf(0.975, 1) * means.std(ddof=1) / math.sqrt(2) < witness.t.ppf(0.975, 18) * noise.se:
            narrow += 1
            held += not ratio.interval().excludes(1)
    assert narrow > 25
    assert perfect_passes(narrow, 0.93, math.floor(0.8 * narrow), narrow) > 0.98
    assert held >= 0.8 * narrow
