"""What is hard to change: comparing blocks holds the level; runs as units do not, but resemble each other."""

from __future__ import annotations

import numpy as np

from steelyard.core.analysis import Analysis
from steelyard.stats.compare.comparison import compare
from steelyard.stats.compare.contrast import contrast
from steelyard.stats.compare.estimate import estimate

EXPERIMENTS, BLOCKS, REPLICATES = 400, 10, 5


def times(draw):
    """One level's times: a whole-plot error of 5 % in each block, and an error of 1 % in each run."""
    plots = draw.normal(0, 0.05, (BLOCKS, 1))
    return np.exp(plots + draw.normal(0, 0.01, (BLOCKS, REPLICATES)))


def experiments(sample, seed):
    """Pairs of two equal levels."""
    draw = np.random.default_rng(seed)
    ids = np.repeat(np.arange(1, BLOCKS + 1), REPLICATES)
    for _ in range(EXPERIMENTS):
        yield [sample(times(draw).ravel(), treatment=arm, blocks=ids) for arm in (1, 2)]


def test_blocks_as_units_of_whole_plots_hold_their_level_and_runs_do_not(sample, perfect_passes):
    assert perfect_passes(EXPERIMENTS, 0.05, 8, 33) > 0.99
    in_blocks = (compare(arms, Analysis())[0] for arms in experiments(sample, 1))
    assert 8 <= sum(block.difference != "not_resolved" for block in in_blocks) <= 33
    # With n = 50 for each level where there are 10, the standard error is too small by a factor of two.
    of_runs = (estimate(contrast(*arms, order="sequential")) for arms in experiments(sample, 1))
    assert sum(run.p < 0.05 for run in of_runs) > 0.25 * EXPERIMENTS


def test_runs_of_one_plot_resemble_each_other_which_makes_runs_as_units_careful(sample):
    result = [compare(arms, Analysis(), order="sequential")[0] for arms in experiments(sample, 1)]
    assert all("autocorrelated" in item.flags for item in result)
    assert sum(element.difference != "not_resolved" for element in result) <= 33
