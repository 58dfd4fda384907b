"""What a planned test is said to show, against ``compare`` of drawn blocks, and against a slower search."""

from __future__ import annotations

import math

import numpy as np
import pytest

from steelyard.core.analysis import Analysis
from steelyard.stats.compare.comparison import compare
from steelyard.stats.planning.planned_test import PlannedTest
from steelyard.stats.planning.sample_size import n_paired, paired_power, signs_power


def shown(sample, effect, n, estimand="geomean_ratio", count=400):
    """Of 400 comparisons of blocks that differ by so many s, each treatment with half of their variance."""
    rng = np.random.default_rng(n)
    noise = (0.02 * rng.normal(0, math.sqrt(0.5), (2, n)) for _ in range(count))
    drawn = ([sample(np.exp(old)), sample(np.exp(new - 0.02 * effect), treatment=2)] for old, new in noise)
    return sum(compare(item, Analysis(estimand=estimand))[0].verdict == "faster" for item in drawn)


@pytest.mark.parametrize(
    ("judge", "estimand", "n"),
    [
        ("sign-flip", "geomean_ratio", 8),
        ("sign-flip", "geomean_ratio", 20),
        ("sign-flip", "geomean_ratio", 70),
        ("sign", "median_ratio", 12),
        ("sign", "median_ratio", 30),
    ],
)
def test_the_difference_that_is_said_to_show_does_in_80_of_100(sample, perfect_passes, judge, estimand, n):
    """N = 400; 298 to 342 pass. By t alone 20 blocks would show it in 71."""
    assert perfect_passes(400, 0.8, 298, 342) > 0.98
    least = PlannedTest("block", judge, 0.05).detectable(n)
    assert 298 <= shown(sample, least, n, estimand) <= 342


@pytest.mark.parametrize("effect", [0.31, 0.5, 0.62, 0.7, 0.9, 1.0, 1.5, 3.0])
@pytest.mark.parametrize("level", [0.05, 0.025, 0.05 / 28])
def test_units_needed_are_the_smallest_number_from_which_on_all_are_enough(effect, level):
    result = PlannedTest("block", "sign-flip", level).units_needed(effect)

    def power(n):
        return paired_power(effect, n, level, flipped=True, in_time=True)

    assert power(result - 1) < 0.8
    assert all(power(n) >= 0.8 for n in range(result, 300))
    assert result >= n_paired(effect, level, flipped=True)


@pytest.mark.parametrize("unit", ["context", "instance"])
def test_units_that_do_not_follow_each_other_need_what_t_needs(unit):
    assert PlannedTest(unit, "t", 0.05).units_needed(0.5) == n_paired(0.5)
    assert PlannedTest("block", "t", 0.05).units_needed(0.5) > n_paired(0.5)


def test_runs_of_which_either_may_seem_alike_need_more():
    alone, both = PlannedTest("block", "t", 0.05), PlannedTest("run", "t", 0.05)
    assert both.units_needed(0.7 * math.sqrt(2)) > alone.units_needed(0.7)
    assert both.detectable(30) > alone.detectable(30) * math.sqrt(2)


def test_looks_need_more_and_end_at_a_look_of_whole_passes():
    fixed, looked = PlannedTest("block", "t", 0.05), PlannedTest("block", "t", 0.05, first=10)
    assert (fixed.units_needed(0.8), looked.units_needed(0.8)) == (16, 30)
    assert looked.detectable(10) > fixed.detectable(10)
    contexts = PlannedTest("context", "t", 0.05, first=10, passes=2)
    assert contexts.units_needed(0.8) == 30 > PlannedTest("context", "t", 0.05).units_needed(0.8)
    assert looked.equivalent(0.8, 0.9) > fixed.equivalent(0.8, 0.9)
    signs = PlannedTest("block", "sign", 0.05, first=10)
    assert signs.units_needed(0.8) > looked.units_needed(0.8)
    assert signs.equivalent(0.8, 0.9) > looked.equivalent(0.8, 0.9)


def test_of_a_median_power_falls_where_neighbours_seem_alike():
    for n in (12, 30):
        assert signs_power(0.8, n, 0.05, in_time=True) < signs_power(0.8, n, 0.05) - 0.005
    assert PlannedTest("block", "sign", 0.05).detectable(5) is None
