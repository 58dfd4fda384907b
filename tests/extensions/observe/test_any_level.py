"""Whether any level differs: one test, in blocks and without."""

from __future__ import annotations

from array import array

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.anova import AnovaRM
from statsmodels.stats.oneway import anova_oneway

from steelyard.core.sample import Sample, Treatment
from steelyard.core.units import Metric
from steelyard.extensions.observe.any_level import any_level

WALL = Metric("wall_s", "s")


def samples(logs, contexts=None) -> list[Sample]:
    """One sample a column of ``logs``, one block a row."""
    n = len(logs)
    places = array("q", range(1, n + 1))
    result = array("q", [0] * n if contexts is None else contexts)
    return [
        Sample(
            WALL,
            Treatment(i, str(i), {}),
            array("d", np.exp(column)),
            places,
            array("q", [1] * n),
            result,
            places,
        )
        for i, column in enumerate(np.asarray(logs).T, 1)
    ]


def blocked(draw, n, levels, spread=1.0):
    """Levels of a block share it (a standard deviation of 1); each has a spread of its own (0.1)."""
    return draw.normal(size=(n, 1)) + 0.1 * spread * draw.normal(size=(n, levels))


def test_in_blocks_f_is_that_of_repeated_measures():
    # Witness: statsmodels' analysis of variance of repeated measures.
    logs = blocked(np.random.default_rng(5), 14, 4) + np.array([0, 0.1, 0, -0.05])
    result = any_level(samples(logs))
    table = pd.DataFrame(
        [(b, t, y) for b, row in enumerate(logs) for t, y in enumerate(row)], columns=["b", "t", "y"]
    )
    expected = AnovaRM(table, "y", "b", within=["t"]).fit().anova_table
    assert result.f == pytest.approx(expected["F Value"].iloc[0])
    assert result.p == pytest.approx(stats.f.sf(result.f, result.nu1, result.nu2))
    assert 1 <= result.nu1 <= 3
    assert result.nu2 == pytest.approx(13 * result.nu1)
    assert (result.method, result.levels, result.n) == ("block-contrast-box", 4, 14)


def test_in_blocks_the_order_of_the_levels_says_nothing():
    logs = blocked(np.random.default_rng(6), 9, 5) + np.array([0, 0.2, 0.1, 0, 0.3])
    first, second = any_level(samples(logs)), any_level(samples(logs[:, [3, 0, 4, 1, 2]]))
    assert (first.f, first.nu1, first.p) == pytest.approx((second.f, second.nu1, second.p))


def test_without_blocks_it_is_the_analysis_of_welch():
    # Witness: statsmodels' one-way analysis with unequal variances.
    logs = np.random.default_rng(7).normal(size=(11, 4)) * [0.1, 0.4, 0.2, 0.1] + np.array([0, 0.1, 0, 0.3])
    result = any_level(samples(logs), order="sequential")
    expected = anova_oneway(list(logs.T), use_var="unequal")
    assert (result.f, result.p) == pytest.approx((expected.statistic, expected.pvalue))
    assert (result.method, result.n) == ("unpaired-welch-james", 11)


def test_a_test_of_independent_groups_would_miss_in_blocks_what_this_one_finds():
    logs = blocked(np.random.default_rng(8), 12, 4) + np.array([0, 0.2, 0, 0])
    assert any_level(samples(logs)).p < 1e-3
    assert any_level(samples(logs), order="sequential").p > 0.5


def test_contexts_that_return_are_the_units():
    logs = blocked(np.random.default_rng(9), 12, 3)
    result = any_level(samples(logs, contexts=[1, 2, 3, 4] * 3))
    assert (result.method, result.n) == ("context-contrast-box", 4)


def test_one_probe_two_blocks_no_spread_or_a_value_of_0_have_no_test():
    draw = np.random.default_rng(10)
    assert any_level(samples(blocked(draw, 9, 2))) is None
    assert any_level(samples(blocked(draw, 2, 4))) is None
    assert any_level(samples(np.zeros((9, 3)))) is None
    first, second, _ = samples(blocked(draw, 3, 3))
    zero = Sample(
        WALL,
        Treatment(3, "3", {}),
        array("d", [1, 0, 1]),
        first.blocks,
        first.passes,
        first.contexts,
        first.trials,
    )
    assert any_level([first, second, zero]) is None


@pytest.mark.simulates
@pytest.mark.parametrize("spread", [1.0, np.array([1, 1, 1, 1, 5.0])], ids=["equal", "one level 5 times"])
def test_where_no_level_differs_it_is_rejected_in_5_of_100(spread):
    # 2,000 experiments; a test of exactly 5 % has 75 to 125 rejections with a probability of .99.
    draw = np.random.default_rng(11)
    rejected = sum(any_level(samples(blocked(draw, 12, 5, spread))).p < 0.05 for _ in range(2000))
    assert stats.binom.cdf(125, 2000, 0.05) - stats.binom.cdf(74, 2000, 0.05) > 0.98
    assert 75 <= rejected <= 125, rejected
