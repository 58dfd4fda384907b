"""How often tests of effects err, and how often tests of ranks would."""

from __future__ import annotations

import numpy as np
import pytest

from steelyard.core.analysis import Analysis
from steelyard.stats.effects.analysis import factorial


@pytest.mark.parametrize("blocks", [10, 30])
@pytest.mark.parametrize("shape", ["normal", "unequal"])
@pytest.mark.parametrize("name", ["interaction, blocks", "4 levels, blocks"])
def test_a_test_in_blocks_errs_as_often_as_it_says_whatever_the_variances(
    simulation, perfect_passes, name, shape, blocks
):
    count, low, high = 1000, 32, 70
    # Of 1,000 experiments without an effect, 3.2 to 7 % called one: a test of 5 % stays within in 99 of 100.
    assert perfect_passes(count, 0.05, low, high) > 0.99
    assert low <= simulation.rejections(name, shape, blocks, count) <= high


def test_ranks_would_err_far_more_often_where_variances_differ(simulation):
    # Decision 025: why there is neither a rank transform nor ART.
    assert simulation.rejections("aligned ranks", "unequal", 30, 300) > 45
    assert simulation.rejections("rank transform", "unequal lognormal", 30, 300) > 60


def test_a_split_plot_in_blocks_errs_as_often_as_it_says(layout, samples, perfect_passes):
    # The level of a is set up once a block: its error is shared by the treatments of that half of the block.
    count, low, high = 600, 17, 44
    assert perfect_passes(count, 0.05, low, high) > 0.98
    rng = np.random.default_rng(33)
    square = layout(a=[0, 1], b=[0, 1])
    wrong = 0
    for _ in range(count):
        plots = np.repeat(rng.normal(0, 0.05, (2, 10)), 2, axis=0)
        values = np.exp(plots + rng.normal(0, 0.01, (4, 10)))
        (result,) = factorial(samples(square, values), square, Analysis())
        wrong += result.effects[0].p <= 0.05
    assert low <= wrong <= high
