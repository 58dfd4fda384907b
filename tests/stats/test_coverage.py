"""A part of ``./dev bench coverage``: the same simulations, fewer of them.

Each bound is wide enough that a perfect tool passes with a probability of 98 % or more, all cells together;
the count and the probability stand with it.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks" / "coverage"))

import blocks
import intervals
import slow_runs

pytestmark = pytest.mark.extensions("gate")


@pytest.mark.parametrize("in_blocks", [False, True])
@pytest.mark.parametrize("method", ["means, log-delta", "geometric, t on logs"])
def test_95_percent_intervals_cover_as_they_say_at_5_8_and_30_launches(perfect_passes, in_blocks, method):
    """11 cells of 1,000 in each of four tests; a coverage of 95 % passes all with .98, one of 93 % most."""
    count, low, high = 1000, 915, 975
    assert perfect_passes(count, 0.95, low, high) ** 44 > 0.98
    for place, (shape, n) in enumerate((s, n) for s in intervals.SHAPES[:4] for n in intervals.SIZES):
        if shape.name == "normal, CV 5 %" and n == 8:
            continue  # between two that are there
        result = intervals.coverage(shape, n, method, count, 100 + place, blocks=in_blocks)
        most = high if n == 30 or shape.most == 0.97 else 1000
        # Log-delta has no bounded interval where a mean of five is too uncertain: that excludes nothing.
        assert low <= result.covered + result.unbounded <= most, (shape.name, n)
        assert result.unbounded <= (count / 4 if n == 5 else count / 20 if n == 8 else 0), (shape.name, n)


@pytest.mark.parametrize(
    "name", ["normal", "lognormal, σ 1", "bimodal 70/30, 6 s apart", "normal, AR(1) 0.5"]
)
def test_families_of_equal_treatments_have_a_false_finding_in_at_most_6_of_100(perfect_passes, name):
    """400 families in each of four tests; a tool with 5 % passes all four with .98."""
    count, most = 400, 34
    assert perfect_passes(count, 0.05, 0, most) ** 4 > 0.98
    assert blocks.false_findings(name, 4, count, 7, "all-pairs") <= most


@pytest.mark.simulates
def test_a_drift_of_six_standard_deviations_costs_blocks_no_power():
    """Without blocks, 11 % of what is found without drift are left (docs/coverage.md)."""
    still, drifting = (
        blocks.power(name, 4, 100, 3, "baseline") for name in ("normal", "normal, drift of 6 s")
    )
    assert still > 55
    assert drifting > 0.75 * still


def test_drawn_blocks_have_every_treatment_once_and_follow_time():
    values = blocks.draw("normal, drift of 6 s", 8, np.random.default_rng(1))
    assert values.shape == (8, blocks.N)
    means = values.mean(axis=0)
    assert np.corrcoef(means, np.arange(blocks.N))[0, 1] > 0.9


@pytest.mark.simulates
@pytest.mark.parametrize("name", ["normal", "exponential tail of base", "5 % slow, × 30, of base"])
def test_what_stands_beside_the_mean_refutes_few_true_statements(perfect_passes, name):
    """600 experiments in each of four doors and three tests; a tool with 3.1 % passes all with .98."""
    count, most = 600, 36
    assert perfect_passes(count, 0.031, 0, most) ** 12 > 0.98
    arms = slow_runs.ROWS[name]
    doors = (
        slow_runs.claims(arms, count, 11),
        slow_runs.gated(arms, count, 11),
        slow_runs.limits(arms, count, 11),
        slow_runs.limits(arms, count, 11, is_max=False),
    )
    assert all(both * count / 100 <= most for both, _ in doors), doors


@pytest.mark.parametrize("slow", ["5 % × 2", "10 % × 1.5", "20 % × 1.5"])
def test_heads_with_slow_runs_are_equivalent_in_at_most_5_percent(perfect_passes, slow):
    """60 of each at 6, 30 and 80 blocks: by the interval alone, 20 to 80 % of them lie within at 6."""
    count, most = 60, 10
    assert perfect_passes(count, 0.05, 0, most) ** 9 > 0.98
    for n in (6, 30, 80):
        called, _ = slow_runs.equivalent(*slow_runs.UNSHOWN[slow], n, count, 415)
        assert called * count / 100 <= most
    assert slow_runs.equivalent(*slow_runs.UNSHOWN[slow], 6, count, 415)[1] > 5
    assert slow_runs.equivalent(0.0, 1.0, 80, 20, 415)[0] == 100


@pytest.mark.simulates
@pytest.mark.parametrize("slow", [1, 2, 3])
def test_slow_runs_of_the_base_let_no_head_of_three_times_the_time_pass(slow):
    both, alone = slow_runs.opened(slow, 60, 12)
    assert both <= 5
    assert alone > 25
