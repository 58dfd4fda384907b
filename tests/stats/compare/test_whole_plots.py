"""What is hard to change: comparing blocks holds the level, and taking runs for units does not."""

from __future__ import annotations

import numpy as np

from steelyard.analysis import Analysis
from steelyard.stats.compare.comparison import compare

EXPERIMENTS, BLOCKS, REPLICATES = 400, 10, 5


def times(draw):
    """One level's times: a whole-plot error of 5 % in each block, and an error of 1 % in each run."""
    plots = draw.normal(0, 0.05, (BLOCKS, 1))
    return np.exp(plots + draw.normal(0, 0.01, (BLOCKS, REPLICATES)))


def different(sample, seed, *, blocks, experiments=EXPERIMENTS):
    """How many comparisons of two equal levels are called different: in blocks, or with runs as units."""
    draw = np.random.default_rng(seed)
    ids = np.repeat(np.arange(1, BLOCKS + 1), REPLICATES)
    order = "randomized-blocks" if blocks else "sequential"
    count = 0
    for _ in range(experiments):
        arms = [sample(times(draw).ravel(), treatment=arm, blocks=ids) for arm in (1, 2)]
        (found,) = compare(arms, Analysis(), order=order)
        count += found.difference != "not_resolved"
    return count


def test_blocks_as_units_of_whole_plots_hold_their_level_and_runs_do_not(sample, perfect_passes):
    assert perfect_passes(EXPERIMENTS, 0.05, 8, 33) > 0.99
    assert 8 <= different(sample, 1, blocks=True) <= 33
    # With n = 50 for each level where there are 10, the standard error is too small by a factor of two.
    assert different(sample, 1, blocks=False) > 0.25 * EXPERIMENTS
