"""A rare slow mode of one of two treatments."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats as witness

from steelyard.core.analysis import Analysis
from steelyard.stats.compare.comparison import compare
from steelyard.stats.sequential.looks import Looks


def arms(rng, n=20, slow=(3,), other=(), at=0.95):
    """Old is the faster one but for its slow runs."""
    old, new = np.exp(rng.normal(0, 0.02, (2, n)))
    old *= at
    old[list(slow)] *= 1.5
    new[list(other)] *= 1.5
    return old, new


def compare_arms(sample, old, new, **declared):
    return compare([sample(old, label="old"), sample(new, treatment=2)], Analysis(**declared))[0]


def test_few_slow_runs_of_one_arm_are_told_with_their_share_and_no_mean_is_judged(sample):
    comparison = compare_arms(sample, *arms(np.random.default_rng(1), slow=(3, 9, 15)))
    slow = comparison.slow
    assert (slow.treatment.label, slow.runs, slow.n) == ("old", 3, 20)
    exact = witness.binomtest(3, 20).proportion_ci(method="exact")
    assert (slow.share95.low, slow.share95.high) == pytest.approx((exact.low, exact.high))
    assert (slow.lowest, slow.highest) == pytest.approx(
        [slow.within * slow.times**share for share in (exact.low, exact.high)]
    )
    assert slow.times == pytest.approx(1.5, rel=0.05)
    assert slow.within == pytest.approx(0.95, rel=0.02)
    assert slow.decides()
    assert (comparison.refused, comparison.verdict) == (True, "not_resolved")
    assert "slow_mode" in comparison.flags


@pytest.mark.parametrize(("slow", "other"), [((), ()), ((3,), ()), ((3, 9), (4,))])
def test_none_a_single_one_that_turns_nothing_and_those_of_both_are_no_mode_of_one(sample, slow, other):
    comparison = compare_arms(sample, *arms(np.random.default_rng(2), slow=slow, other=other))
    assert comparison.slow is None
    assert not comparison.refused


def test_a_single_slow_run_is_told_where_more_of_its_kind_would_turn_the_verdict(sample):
    old, new = arms(np.random.default_rng(7), slow=(3,), at=0.93)
    comparison = compare_arms(sample, old, new)
    assert (comparison.slow.runs, comparison.refused, comparison.verdict) == (1, True, "not_resolved")
    # Of so large a difference none could.
    clear = compare_arms(sample, old * 0.8, new)
    assert clear.slow is None
    assert (clear.refused, clear.verdict) == (False, "slower")


def test_a_tenth_of_slow_runs_of_one_arm_turns_verdicts_round_in_at_most_7_of_100(sample, perfect_passes):
    """N = 400 of 30, equal geometric means; it has not shown at all in 4 of 100."""
    count, most = 400, 28
    assert perfect_passes(count, 0.045, 0, most) > 0.98
    rng = np.random.default_rng(8)
    wrong = 0
    for _ in range(count):
        old, new = rng.normal(0, 0.02, (2, 30))
        old += ((rng.random(30) < 0.1) - 0.1) * np.log(1.5)
        wrong += compare_arms(sample, np.exp(old), np.exp(new)).verdict in {"faster", "slower"}
    assert wrong <= most


def test_slow_runs_that_make_the_better_one_clearer_are_told_and_the_mean_judged(sample):
    comparison = compare_arms(sample, *arms(np.random.default_rng(6), slow=(3, 9, 15), at=1.1))
    assert comparison.slow.runs == 3
    assert not comparison.slow.decides()
    assert not comparison.slow.decides(0.1)
    assert comparison.slow.decides(0.2)  # 1.13 to 1.30: whether it is within 20 %
    assert (comparison.refused, comparison.verdict) == (False, "faster")


@pytest.mark.parametrize("estimand", ["median_ratio", "quantile"])
def test_medians_and_quantiles_are_judged_all_the_same(sample, estimand):
    comparison = compare_arms(
        sample, *arms(np.random.default_rng(3), n=60, slow=(3, 9, 15)), estimand=estimand, quantile=0.5
    )
    assert not comparison.refused


def test_many_slow_runs_are_part_of_the_mean(sample):
    comparison = compare_arms(sample, *arms(np.random.default_rng(4), n=200, slow=range(0, 200, 10), at=1.1))
    assert comparison.slow is None
    assert comparison.verdict in {"slower", "faster"}


@pytest.mark.simulates
@pytest.mark.parametrize("shape", ["normal", "t3", "lognormal"])
def test_alike_arms_show_one_in_at_most_three_of_a_hundred(sample, shape):
    """N = 400 pairs of 20."""
    rng = np.random.default_rng(5)
    draw = {
        "normal": lambda: rng.normal(0, 0.02, (2, 20)),
        "t3": lambda: 0.02 * rng.standard_t(3, (2, 20)),
        "lognormal": lambda: rng.lognormal(0, 0.5, (2, 20)) * 0.02,
    }[shape]
    result = sum(compare_arms(sample, *np.exp(draw())).slow is not None for _ in range(400))
    assert result <= 12


@pytest.mark.parametrize("looks", [None, Looks((10, 15, 20))])
def test_with_a_margin_a_slower_typical_run_is_a_verdict_and_a_faster_one_is_none(sample, looks):
    old, new = arms(np.random.default_rng(5), at=0.4, slow=(3,))
    old[3] *= 200
    samples = [sample(old, label="old"), sample(new, treatment=2)]
    (slower,) = compare(samples, Analysis(margin=0.05), looks=looks)
    assert (slower.relevance, slower.verdict, slower.refused) == ("above", "slower", False)
    assert slower.decided_by == "typical"
    assert (slower.beside.worse, slower.beside.n, slower.beside.slow.runs) == (19, 20, 1)
    mirrored = Analysis(margin=0.05, baseline=samples[1].treatment.levels)
    (faster,) = compare(samples, mirrored, looks=looks)
    assert (faster.verdict, faster.refused, faster.decided_by) == ("not_resolved", True, "typical")


def test_without_a_margin_no_typical_run_is_judged(sample):
    old, new = arms(np.random.default_rng(5), at=0.4, slow=(3,))
    comparison = compare_arms(sample, old * 1.0, new)
    assert (comparison.beside, comparison.decided_by) == (None, None)


def test_a_mean_within_the_margin_is_not_equivalent_where_a_typical_run_lies_beyond(sample):
    """Head is a tenth faster, and one in ten of its runs 2.7 times as slow: equal on average."""
    rng = np.random.default_rng(2)
    old, new = np.exp(rng.normal(0, 0.01, (2, 400)))
    new *= 0.9
    new[::10] *= np.exp(-10 * np.log(0.9))
    comparison = compare_arms(sample, old, new, margin=0.06)
    assert comparison.speedup.interval().low > 1 - 0.06
    assert comparison.speedup.interval().high < 1 + 0.06
    assert (comparison.verdict, comparison.decided_by) == ("not_resolved", "typical")
