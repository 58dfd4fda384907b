"""What would resolve a comparison: the numbers of ``size``, and a simulation of the run that is proposed."""

from __future__ import annotations

import math
import operator

import numpy as np
import pytest
from msgspec.structs import replace

from steelyard.core.analysis import Analysis
from steelyard.results.analysis import DesignFacts, Pace
from steelyard.stats.answer import answer
from steelyard.stats.compare.comparison import compare
from steelyard.stats.compare.speedup import make_by_t
from steelyard.stats.describe.dependence import Hull
from steelyard.stats.distributions.skewed import SkewedT
from steelyard.stats.planning.fresh_run import fresh_run
from steelyard.stats.planning.planned_test import PlannedTest
from steelyard.stats.planning.sample_size import n_paired, n_tost
from steelyard.stats.planning.slow_runs import units_to_trust

BLOCKS = DesignFacts("randomized-blocks", 20, 1, pace=Pace(2.0))


def pair(sample, mean, s, n=20, treatment=2):
    """Differences of exactly this mean and standard deviation, in logarithms."""
    d = np.random.default_rng(n + 1).normal(size=n)
    d = mean + s * (d - d.mean()) / d.std(ddof=1)
    return [sample(np.ones(n)), sample(np.exp(-d), treatment=treatment)]


def fresh(samples, declared=None, facts=BLOCKS):
    return answer("e", samples, facts, declared or Analysis()).judged[0].fresh


def test_a_difference_that_is_not_resolved_says_how_many_blocks_would_show_it(sample):
    result = fresh(pair(sample, 0.01, 0.03))
    assert result.blocks == n_paired(0.01 / 0.03, 0.05, 0.8, in_time=True)
    assert result.difference == pytest.approx(math.expm1(0.01))
    assert result.seconds == pytest.approx(2.0 * result.blocks)
    assert result.margin is None


def test_what_is_resolved_or_shows_nothing_asks_for_nothing(sample):
    assert fresh(pair(sample, 0.1, 0.03)) is None
    assert fresh(pair(sample, 1e-7, 0.03)) is None
    assert fresh([sample([1.0] * 4), sample([1.0] * 4, treatment=2)]) is None
    assert fresh([sample([0.0] * 4), sample([1.0] * 4, treatment=2)]) is None
    sequential = DesignFacts("sequential", 1, 1)
    assert fresh(pair(sample, 0.01, 0.03), facts=sequential) is None


def test_in_a_family_it_is_the_first_step_of_holm(sample):
    samples = [*pair(sample, 0.01, 0.03), pair(sample, 0.002, 0.03, treatment=3)[1]]
    assert fresh(samples).blocks == n_paired(0.01 / 0.03, 0.025, 0.8, in_time=True)


def test_few_blocks_are_as_many_as_flipped_signs_need_where_these_judge(sample):
    samples = pair(sample, 0.045, 0.03, n=8)
    samples += [pair(sample, 0.001, 0.03, n=8, treatment=t)[1] for t in range(3, 23)]
    level = 0.05 / 21
    assert (
        fresh(samples).blocks
        == n_paired(1.5, level, 0.8, flipped=True, in_time=True)
        > n_paired(1.5, level, 0.8, in_time=True)
    )
    assert fresh(samples, Analysis(interval="log-delta")).blocks == n_paired(1.5, level, 0.8, in_time=True)
    # This record has too few blocks for signs, and the run that is proposed has not.
    result = answer("e", pair(sample, 0.033, 0.025, n=4), BLOCKS, Analysis()).judged[0]
    assert result.speedup.method == "block-log-ratio-t"
    assert (
        result.fresh.blocks
        == n_paired(1.32, 0.05, 0.8, flipped=True, in_time=True)
        > n_paired(1.32, 0.05, 0.8, in_time=True)
    )


def test_a_margin_is_decided_from_the_side_on_which_the_difference_was_seen(sample):
    margin = math.log1p(0.02)
    beyond = fresh(pair(sample, 0.03, 0.03), Analysis(margin=0.02))
    assert (beyond.blocks, beyond.margin) == (n_paired((0.03 - margin) / 0.03, 0.05, 0.8, in_time=True), 0.02)
    within = fresh(pair(sample, 0.01, 0.03), Analysis(margin=0.02))
    needed = n_tost(margin / 0.03, 0.025, 0.8, shift=0.01 / 0.03, in_time=True)
    assert within.blocks == units_to_trust(margin - 0.01, 0.03, 0.8, least=needed) > needed


def test_at_a_margin_a_tail_takes_no_blocks_from_those_that_few_are_allowed():
    plain = make_by_t(0.1, 0.03 / math.sqrt(12), 11, 12, "block", "block-log-ratio-t")
    for skewness, compare_numbers in ((0.1, operator.eq), (-0.1, operator.ge), (-0.6, operator.gt)):
        skewed = SkewedT(plain.log, plain.se, plain.nu, skewness)
        tailed = replace(plain, distribution=Hull(plain.distribution, skewed), allowances=("tail",))
        first, second = (
            fresh_run(ratio, 1, Analysis(margin=0.02), BLOCKS, by_context=False).blocks
            for ratio in (tailed, plain)
        )
        assert compare_numbers(first, second), (skewness, first, second)


def test_a_fresh_run_uses_the_whole_level_again_where_this_one_was_extended(sample):
    facts = DesignFacts("randomized-blocks", 20, 1, extended_from=(10, 15))
    result = fresh(pair(sample, 0.01, 0.03), facts=facts)
    assert result.blocks == n_paired(0.01 / 0.03, 0.05, 0.8, in_time=True)
    assert result.seconds is None


def test_contexts_are_asked_for_in_whole_passes(sample):
    rng = np.random.default_rng(3)
    places = {"contexts": list(range(1, 11)) * 2, "passes": [1] * 10 + [2] * 10}
    samples = [
        sample(np.ones(20), **places),
        sample(np.exp(rng.normal(0.01, 0.05, 20)), treatment=2, **places),
    ]
    facts = DesignFacts("randomized-blocks", 20, 1, contexts=10, passes=2)
    (judged,) = answer("e", samples, facts, Analysis()).judged
    ratio = judged.speedup
    units = n_paired(abs(ratio.log) / (ratio.se * math.sqrt(10)), 0.05, 0.8)
    assert judged.fresh.blocks == 2 * units


def test_where_verdicts_end_a_run_it_is_looked_at_as_this_one(sample):
    facts = DesignFacts("randomized-blocks", 20, 1, looks=(10, 12, 15, 19), decided=True)
    result = fresh(pair(sample, 0.01, 0.03), facts=facts)
    assert result.blocks == PlannedTest("block", "sign-flip", 0.05, first=10).units_needed(1 / 3)
    assert result.blocks > fresh(pair(sample, 0.01, 0.03)).blocks


def test_the_run_that_is_proposed_shows_the_difference_in_80_of_100(sample, perfect_passes):
    """N = 600; 456 to 504 pass."""
    count = 600
    assert perfect_passes(count, 0.8, 456, 504) > 0.98
    blocks = fresh(pair(sample, 0.01, 0.03)).blocks
    rng = np.random.default_rng(4)
    output = 0
    for _ in range(count):
        samples = [sample(np.ones(blocks)), sample(np.exp(-rng.normal(0.01, 0.03, blocks)), treatment=2)]
        output += compare(samples, Analysis())[0].verdict == "faster"
    assert 456 <= output <= 504
